import { median, range, sum } from "../../test/bench/statistics.ts";
import { cutKindIn } from "../../test/boot/cuts.ts";
import { type BootPiece, type KeptStep, piecesOf } from "../../test/boot/pieces.ts";
import { block, capital, caption, goal, number, table } from "./page.ts";

/** The goal of the short boot test. */
const WITHIN_MINUTES = 15;

/** The commands that live through one step after the other. */
export const STEP_BLOCKS = {
  "update-test": block(["update-test"], ({ "update-test": run }) => {
    const { withinS, steps } = run.figures;
    return `${caption(run)} An upgrade has ${number(withinS)} s to prove.\n\n${stepsTable(steps.map(rowOf))}`;
  }),

  "boot-test": block(["boot-test"], ({ "boot-test": run }) => {
    const pieces = piecesOf(run);
    const { steps } = run.figures;
    const all = pieces.flatMap(({ figures }) => figures.steps);
    const minutes = sum(all.map(({ seconds }) => seconds)) / 60;
    const isShort = run.command.includes("--quick");
    const took = `All of it took ${number(minutes, 1)} minutes${isShort ? ` (${goal(`goal ${WITHIN_MINUTES}`, minutes <= WITHIN_MINUTES)})` : ""}.`;
    const at = steps.findIndex(isCut);
    const [first, last] = at < 0 ? [steps, []] : [steps.slice(0, at), steps.slice(at).filter((step) => !isCut(step))];
    const rows = [...first.map(rowOf), ...cutRows(all.filter(isCut)), ...last.map(rowOf)];
    return `${caption(...pieces)}\n\n${stepsTable(rows)}\n${verdictOf(pieces)} ${took}`;
  }),
};

function isCut({ name }: KeptStep): boolean {
  return cutKindIn(name) !== null;
}

/** Those of each kind in one row, and one that failed by itself. */
function cutRows(cuts: readonly KeptStep[]): readonly Row[] {
  const done = cuts.filter(({ isDone }) => isDone);
  const kinds = [...new Set(done.map(({ name }) => cutKindIn(name)))];
  const rows = kinds.map((kind): Row => {
    const seconds = done.filter(({ name }) => cutKindIn(name) === kind).map((step) => step.seconds);
    const [least, most] = range(seconds).map((one) => number(one));
    return [`Power cuts while ${kind}`, number(seconds.length), `${number(median(seconds))} (${least}-${most})`];
  });
  return [...rows, ...cuts.filter(({ isDone }) => !isDone).map(rowOf)];
}

/** What came of the proofs and files of all pieces; a piece that did not get so far is named. */
function verdictOf(pieces: readonly BootPiece[]): string {
  const all = pieces.flatMap(({ figures: { verdicts } }) => verdicts ?? []);
  const total = (of: (verdicts: (typeof all)[number]) => number) => number(sum(all.map(of)));
  const cuts = number(pieces.flatMap(({ figures }) => figures.steps.filter(isCut)).length);
  const ended = pieces.filter(({ figures }) => figures.verdicts === null);
  return [
    ...ended.map(({ at, figures }) => `The run of ${at} ended at: ${figures.steps.at(-1)?.name}.`),
    `Proofs counted by the network: ${total(({ counted }) => counted)}; lost: ${total(({ lost }) => lost)};`,
    `false: ${total(({ falseProofs }) => falseProofs)}; sent once more: ${total(({ duplicates }) => duplicates)}.`,
    `Broken files and databases after ${cuts} power cuts: ${total(({ broken }) => broken)}.`,
    `Broken promises in all: ${total(({ violations }) => violations.length)}.`,
  ].join(" ");
}

type Row = readonly [step: string, seen: string, seconds: string];

function rowOf({ name, seen, seconds, isDone }: KeptStep): Row {
  return [capital(name), isDone ? beginning(seen) : `**failed**: ${beginning(seen)}`, number(seconds)];
}

function stepsTable(rows: readonly Row[]): string {
  return table(["Step", "Seen", "s"], rows);
}

/** What a machine said takes lines; all of it is in the run's file. */
const MOST_SEEN = 90;

function beginning(text: string): string {
  const words = text
    .trim()
    .replaceAll(/\s*\n\s*/g, "; ")
    .replaceAll(/\s+/g, " ");
  return words.length <= MOST_SEEN ? words : `${words.slice(0, MOST_SEEN).trimEnd()}…`;
}
