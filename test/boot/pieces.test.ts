import { join } from "node:path";
import { expect, it } from "vitest";
import { beginRun, readRun } from "../figures/run.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { readPieces } from "./pieces.ts";

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
