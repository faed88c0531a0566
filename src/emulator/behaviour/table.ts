import { approvals } from "./approvals.ts";
import { locations } from "./locations.ts";
import type { Behaviour } from "./row.ts";
import { screens } from "./screens.ts";
import { spots } from "./spots.ts";
import { switches } from "./switches.ts";
import { venueTypes } from "./venue-types.ts";
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

/** The table for the README. */
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
