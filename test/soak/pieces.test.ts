import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { beginRun } from "../figures/run.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { type KeptPiece, readPieces } from "./pieces.ts";

const runInto = (file: string | null) => beginRun("soak", [], { version: "45.4.1", fallback: false }, file);
const { at, machine } = runInto(null);
const piece: KeptPiece = { ...{ hours: [], samples: [], shown: { a: 2 }, violations: [], speed: 4 }, at, machine };
const aFile = () => join(temporaryFolder(), "soak.json");

describe("the file of a soak in pieces", () => {
  it("gives back what was written, and nothing before the first", () => {
    const file = aFile();
    expect(readPieces(file, 4)).toEqual([]);
    runInto(file).write("soak", { pieces: [piece] });
    runInto(file).write("soak", { pieces: [...readPieces(file, 4), piece] });
    expect(readPieces(file, 4)).toEqual([piece, piece]);
  });

  it("takes no pieces of another pace, nor of another command, and stays as it is", () => {
    const file = aFile();
    runInto(file).write("soak", { pieces: [piece] });
    const before = readFileSync(file, "utf8");
    expect(() => readPieces(file, 1)).toThrow("its pieces are not at 1 times the pace");
    expect(readFileSync(file, "utf8")).toBe(before);
    runInto(file).write("chaos", {});
    expect(() => readPieces(file, 4)).toThrow("it is a run of chaos");
  });

  it.each(["", "[]", '{"pieces":[]}', "{"])("refuses a file with %j", (text) => {
    const file = aFile();
    writeFileSync(file, text);
    expect(() => readPieces(file, 1)).toThrow("holds no run");
  });
});
