import type { Run } from "../../test/figures/run.ts";
import type { FiguresOf, KeptRuns, RunName } from "./kept.ts";

/** A part of a page that is made of runs. */
export interface Block {
  /** The runs that it is made of. */
  readonly of: readonly RunName[];
  /** Its text, once all of these are kept. */
  readonly text: (kept: KeptRuns) => string;
}

/** What a block begins with whose runs are not all kept yet; then it is left as it is. */
export const BY_HAND = "Written down by hand, from runs before figures were kept";

const PLACE = /(<!-- figures: ([a-z-]+) -->\n)([\s\S]*?)(\n<!-- \/figures -->)/g;

/** A part of a page, and the runs that it is made of. */
export function block<N extends RunName>(
  of: readonly N[],
  text: (runs: { readonly [K in N]: Run<FiguresOf[K]> }) => string,
): Block {
  return { of, text: (kept) => text(kept as { readonly [K in N]: Run<FiguresOf[K]> }) };
}

/**
 * A page with its blocks as their runs have them. Throws for a place that has no block, and for one without its runs that
 * does not say that it was written by hand.
 */
export function fillPage(page: string, blocks: Readonly<Record<string, Block>>, kept: KeptRuns): string {
  return page.replace(PLACE, (whole, begin: string, name: string, now: string, end: string) => {
    const found = blocks[name];
    if (found === undefined) throw new Error(`there are no figures named ${name}`);
    const missing = found.of.filter((run) => kept[run] === undefined);
    if (missing.length === 0) return `${begin}\n${found.text(kept).trim()}\n${end}`;
    if (
      now
        .trim()
        .replace(/^[#*\s]+/, "")
        .startsWith(BY_HAND)
    )
      return whole;
    throw new Error(`no run of ${missing.join(", ")} is kept, and ${name} does not say: ${BY_HAND}`);
  });
}

/** The names of the blocks that a page has a place for. */
export function placesIn(page: string): readonly string[] {
  return [...page.matchAll(PLACE)].map(([, , name = ""]) => name);
}

/** Under a heading: which commands these runs were, when, of what, on what. One line for runs of one command. */
export function caption(...runs: readonly Run[]): string {
  return [...new Set(runs.map(captionOf))].join("\n\n");
}

/** A table in Markdown; the first column's heading may be empty. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", "; ")).join(" | ")} |\n`;
  return `${line(heading)}|${"---|".repeat(heading.length)}\n${rows.map(line).join("")}`;
}

/** A text as a heading or a cell begins. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A number with so many digits after the point, thousands apart. Throws for what is none: a figure is never made up. */
export function number(value: number | null | undefined, digits = 0): string {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new Error(`${value} is no figure`);
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A goal, and whether it is met. */
export function goal(what: string, isMet: boolean): string {
  return `${what}: ${isMet ? "met" : "**missed**"}`;
}

function captionOf({ command, at, seconds, version, commit, machine }: Run): string {
  const { processor, cores, memoryGb, system, node, electron, fallback, loadBefore } = machine;
  const runtime = electron === null ? `Node ${node}` : `Electron ${electron}${fallback ? " (the stand-in)" : ""}`;
  const day = new Date(at).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  const built = `${version}${commit === null ? "" : ` at ${commit}`}`;
  const took = seconds < 90 ? `${number(seconds)} s` : `${number(seconds / 60)} minutes`;
  // The kernel and the like are in the file.
  const [distribution] = system.split(" (");
  const on = `${processor}, ${cores} cores, ${memoryGb} GB, ${distribution}, load before ${number(loadBefore, 1)}`;
  return `\`${command}\`: ${day}, ${took}, ${built}, ${runtime}, ${on}.`;
}
