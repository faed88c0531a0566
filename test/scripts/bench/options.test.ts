import { describe, expect, it } from "vitest";
import type { Line } from "../../bench/line.ts";
import { readOptions } from "../../bench/options.ts";

const run = () => Promise.reject(new Error("not to be run"));
const known: Line[] = ["one", "two", "three"].map((name) => ({ name, run }));
const names = (args: readonly string[]) => readOptions(args, known, "/here").lines.map(({ name }) => name);

describe("the bench's arguments", () => {
  it("ask for every line where they name none, and else for those, in the bench's order", () => {
    expect(names([])).toEqual(["one", "two", "three"]);
    expect(names(["three", "one"])).toEqual(["one", "three"]);
  });

  it("ask for a line on request only by its name", () => {
    const known = [
      { name: "one", run },
      { name: "four", isOnRequest: true, run },
    ];
    expect(readOptions([], known, "/here").lines).toEqual([known[0]]);
    expect(readOptions(["four"], known, "/here").lines).toEqual([known[1]]);
  });

  it("ask for the short form, and for a file where they were given", () => {
    expect(readOptions(["--quick", "--json", "out.json"], known, "/here")).toMatchObject({
      quick: true,
      json: "/here/out.json",
    });
    expect(readOptions([], known, "/here")).toMatchObject({ quick: false, json: null });
  });

  it.each([[["four"]], [["--fast"]]])("are refused, with what there is, when they are %j", (args) => {
    expect(() => readOptions(args, known, "/here")).toThrow(expect.objectContaining({ name: "Stop" }));
  });
});
