import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { beginRun, commandLine, readRun, withSeed } from "./run.ts";

const aFile = () => join(temporaryFolder(), "run.json");
const begin = (file: string | null) =>
  beginRun("bench", ["owing", "--json", "/somewhere/run.json"], { version: "45.4.1", fallback: true }, file);

describe("a run of a command that measures", () => {
  it("is read as it was written: when, on what, with which command, of which version, and its figures", () => {
    const file = aFile();
    begin(file).write("bench", { quick: false, lines: [{ rounds: [1, 2] }] });
    const run = readRun(file);
    const { version } = JSON.parse(readFileSync(`${import.meta.dirname}/../../package.json`, "utf8"));
    expect(run).toMatchObject({ name: "bench", command: "npm run bench -- owing", version, seconds: 0 });
    expect(run.machine).toMatchObject({ electron: "45.4.1", fallback: true, node: process.versions.node });
    expect(run.figures).toEqual({ quick: false, lines: [{ rounds: [1, 2] }] });
    expect(Date.parse(run.at)).not.toBeNaN();
  });

  it("is written to no file where none was asked for, and says so where it cannot be, at once if it can be known", () => {
    expect(() => begin(null).write("bench", {})).not.toThrow();
    const folder = temporaryFolder();
    mkdirSync(join(folder, "taken"));
    expect(() => begin(join(folder, "taken")).write("bench", {})).toThrow("cannot be written");
    expect(() => begin(join(folder, "none", "run.json"))).toThrow("There is no folder for");
  });

  it.each([
    ["{", "Unexpected"],
    ["{}", "at name"],
    ['{"machine":{"cores":"two"}}', "at machine.cores"],
  ])("is not read out of %j", (text, why) => {
    const file = aFile();
    writeFileSync(file, text);
    const read = () => readRun(file);
    expect(read).toThrow("run.json holds no run");
    if (text !== "{") expect(read).toThrow(why);
  });
});

describe("the command of a run", () => {
  it.each([
    [[], "npm run bench"],
    [["owing", "--json", "/a/b.json"], "npm run bench -- owing"],
    [["--json=/a/b.json", "--quick"], "npm run bench -- --quick"],
    [["--hours", "2", "--json", "x", "--append", "--plot", "y.svg"], "npm run bench -- --hours 2"],
    [["--keep", "--quick", "--packages", "/built"], "npm run bench -- --quick"],
    [["--keep", "/pictures", "clip"], "npm run bench -- clip"],
  ])("is what repeats it elsewhere: %j", (args, command) => {
    expect(commandLine("bench", args)).toBe(command);
  });

  it("names the seed that was drawn, and no second one", () => {
    expect(withSeed(["--kills", "3"], 7)).toEqual(["--kills", "3", "--seed", "7"]);
    expect(withSeed(["--seed", "5"], 5)).toEqual(["--seed", "5"]);
    expect(withSeed(["--seed=5"], 5)).toEqual(["--seed=5"]);
  });
});
