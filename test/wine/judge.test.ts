import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ONLY_WINE } from "./exceptions.ts";
import { exceptionTable, judge, type RanTest, testsIn, type VitestReport, type WineException } from "./judge.ts";

const ROOT = "D:\\Spotloop für Kioske";

function ran(file: string, name: string, outcome: RanTest["outcome"]): RanTest {
  return { file, name, outcome, why: outcome === "failed" ? "Error: no" : null };
}

const listed: readonly WineException[] = [{ reason: "wine has none", file: "test/a.test.ts", tests: ["a > one"] }];

describe("the list of what wine is to blame for", () => {
  it("excuses what fails and is on it", () => {
    const tests = [ran("test/a.test.ts", "a > one", "failed"), ran("test/a.test.ts", "a > two", "passed")];
    expect(judge(tests, listed, true)).toEqual({ passed: 1, skipped: 0, excused: 1, complaints: [] });
  });

  it("does not excuse a test of the same name in another file", () => {
    const tests = [ran("test/a.test.ts", "a > one", "failed"), ran("test/b.test.ts", "a > one", "failed")];
    expect(judge(tests, listed, true).complaints).toEqual([
      "fails and is not listed: test/b.test.ts > a > one: Error: no",
    ]);
  });

  it.each(["passed", "skipped"] as const)("is wrong where a test on it was %s", (outcome) => {
    expect(judge([ran("test/a.test.ts", "a > one", outcome)], listed, true).complaints).toEqual([
      "is listed and does not fail: test/a.test.ts > a > one",
    ]);
  });

  it("is wrong where a test on it is not there, unless its file was not to be run", () => {
    const tests = [ran("test/b.test.ts", "b", "passed")];
    expect(judge(tests, listed, true).complaints).toHaveLength(1);
    expect(judge(tests, listed, false).complaints).toEqual([]);
    expect(judge([ran("test/a.test.ts", "a > two", "passed")], listed, false).complaints).toHaveLength(1);
  });
});

describe("a report of Windows", () => {
  const test = { ancestorTitles: ["a", "b"], title: "one", status: "passed", failureMessages: [] };
  const file = { name: "D:/Spotloop für Kioske/test/a.test.ts", status: "passed", message: "" };

  it("names files from the checkout's root, whichever way its slashes lean", () => {
    const back = { ...file, name: file.name.replaceAll("/", "\\"), assertionResults: [test] };
    const report: VitestReport = { testResults: [{ ...file, assertionResults: [test] }, back] };
    const passed = { file: "test/a.test.ts", name: "a > b > one", outcome: "passed", why: null };
    expect(testsIn(report, ROOT)).toEqual([passed, passed]);
  });

  it("tells what failed by its first line, and counts todo and pending as skipped", () => {
    const results = [
      { ...test, status: "failed", failureMessages: ["Error: EPERM\n    at x"] },
      { ...test, status: "todo", failureMessages: null },
    ];
    const report = { testResults: [{ ...file, status: "failed", assertionResults: results }] };
    expect(testsIn(report, ROOT).map(({ outcome, why }) => [outcome, why])).toEqual([
      ["failed", "Error: EPERM"],
      ["skipped", null],
    ]);
  });

  it("has a file that could not be run as one failure", () => {
    const report = { testResults: [{ ...file, status: "failed", message: "no such module\n…", assertionResults: [] }] };
    expect(testsIn(report, ROOT)).toEqual([
      { file: "test/a.test.ts", name: "(the file)", outcome: "failed", why: "no such module" },
    ]);
  });
});

describe("the page on Windows", () => {
  it("has the list as it is", () => {
    const page = readFileSync(`${import.meta.dirname}/../../docs/windows.md`, "utf8");
    expect(page).toContain(exceptionTable(ONLY_WINE));
  });
});
