import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeOut } from "../../../src/cli/record/record-lines.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { record, recordedFolder } from "./running.ts";

const ORDER = { orderid: "O-1", spacebuyerid: 77, spacebrandid: 5, creativename: 'Coffee, "hot"' };

function mappingFile(mapping: object): string {
  const path = join(temporaryFolder(), "mapping.json");
  writeFileSync(path, JSON.stringify(mapping));
  return path;
}

describe("spotloop record export", () => {
  it("writes a table of all playouts, shown or failed, oldest first", async () => {
    const { folder } = await recordedFolder();
    const { out } = await record("export", "--data-dir", folder);
    const [heading = "", ...rows] = out.trim().split("\r\n");
    const place = heading.split(",").indexOf("requestId");
    expect(rows.map((row) => row.split(",")[place])).toEqual(
      ["0-0", "0-1", "0-2", "1-0", "1-1", "1-2", "2-0", "2-1", "2-2", "late"].map((id) => `request-${id}`),
    );
    expect(rows.filter((row) => row.includes(",failed,stalled,"))).toHaveLength(2);
  });

  it("takes what ended in a span of time, and of one screen", async () => {
    const { folder } = await recordedFolder();
    const day = ["--from", "2026-01-01T01:00Z", "--to", "2026-01-01T02:00:00+00:00"];
    const hour = await record("export", "--data-dir", folder, ...day);
    expect(hour.out.match(/request-[^,]+/g)).toEqual(["request-1-0", "request-1-1", "request-1-2"]);
    const attic = await record("export", "--data-dir", folder, ...day, "--screen", "attic");
    expect(attic.out.match(/request-[^,]+/g)).toEqual(["request-1-2"]);
    for (const from of ["yesterday", "2026-02-30", "2026-02-30T10:00Z", "2026-01-31T18:00"])
      expect(await record("export", "--data-dir", folder, "--from", from)).toMatchObject({ code: 64 });
  });

  it("writes to standard output where the file is called -", async () => {
    const { folder } = await recordedFolder();
    const { out } = await record("export", "--data-dir", folder);
    expect(await record("export", "--data-dir", folder, "--out", "-")).toMatchObject({ code: 0, out });
    expect(existsSync("-")).toBe(false);
  });

  it("writes into a file, or says why it cannot", async () => {
    const { folder } = await recordedFolder();
    const path = join(temporaryFolder(), "record.csv");
    expect(await record("export", "--data-dir", folder, "--out", path)).toMatchObject({ code: 0, out: "" });
    expect(readFileSync(path, "utf8")).toContain("request-late");
    expect(await record("export", "--data-dir", folder, "--out", join(path, "x"))).toMatchObject({
      ...{ code: 1, err: expect.stringContaining("cannot be written") },
    });
  });
});

it("an export that came to an end too soon leaves what was there before", async () => {
  const path = join(temporaryFolder(), "record.csv");
  writeFileSync(path, "before");
  const lines = function* () {
    yield "a line\n";
    throw new Error("the disk went away");
  };
  await expect(writeOut(lines(), path)).rejects.toThrow("the disk went away");
  expect([readFileSync(path, "utf8"), readdirSync(dirname(path))]).toEqual(["before", ["record.csv"]]);
});

it("of two exports into one file at once, one is there whole, and nothing beside it", async () => {
  const path = join(temporaryFolder(), "record.csv");
  const lines = (who: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${who} ${at} ${"-".repeat(99)}\n`);
  const [long, short] = [lines("long", 20_000), lines("short", 5_000)];
  await Promise.all([writeOut(long, path), writeOut(short, path)]);
  expect([long.join(""), short.join("")]).toContain(readFileSync(path, "utf8"));
  expect(readdirSync(dirname(path))).toEqual(["record.csv"]);
});

it("an export that is called off leaves what was there before, and nothing else", async () => {
  const path = join(temporaryFolder(), "record.csv");
  writeFileSync(path, "before");
  const lines = function* () {
    for (let at = 0; at < 20_000; at++) {
      if (at === 10_000) process.emit("SIGINT");
      yield `${"-".repeat(99)}\n`;
    }
  };
  await expect(writeOut(lines(), path)).rejects.toMatchObject({ exitCode: 130 });
  expect([readFileSync(path, "utf8"), readdirSync(dirname(path))]).toEqual(["before", ["record.csv"]]);
});

describe("spotloop record export --format outsmart", () => {
  const args = (folder: string, mapping: object) => [
    ...["export", "--format", "outsmart", "--data-dir", folder, "--mapping", mappingFile(mapping)],
  ];

  it("writes the ads that were shown as Outsmart's Playout takes them", async () => {
    const { folder } = await recordedFolder();
    const frames = { "screen-1": "1234567890", attic: "1234567891" };
    const { out } = await record(...args(folder, { frames, items: { "ad-1": ORDER } }));
    const lines = out.split("\n");
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toBe("");
    expect(lines[2]).toMatch(
      /^1234567891,2026-01-01T00:00:20\.000,Z,2026-01-01T00:00:30\.000,Z,10000,,O-1,,77,,5,,ad-1,"Coffee, ""hot""",,,attic,[0-9a-f]{48}$/,
    );
  });

  it("makes nothing up: it names what the mapping lacks, and writes no file", async () => {
    const { folder } = await recordedFolder();
    const path = join(temporaryFolder(), "playout.csv");
    const lacking = await record(...args(folder, { frames: { "screen-1": "1234567890" }, items: {} }), "--out", path);
    expect(lacking.code).toBe(65);
    expect(lacking.err.split("\n").slice(1)).toEqual([
      "  items has no ad-1 (A ad item)",
      "  frames has no screen attic",
    ]);
    expect(existsSync(path)).toBe(false);
  });

  it("says what a mapping must be like, and that there must be one", async () => {
    const { folder } = await recordedFolder();
    const wrong = await record(
      ...args(folder, { frames: { attic: "12" }, items: { a: { ...ORDER, spacebrandid: "5" } } }),
    );
    expect(wrong).toMatchObject({
      code: 65,
      err: expect.stringMatching(/frames\.attic: .*ten digits[\s\S]*items\.a\.spacebrandid/),
    });
    const large = mappingFile({});
    truncateSync(large, 64 * 1024 * 1024 + 1);
    const mapping = ["--mapping", large];
    expect(await record("export", "--format", "outsmart", "--data-dir", folder, ...mapping)).toMatchObject({
      ...{ code: 1, err: expect.stringContaining("is larger than 67108864 bytes") },
    });
    expect(await record("export", "--format", "outsmart", "--data-dir", folder)).toMatchObject({
      ...{ code: 64, err: expect.stringContaining("--mapping") },
    });
  });
});
