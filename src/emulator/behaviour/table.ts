import { approvals, spots } from "./approvals-and-spots.ts";
import { locations, screens, venueTypes } from "./inventory.ts";
import { type Behaviour, switches } from "./switches.ts";
import { wholeSurface } from "./whole-surface.ts";

/** Everything that the contract leaves open and what the emulator does, from A1 to F21. */
export const behaviours: readonly Behaviour[] = [
  ...wholeSurface,
  ...locations,
  ...screens,
  ...venueTypes,
  ...approvals,
  ...spots,
];

/** The table for the docs. */
export function behaviourTable(): string {
  const rows = behaviours.map((row) => {
    return [row.id, row.topic, row.contract, row.answer, switchCell(row)].map(escaped).join(" | ");
  });
  const head = ["| # | Point | The contract | The emulator | Switch |", "|---|---|---|---|---|"];
  return [...head, ...rows.map((row) => `| ${row} |`), ""].join("\n");
}

function switchCell({ switch: name }: Behaviour): string {
  if (name === undefined) return "";
  const { default: usual, alternatives } = switches[name];
  return `\`${name}\`: **${usual}**, ${alternatives.join(", ")}`;
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|");
}
