import { sum } from "../../test/bench/statistics.ts";
import { MEDIAN_MS, OLDEST_MS, ON_TIME_MS } from "../../test/fidelity/age.ts";
import type { Run } from "../../test/figures/run.ts";
import { FIGURE_NAMES, type Hour } from "../../test/soak/report.ts";
import { moveOf } from "../../test/soak/table.ts";
import { block, capital, caption, goal, number, table } from "./page.ts";

/** The goal of a virtual day. */
const DAY_WITHIN_S = 2;

/** The commands that count what was seen and what came of it. */
export const RUN_BLOCKS = {
  chaos: block(["chaos"], ({ chaos }) => {
    const { kills, killedWhile, shown, proved, lost, falseProofs, duplicates, mostDuplicates } = chaos.figures;
    const { cued, brokenCued, unsound, violations } = chaos.figures;
    const moments = Object.entries(killedWhile).map(([name, count]) => `${number(count)} ${name}`);
    return captioned(
      chaos,
      ["", "", "Goal"],
      [
        ["Kills", `${number(kills)}: ${moments.join(", ")}`, ""],
        ["Items shown in full", number(shown), ""],
        ["Proofs counted by the network", number(proved), ""],
        ["Proofs lost", number(lost), none(lost)],
        ["False proofs", number(falseProofs), none(falseProofs)],
        ["Duplicates, each of them by a kill", number(duplicates), ""],
        ["Duplicates by one kill, at most", number(mostDuplicates), goal("1", mostDuplicates <= 1)],
        ["Files cued", number(cued), ""],
        ["Broken files cued", number(brokenCued), none(brokenCued)],
        ["Databases that fail integrity_check, records that fail verification", number(unsound), none(unsound)],
        ["Broken promises in all", number(violations.length), none(violations.length)],
      ],
    );
  }),

  simulate: block(["simulate"], ({ simulate }) => {
    const { days, realMs, faults, machine, spots, totals, failure } = simulate.figures;
    const secondsADay = realMs / 1_000 / days;
    const counts = Object.entries(machine).map(([name, count]) => [capital(name), number(count), ""]);
    const lost = totals.lostWithDisk + totals.lostWithDamage;
    return captioned(
      simulate,
      ["", "", "Goal"],
      [
        ["Virtual days", number(days, Number.isInteger(days) ? 0 : 1), ""],
        ["Seconds for each", number(secondsADay, 1), goal(`${DAY_WITHIN_S} s`, secondsADay <= DAY_WITHIN_S)],
        [
          "Faults, of so many kinds",
          `${number(sum(Object.values(faults)))}, ${number(Object.keys(faults).length)}`,
          "",
        ],
        ...counts,
        ["Spots given out, items shown in full", `${number(spots)}, ${number(totals.shown)}`, ""],
        ["Proofs delivered", number(totals.delivered), ""],
        ["Proofs refused, expired", `${number(totals.refused)}, ${number(totals.expired)}`, ""],
        ["Proofs lost with what a disk refused or damaged", number(lost), ""],
        ["Proofs sent once more, each after a crash", number(totals.repeated), ""],
        [
          "Complaints: lost and false proofs, broken bytes, limits",
          failure === null ? "0" : number(failure.complaints.length),
          none(failure === null ? 0 : 1),
        ],
      ],
    );
  }),

  soak: block(["soak"], ({ soak }) => {
    const { pieces, first, last, all, slopes, speed } = soak.figures;
    const hours = sum(pieces.map((piece) => piece.hours));
    const columns = [first, ...(last === null ? [] : [last])];
    const heading = ["", ...columns.map(({ hour }) => `Hour ${hour}`), "In all, or the worst hour", "Moves by (95 %)"];
    const hourRows = [...HOUR_ROWS, ...(all.keptUp === undefined ? [] : KEPT_UP_ROWS)];
    const rows = hourRows.map(([what, text]) => [what, ...columns.map(text), text(all), ""]);
    const taken = FIGURE_NAMES.map((name) => {
      return [name, ...columns.map(({ footprint }) => number(footprint[name])), "", moveOf(slopes[name])];
    });
    const processors = [...new Set(pieces.map(({ processor }) => processor))].join(", ");
    const since = ` in ${number(pieces.length)} pieces, the first on ${pieces[0]?.at.slice(0, 10)}, on ${processors}`;
    const wrong = pieces.flatMap(({ violations }, index) =>
      violations.map((text) => `- piece ${index + 1}: ${text.split("\n")[0]}`),
    );
    return [
      caption(soak),
      `${number(hours, 1)} hours at ${number(speed)} times the pace${pieces.length === 1 ? "" : since}:`,
      table(heading, [...rows, ...taken]).trim(),
      wrong.length === 0 ? "Nothing was wrong: no frame, no order, no proof." : wrong.join("\n"),
      "![Memory by process over the hours, and the line that fits all of it best](figures/soak-memory.svg)",
    ].join("\n\n");
  }),

  "fidelity-age": block(["fidelity-age"], ({ "fidelity-age": run }) => {
    const { planned, ages, medianMs, maxMs, maxLatenessMs } = run.figures;
    return captioned(
      run,
      ["", "", "Goal"],
      [
        ["Pages seen", `${number(ages.length)} of ${number(planned)}`, goal("all", ages.length === planned)],
        ["Age at first sight, median", `${number(medianMs)} ms`, goal(`${MEDIAN_MS} ms`, medianMs <= MEDIAN_MS)],
        ["Age at first sight, most", `${number(maxMs)} ms`, goal(`${number(OLDEST_MS)} ms`, maxMs <= OLDEST_MS)],
        ["Later than planned, most", `${number(maxLatenessMs)} ms`, goal("two frames", maxLatenessMs <= ON_TIME_MS)],
      ],
    );
  }),

  fidelity: block(["fidelity"], ({ fidelity }) => {
    const { creatives } = fidelity.figures;
    const named = (verdict: string) => creatives.filter((one) => one.verdict === verdict);
    const [refused, wrong] = [named("refused"), named("wrong")];
    const pixels = creatives.flatMap((one) => one.pixels ?? []);
    return captioned(
      fidelity,
      ["", "", "Goal"],
      [
        ["Pages, pictures and clips", number(creatives.length), ""],
        ["As in the bare window, and proved", number(named("right").length), ""],
        [
          "Pixels off: none at all, most",
          `${number(pixels.filter((share) => share === 0).length)}, ${number(Math.max(...pixels) * 100, 2)} %`,
          "",
        ],
        ["Cannot be shown, and refused by name", listed(refused), ""],
        ["Anything else", listed(wrong), none(wrong.length)],
      ],
    );
  }),

  "fidelity-cold": block(["fidelity-cold"], ({ "fidelity-cold": run }) => {
    const { starts } = run.figures;
    const whole = starts.filter(({ kind }) => kind === "whole").length;
    return captioned(
      run,
      ["", "", "Goal"],
      [
        ["Kills and cold starts", number(starts.length), ""],
        ["With whole frames only", number(whole), goal("all", whole === starts.length)],
      ],
    );
  }),
};

type HourRow = readonly [what: string, (hour: Omit<Hour, "hour" | "footprint">) => string];

const HOUR_ROWS: readonly HourRow[] = [
  ["frames watched", ({ frames }) => number(frames)],
  [
    "black, white, foreign frames",
    ({ black, white, foreign }) => [black, white, foreign].map((one) => number(one)).join(", "),
  ],
  ["frames of house content", ({ house }) => number(house)],
  ["items shown and proved", ({ items }) => number(items)],
  ["different creatives in an hour", ({ creatives }) => number(creatives)],
  ["error of an item's length, p50, ms", ({ lengthErrorP50Ms }) => number(lengthErrorP50Ms)],
  ["error of an item's length, p99, ms", ({ lengthErrorP99Ms }) => number(lengthErrorP99Ms)],
  ["error of an item's length, most, ms", ({ lengthErrorMostMs }) => number(lengthErrorMostMs)],
  ["drift in an hour, ms", ({ driftMs }) => number(driftMs)],
  ["restarts", ({ restarts }) => number(restarts)],
];

/** Of hours in which the machine was watched, too. */
const KEPT_UP_ROWS: readonly HourRow[] = [
  ["items that the machine held up", ({ keptUp }) => (keptUp === undefined ? "" : number(keptUp.others))],
  ["error of the length of all others, p99, ms", ({ keptUp }) => (keptUp === undefined ? "" : number(keptUp.p99Ms))],
  ["error of the length of all others, most, ms", ({ keptUp }) => (keptUp === undefined ? "" : number(keptUp.mostMs))],
];

function captioned(run: Run, heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${caption(run)}\n\n${table(heading, rows)}`;
}

function none(count: number): string {
  return goal("0", count === 0);
}

function listed(creatives: readonly { readonly name: string }[]): string {
  const names = creatives.map(({ name }) => `\`${name}\``).join(", ");
  return creatives.length === 0 ? "0" : `${number(creatives.length)}: ${names}`;
}
