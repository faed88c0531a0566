import { describe, expect, it } from "vitest";
import { BY_HAND, block, caption, fillPage, number, placesIn, table } from "../../../scripts/figures/page.ts";
import { aRun } from "./a-run.ts";

const chaos = aRun("chaos", { kills: 3 });
const blocks = { kills: block(["chaos"], ({ chaos: run }) => `${run.figures.kills} kills\n`) };
const page = (inside: string) => `# Title\n\n<!-- figures: kills -->\n${inside}\n<!-- /figures -->\n\nThe end.\n`;

describe("a page with figures", () => {
  it("has what the runs say between its markers, whatever was there before, and is else as it was", () => {
    const filled = fillPage(page("\n200 kills\n"), blocks, { chaos });
    expect(filled).toBe(page("\n3 kills\n"));
    expect(fillPage(filled, blocks, { chaos })).toBe(filled);
    expect(fillPage(page(`\n#### ${BY_HAND}\n\n200 kills\n`), blocks, { chaos })).toBe(page("\n3 kills\n"));
  });

  it("is left as it is where there is no run yet, and it says that it was written by hand", () => {
    const byHand = page(`\n#### ${BY_HAND}\n\n200 kills\n`);
    expect(fillPage(byHand, blocks, {})).toBe(byHand);
    expect(() => fillPage(page("\n200 kills\n"), blocks, {})).toThrow(
      "no run of chaos is kept, and kills does not say",
    );
  });

  it("has no place for figures that nobody makes", () => {
    const unknown = page("").replace("kills", "deaths");
    expect(placesIn(unknown)).toEqual(["deaths"]);
    expect(() => fillPage(unknown, blocks, {})).toThrow("there are no figures named deaths");
  });
});

describe("a caption", () => {
  it("says which command, when, how long, of what and on what, once for runs of one command", () => {
    const said =
      "`npm run chaos -- --seed 1`: 23 November 2026, 2 minutes, 0.1.0 at abc, " +
      "Electron 45.4.1, a CPU, 2 cores, 24 GB, Debian 12, load before 0.1.";
    expect(caption(chaos, aRun("chaos", {}))).toBe(said);
    expect(caption(chaos, { ...chaos, command: "npm run soak" }).split("\n\n")).toHaveLength(2);
  });

  it("names the stand-in as one, and Node alone where no window was opened", () => {
    const { machine } = chaos;
    expect(caption({ ...chaos, machine: { ...machine, fallback: true } })).toContain("Electron 45.4.1 (the stand-in),");
    expect(caption({ ...chaos, machine: { ...machine, electron: null } })).toContain(", Node 24.0.0,");
  });
});

describe("a table", () => {
  it("keeps what would break its cells out of them", () => {
    expect(table(["", "a"], [["b|c", "d\ne"]])).toBe("|  | a |\n|---|---|\n| b\\|c | d; e |\n");
  });

  it.each([null, undefined, Number.NaN, Number.POSITIVE_INFINITY])("has no %j for a figure", (value) => {
    expect(() => number(value)).toThrow("is no figure");
  });

  it("has its numbers thousands apart, with so many digits after the point", () => {
    expect([number(1_234_567), number(0.125, 2), number(1_000.06, 1)]).toEqual(["1,234,567", "0.13", "1,000.1"]);
  });
});
