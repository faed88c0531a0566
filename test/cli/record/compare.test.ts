import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compare } from "../../../src/cli/record/compare.ts";
import type { ExportedRow } from "../../../src/cli/record/record-lines.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { record, recordedFolder } from "./running.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));

/** What the network counted of `recordedFolder`, where it counted everything that was shown, each a second after its end. */
const COUNTED = [
  ...[
    ["0-0", "screen-1", "00:00:11"],
    ["0-1", "screen-1", "00:00:21"],
    ["0-2", "attic", "00:00:31"],
  ],
  ...[
    ["1-0", "screen-1", "01:00:11"],
    ["1-2", "attic", "01:00:31"],
    ["2-0", "screen-1", "02:00:11"],
    ["2-2", "attic", "02:00:31"],
    ["late", "screen-1", "03:00:01"],
  ],
] as const;

type Counted = readonly [id: string, screen: string, at: string];

function csvOf(counted: readonly Counted[]): string {
  const rows = counted.map(([id, screen, at]) => `request-${id},ad,${screen},ad-1,2026-01-01T${at}Z`);
  return ["request_id,Kind,screen id,itemId,counted_at", ...rows, ""].join("\r\n");
}

function ledger(text: string, name = "ledger.csv"): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

async function comparison(counted: readonly Counted[], ...args: readonly string[]) {
  const { folder } = await recordedFolder();
  const { out, code } = await record(
    ...["compare", "--data-dir", folder, "--proofs", ledger(csvOf(counted)), "--json", ...args],
  );
  return { code, ...JSON.parse(out) };
}

/** What is said of a ledger. */
async function saidOf(text: string) {
  const { folder } = await recordedFolder();
  const { out, err, code } = await record("compare", "--data-dir", folder, "--proofs", ledger(text));
  return { code, said: out + err };
}

describe("spotloop record compare", () => {
  it.skipIf(process.platform === "win32")("reads a ledger that comes through a pipe", async () => {
    const { folder } = await recordedFolder();
    const args = ["record", "compare", "--data-dir", folder, "--proofs", "/dev/stdin"];
    const piped = ["-c", 'cat "$0" | "$@"', ledger(csvOf(COUNTED)), process.execPath, MAIN, ...args];
    const { stdout } = spawnSync("sh", piped, { encoding: "utf8" });
    expect(stdout).toBe("8 agree, 0 missing, 0 extra, 0 differing\n");
  });

  it("tells of what was counted more than once", async () => {
    const twice = await comparison([...COUNTED, ...COUNTED.slice(0, 2)]);
    expect(twice).toMatchObject({ code: 1, agreed: 8, missing: 0, extra: 2, differing: 0 });
    expect(twice.differences[0]).toMatchObject({ requestId: "request-0-0", why: "counted more than once" });
  });

  it("reads times with a blank for the T, and refuses what it cannot read", async () => {
    const late = csvOf(COUNTED).replace("2026-01-01T00:00:11Z", "2026-01-01 05:00:00Z");
    expect(await saidOf(late)).toMatchObject({ code: 1, said: expect.stringContaining("after it had been shown") });
    const strange = csvOf(COUNTED).replace("2026-01-01T00:00:21Z", "1767225621");
    expect(await saidOf(strange)).toMatchObject({ code: 65, said: expect.stringContaining("row 3 has a countedAt") });
    expect(await saidOf(csvOf(COUNTED).replaceAll(/,2026[^\r]*/g, ","))).toMatchObject({ code: 0 });
  });

  it("takes no row for the record's beginning whose clock had not been told the time", () => {
    const failed = { type: "playout", outcome: "failed", reason: "unfetchable", kind: "ad", screenId: "attic" };
    const row = { ...failed, requestId: "r", itemId: "i", endedAt: "1970-01-01T00:00:09Z", clockOffsetMs: null };
    const at = Date.parse("2026-01-01T00:00:00Z");
    const before = { requestId: "before", kind: "ad", screenId: "attic", itemId: null, at } as const;
    const books = { proofs: new Map([["ad before", before]]), repeated: [] };
    const everything = { from: null, until: null, screenId: null };
    const dated = { ...row, requestId: "s", endedAt: "2026-01-02T00:00:00Z", clockOffsetMs: 0 };
    expect(compare([row, dated] as unknown as ExportedRow[], books, everything)).toMatchObject({ older: 1, extra: 0 });
  });

  it("goes by what separates the names, whatever stands in the cells", async () => {
    const titled = csvOf(COUNTED).replaceAll("Z\r\n", "Z,Coffee; hot\r\n").replace("counted_at", "counted_at,title");
    expect(await saidOf(titled)).toMatchObject({ code: 0 });
    const priced = titled.replaceAll(",", ";").replaceAll("Coffee; hot", "12,50");
    expect(await saidOf(priced)).toMatchObject({ code: 0 });
  });

  it("agrees with a network that counted what was shown, and nothing else", async () => {
    expect(await comparison(COUNTED)).toMatchObject({ code: 0, agreed: 8, missing: 0, extra: 0, differing: 0 });
  });

  it.each<[string, readonly Counted[], object]>([
    [
      "missing",
      COUNTED.slice(1),
      { requestId: "request-0-0", countedAt: null, why: "shown in full, and not in the ledger" },
    ],
    [
      "extra",
      [...COUNTED, ["x", "attic", "01:30:00"]],
      { requestId: "request-x", endedAt: null, why: "not in the record" },
    ],
    [
      "extra",
      [...COUNTED, ["1-1", "screen-1", "01:00:22"]],
      { requestId: "request-1-1", why: "failed on this screen: stalled" },
    ],
    ["differing", [["0-0", "attic", "00:00:11"], ...COUNTED.slice(1)], { why: "the ledger says screen attic" }],
    [
      "differing",
      [["0-0", "screen-1", "00:00:05"], ...COUNTED.slice(1)],
      { why: "counted 5000 ms before it had been shown" },
    ],
    [
      "differing",
      [["0-0", "screen-1", "01:30:10"], ...COUNTED.slice(1)],
      { why: "counted 5400000 ms after it had been shown" },
    ],
  ])("finds what is %s: %#", async (finding, counted, difference) => {
    const found = await comparison(counted);
    expect(found).toMatchObject({ code: 1, [finding]: 1, differences: [{ finding, kind: "ad", ...difference }] });
    expect(found.missing + found.extra + found.differing).toBe(1);
  });

  it("leaves out what is not asked for, and what was counted before the record begins", async () => {
    const changed: Counted[] = [...COUNTED.slice(1), ["x", "attic", "01:30:00"]];
    expect(await comparison(changed, "--from", "2026-01-01T02:00Z")).toMatchObject({ code: 0, agreed: 3 });
    expect(await comparison(changed, "--screen", "attic")).toMatchObject({ missing: 0, extra: 1 });
    expect(await comparison([...COUNTED, ["x", "attic", "00:00:00"]])).toMatchObject({ code: 0, older: 1 });
  });

  it("reads the emulator's own ledger", async () => {
    const { folder } = await recordedFolder();
    const pops = [{ at: "2026-01-01T00:00:11.000Z", status: 200, verdict: "counted" }];
    const spot = { requestId: "request-0-0", screen_id: "screen-1", news: null, ad: { id: "ad-1", pops } };
    const spots = [spot, { ...spot, requestId: "request-0-1", ad: { id: "ad-1", pops: [] } }];
    const path = ledger(JSON.stringify(spots), "ledger.json");
    const to = ["--to", "2026-01-01T01:00Z"];
    const { out } = await record("compare", "--data-dir", folder, "--proofs", path, "--json", ...to);
    expect(JSON.parse(out)).toMatchObject({ agreed: 1, missing: 2 });
  });

  it("reads a ledger that a spreadsheet wrote with semicolons", async () => {
    const { folder } = await recordedFolder();
    const path = ledger(`\ufeff${csvOf(COUNTED).replaceAll(",", ";")}`);
    const { out } = await record("compare", "--data-dir", folder, "--proofs", path);
    expect(out).toContain("8 agree, 0 missing");
  });

  it("reads a ledger with its own line about semicolons, rows without their last cells and rows without any", async () => {
    const rows = csvOf(COUNTED.filter(([id]) => id !== "late")).replaceAll(",", ";");
    const text = `\ufeffsep=;\r\n${rows}request-late;ad\r\n;;;;\r\n;\r\n`;
    expect(await saidOf(text)).toEqual({ code: 0, said: "8 agree, 0 missing, 0 extra, 0 differing\n" });
    const { code, said } = await saidOf("requestId,kind\nrequest-late,ad,more\n");
    expect([code, said]).toEqual([65, expect.stringContaining("line 2")]);
  });

  it("takes a heading alone for a network that counted nothing", async () => {
    const { code, said } = await saidOf("requestId,kind\n");
    expect([code, said]).toEqual([1, expect.stringContaining("0 agree, 8 missing, 0 extra, 0 differing")]);
  });

  it("tells people the same in a table", async () => {
    const { folder } = await recordedFolder();
    const path = ledger(csvOf(COUNTED.slice(1)));
    const { out } = await record("compare", "--data-dir", folder, "--proofs", path);
    expect(out).toContain("7 agree, 1 missing, 0 extra, 0 differing");
    expect(out).toMatch(/^missing +ad +ad-1 +2026-01-01 00:00:10 +request-0-0 +shown in full/m);
  });

  it.each([
    ["ledger.csv", "a,b\r\n1,2\r\n", "row 2 has no requestId"],
    ["ledger.csv", 'requestId,kind\r\n"1,ad\r\n', "cannot be used"],
    ["ledger.csv", "", "it has no columns requestId and kind"],
    ["ledger.csv", "\ufeff\r\n\r\n", "it has no columns requestId and kind"],
    ["ledger.csv", "No access\n", "it has no columns requestId and kind"],
    ["ledger.json", "{}", "cannot be used"],
    ["ledger.json", '[{"requestId":"a"},{"requestId":"b"}]', "ledger: 0.screen_id: Invalid input: expected string, "],
  ])("says what is wrong with a ledger: %s %j", async (name, text, why) => {
    const { folder } = await recordedFolder();
    const path = ledger(text, name);
    expect(await record("compare", "--data-dir", folder, "--proofs", path)).toMatchObject({
      ...{ code: 65, err: expect.stringContaining(why) },
    });
  });
});
