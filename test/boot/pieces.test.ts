import { join } from "node:path";
import { expect, it } from "vitest";
import type { Machine } from "../figures/machine.ts";
import { beginRun, readRun } from "../figures/run.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { keptFigures, readPieces } from "./pieces.ts";

const runInto = (file: string) => beginRun("boot-test", [], null, file);
const stepsOf = (file: string) => readPieces(file).map(({ figures }) => figures.steps.map(({ name }) => name));
const step = (name: string) => ({ name, seen: "", seconds: 1, isDone: true, picture: null });

it("runs of the boot test add up, the oldest first, none with those before it in itself", () => {
  const file = join(temporaryFolder(), "boot.json");
  expect(readPieces(file)).toEqual([]);
  for (const name of ["one", "two", "three"]) {
    const before = readPieces(file);
    runInto(file).write("boot-test", { steps: [step(name)], verdicts: null, before });
  }
  expect(stepsOf(file)).toEqual([["one"], ["two"], ["three"]]);
  expect(readPieces(file).map(({ figures }) => Object.keys(figures))).toEqual(
    ["one", "two", "three"].map(() => ["steps", "verdicts"]),
  );
  expect(readRun(file).figures).toMatchObject({ steps: [step("three")] });
});

it("a run of something else is not added to", () => {
  const file = join(temporaryFolder(), "chaos.json");
  runInto(file).write("chaos", {});
  expect(() => readPieces(file)).toThrow("it is a run of chaos");
});

it("what is kept for a page has no pictures, and says of earlier runs only what was seen where they failed", () => {
  const failed = { ...step("cut 1 of 1: playing"), seen: "no picture", isDone: false };
  const piece = {
    ...{ name: "boot-test", at: "", seconds: 1, command: "", version: "", commit: null, machine: {} as Machine },
    figures: { steps: [{ ...step("power-off"), seen: "in good order" }, failed], verdicts: null },
  };
  const { steps, before } = keptFigures({ ...piece.figures, before: [piece] });
  expect(steps.map(({ seen }) => seen)).toEqual(["in good order", "no picture"]);
  expect(before[0]?.figures.steps.map(({ seen }) => seen)).toEqual(["", "no picture"]);
  for (const kept of [...steps, ...(before[0]?.figures.steps ?? [])]) expect(kept).not.toHaveProperty("picture");
});
