import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { type KeptPiece, readPieces, writePieces } from "./pieces.ts";

const machine = { date: "2026-11-23T09:00:00Z", processor: "one", cores: 2, memoryGb: 24, system: "Linux" };
const piece: KeptPiece = {
  ...{ hours: [], samples: [], shown: { a: 2 }, violations: [], speed: 4 },
  machine: { ...machine, electron: "45.4.1", fallback: false, loadBefore: 0 },
};

describe("the file of a soak in pieces", () => {
  it("gives back what was written, and nothing before the first", async () => {
    const file = join(temporaryFolder(), "soak.json");
    expect(await readPieces(file, 4)).toEqual([]);
    writePieces(file, [piece]);
    writePieces(file, [...(await readPieces(file, 4)), piece]);
    expect(await readPieces(file, 4)).toEqual([piece, piece]);
  });

  it("takes no pieces of another pace, and stays as it is", async () => {
    const file = join(temporaryFolder(), "soak.json");
    writePieces(file, [piece]);
    const before = readFileSync(file, "utf8");
    await expect(readPieces(file, 1)).rejects.toThrow("its pieces are not at 1 times the pace");
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it.each(["", "[]", '{"hours":[]}', "{"])("refuses a file with %j", async (text) => {
    const file = join(temporaryFolder(), "soak.json");
    writeFileSync(file, text);
    await expect(readPieces(file, 1)).rejects.toThrow("it holds no pieces of a soak");
  });
});
