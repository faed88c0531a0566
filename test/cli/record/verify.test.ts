import { generateKeyPairSync, hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import canonicalize from "canonicalize";
import { describe, expect, it } from "vitest";
import { checkpointText, rotateRecordKey, signedNote } from "../../../src/player/record/record-key.ts";
import { openShared } from "../../../src/player/stores/database.ts";
import { readAll, recordingIn } from "../../player/record/recording.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { record, recordedFolder } from "./running.ts";

type Line = Record<string, unknown>;

/** The record of a folder as JSON lines in a file, changed as told. */
async function exported(change: (lines: Line[]) => Line[] = (lines) => lines, ...args: readonly string[]) {
  const { folder } = await recordedFolder();
  const file = join(temporaryFolder(), "record.jsonl");
  await record("export", "--format", "jsonl", "--data-dir", folder, "--out", file, ...args);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const changed = change(lines.map((line) => JSON.parse(line)));
  writeFileSync(file, changed.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return { file, folder };
}

async function findingsIn(...args: readonly string[]): Promise<readonly string[]> {
  const { out, code } = await record("verify", "--json", ...args);
  const { findings } = JSON.parse(out);
  expect(code).toBe(findings.length === 0 ? 0 : 65);
  return findings;
}

const at = (sequence: number) => (line: Line) => line.sequence === sequence;
const isCheckpoint = (line: Line) => "checkpoint" in line;

function resigned(line: Line): Line {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const [origin = "", size = "", root = ""] = String(line.checkpoint).split("\n");
  const text = checkpointText(origin, Number(size), Buffer.from(root, "base64"));
  const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
  return { checkpoint: signedNote(text, origin, privateKey, raw) };
}

function rehashed({ hash: _, ...row }: Line): Line {
  return { ...row, hash: hash("sha256", canonicalize(row) ?? "") };
}

describe("an exported record", () => {
  it("is verified without the player, and what is not signed yet is said", async () => {
    const { file } = await exported();
    const { out, code } = await record("verify", file);
    expect(out).toContain("Nothing up to row 10 was changed, removed, added or replaced.");
    expect(out).toMatch(/^Signed by spotloop\/record\/[0-9a-f-]{36}\+[0-9a-f]{8}\+[\w+/]{44}$/m);
    expect(out).toContain("Not signed, and so not proved: 1 row at the end.");
    expect(code).toBe(0);
  });

  it.each<[string, (lines: Line[]) => Line[], readonly RegExp[]]>([
    [
      "a flipped bit",
      (lines) => lines.map((line) => (at(6)(line) ? { ...line, requestId: "request-1-2" } : line)),
      [/^row 6 was changed/],
    ],
    [
      "a row that was rewritten, its hash too",
      (lines) => lines.map((line) => (at(6)(line) ? rehashed({ ...line, requestId: "request-1-2" }) : line)),
      [
        /^row 7 does not follow row 6 as that is here: one of both was replaced$/,
        /^the checkpoint over 8 rows has another root than rows 5 to 7: they were replaced, or it was$/,
      ],
    ],
    ["a removed row", (lines) => lines.filter((line) => !at(6)(line)), [/^row 6 is missing$/]],
    [
      "rows removed in a row",
      (lines) => lines.filter((line) => !at(6)(line) && !at(7)(line)),
      [/^a checkpoint covers 8 rows: rows 6 to 7 are missing$/, /^rows 6 to 7 are missing$/],
    ],
    [
      "a removed end",
      (lines) => lines.filter((line) => isCheckpoint(line) || Number(line.sequence ?? 0) < 9),
      [/^a checkpoint covers 11 rows: rows 9 to 10 are missing$/],
    ],
    [
      "an added row",
      (lines) => lines.flatMap((line) => (at(6)(line) ? [line, { ...line, itemId: "x" }] : [line])),
      [/^row 6 was changed/, /^row 6 stands twice: after row 6 one was added$/],
    ],
    [
      "rows put in another order",
      (lines) => {
        const [one, other] = [lines.findIndex(at(6)), lines.findIndex(at(7))];
        return lines.with(one, lines[other] ?? {}).with(other, lines[one] ?? {});
      },
      [/^row 6 stands after row 7, where it does not belong$/],
    ],
    [
      "a checkpoint that another key signed",
      (lines) => lines.with(lines.findIndex(isCheckpoint), resigned(lines.find(isCheckpoint) ?? {})),
      [/^the checkpoint over 5 rows was replaced: the record's key did not sign it$/],
    ],
    [
      "a checkpoint in another's place",
      (lines) => lines.with(lines.findIndex(isCheckpoint), lines.findLast(isCheckpoint) ?? {}),
      [/^a checkpoint covers 11 rows: rows 5 to 10 are missing$/],
    ],
    [
      "that all checkpoints were removed",
      (lines) => lines.filter((line) => !isCheckpoint(line)),
      [/^rows 0 to 11 are of hours, and not signed: a checkpoint was removed, or none could be made$/],
    ],
    [
      "a base that is not its own",
      (lines) =>
        lines.map((line) => ("base" in line ? { ...line, base: { size: 1, frontier: [], note: null } } : line)),
      [
        /^nothing tells what came before row 1/,
        /^row 0 stands twice/,
        /^row 0 is missing, and the record does not say/,
      ],
    ],
  ])("shows %s, and where", async (_, change, expected) => {
    const { file } = await exported(change);
    const findings = await findingsIn(file);
    expect(findings).toHaveLength(expected.length);
    expected.forEach((pattern, index) => {
      expect(findings[index]).toMatch(pattern);
    });
  });

  it.each([
    ["says nothing of rows that nobody signed where the player was down for hours between them", 130, []],
    [
      "finds hours of rows that nobody signed",
      60,
      [expect.stringMatching(/^rows 0 to 4 are of hours, and not signed/)],
    ],
  ])("%s", async (_, betweenMinutes, findings) => {
    const folder = temporaryFolder();
    const { clock, show } = recordingIn(folder);
    for (const id of ["a", "b", "c", "d"]) {
      show(id);
      await clock.advance((id === "b" ? betweenMinutes : 50) * 60_000);
    }
    expect(await findingsIn("--data-dir", folder)).toEqual(findings);
  });

  it("can be verified in part: one screen's, of one hour", async () => {
    const from = new Date(Date.UTC(2026, 0, 1, 1)).toISOString().slice(0, 16);
    const to = new Date(Date.UTC(2026, 0, 1, 2)).toISOString().slice(0, 16);
    const args = ["--screen", "attic", "--from", `${from}Z`, "--to", `${to}Z`];
    const { file } = await exported((lines) => lines, ...args);
    const text = readFileSync(file, "utf8");
    expect(text.match(/"requestId":"[^"]+"/g)).toEqual(['"requestId":"request-1-2"']);
    expect(await findingsIn(file)).toEqual([]);
    writeFileSync(file, text.replace("request-1-2", "request-1-3"));
    expect(await findingsIn(file)).toMatchObject(
      [/^row 7 was changed/].map((pattern) => expect.stringMatching(pattern)),
    );
  });

  it("shows that what came before a part is told wrong", async () => {
    const changed = (lines: Line[]) => {
      const base = {
        ...(lines[0]?.base as object),
        frontier: ["A".repeat(43), "B".repeat(43)].map((peak) => `${peak}=`),
      };
      return [{ ...lines[0], base }, ...lines.slice(1)];
    };
    const { file } = await exported(changed, "--from", "2026-01-01T01:00Z", "--to", "2026-01-01T02:00Z");
    expect(await findingsIn(file)).toEqual([
      "the checkpoint before row 5 is not over the rows before it: it was replaced",
      "the checkpoint over 8 rows has another root than rows 5 to 7: they were replaced, or it was",
    ]);
  });

  it("is one of the key that is known, or it is said", async () => {
    const { file, folder } = await exported();
    const [row] = readAll<{ notice: string }>(folder, "select notice from record where type = 'key'");
    const { key } = JSON.parse(row?.notice ?? "");
    expect(await findingsIn(file, "--key", key)).toEqual([]);
    expect(await findingsIn(file, "--key", "other+00000000+AQ==")).toMatchObject([
      expect.stringMatching(/^no checkpoint/),
    ]);
  });

  it("is held against what a witness has kept", async () => {
    const { file, folder } = await exported();
    const kept = join(temporaryFolder(), "kept");
    const notes = readAll<{ note: string }>(folder, "select note from checkpoint order by size").map(
      ({ note }) => note,
    );
    writeFileSync(kept, notes.join("\n"));
    expect(await findingsIn(file, "--witnessed", kept)).toEqual([]);
    writeFileSync(kept, notes.join("").replaceAll("spotloop/record/", "another/"));
    expect(await findingsIn(file, "--witnessed", kept)).toMatchObject([
      expect.stringMatching(/^the witness has kept no checkpoint of spotloop/),
    ]);
    writeFileSync(kept, notes.join("").replace("\n8\n", "\n80\n"));
    expect(await findingsIn(file, "--witnessed", kept)).toEqual(["the witness saw 80 rows: rows 12 to 79 are missing"]);
    writeFileSync(kept, notes.join("").replace("\n8\n", "\n9\n"));
    expect(await findingsIn(file, "--witnessed", kept)).toEqual([
      "the witness saw other rows: its checkpoint over 9 rows has another root",
    ]);
  });

  it("is verified, and held against a witness, whatever a shell made of the files", async () => {
    const { file, folder } = await exported();
    const kept = join(temporaryFolder(), "kept");
    const text = readFileSync(file, "utf8");
    const notes = readAll<{ note: string }>(folder, "select note from checkpoint order by size")
      .map(({ note }) => note)
      .join("");
    for (const made of [
      (one: string) => one.replaceAll("\n", "\r\n"),
      (one: string) => Buffer.from(`\ufeff${one}`, "utf16le"),
      (one: string) => `\ufeff${one}\n`,
    ]) {
      writeFileSync(file, made(text));
      writeFileSync(kept, made(notes));
      expect(await findingsIn(file, "--witnessed", kept)).toEqual([]);
    }
    writeFileSync(kept, "");
    expect(await record("verify", file, "--witnessed", kept)).toMatchObject({
      code: 65,
      err: expect.stringContaining("holds no checkpoint"),
    });
  });

  it("says of a file that is none what it misses", async () => {
    const file = join(temporaryFolder(), "nothing.jsonl");
    for (const [text, why] of [
      ["", "it is empty"],
      ["{", "line 1 is not JSON"],
      ["row,at,screenId\n", "line 1 is not JSON; export the record with --format jsonl"],
      ['{"a":1}\n', "line 1 is neither a row nor a checkpoint"],
      [`"${"x".repeat(70_000)}`, "a line that is too long"],
    ] as const) {
      writeFileSync(file, text);
      expect(await record("verify", file)).toMatchObject({ code: 65, err: expect.stringContaining(why) });
    }
    expect(await record("verify", `${file}.gone`)).toMatchObject({ code: 1, err: expect.stringContaining("ENOENT") });
  });
});

/** The record of a folder after somebody has worked on its file, who knows SQL. */
async function verified(...sql: readonly string[]) {
  const { folder, file } = await recordedFolder();
  const shared = openShared(join(folder, "proofs.db"));
  shared.exec(["drop trigger record_is_never_changed", ...sql].join(";"));
  shared.close();
  const { out } = await record("verify", "--data-dir", folder, "--json");
  file.close();
  return JSON.parse(out).findings;
}

describe("the record of a data folder", () => {
  it("is verified while the player writes it", async () => {
    expect(await verified()).toEqual([]);
  });

  it.each([
    [
      "a changed row",
      "update record set title = 'other' where sequence = 6",
      "row 6 was changed: it does not match its hash",
    ],
    [
      "a changed notice",
      "update record set notice = 'x' where sequence = 0",
      "row 0 was changed: it does not match its hash",
    ],
    ["a removed row", "delete from record where sequence = 6", "row 6 is missing"],
    [
      "a removed beginning",
      "delete from record where sequence < 5",
      "rows 0 to 4 are missing, and the record does not say that they were removed",
    ],
    ["a removed end", "delete from record where sequence > 8", "a checkpoint covers 11 rows: rows 9 to 10 are missing"],
    [
      "rows put in another order",
      "update record set sequence = -1 where sequence = 6; update record set sequence = 6 where sequence = 7; update record set sequence = 7 where sequence = -1",
      "row 6 was changed: it does not match its hash",
    ],
    [
      "a replaced checkpoint",
      "update checkpoint set note = (select note from checkpoint where size = 8) where size = 5",
      "a checkpoint covers 8 rows: rows 5 to 7 are missing",
    ],
  ])("shows %s", async (_, sql, finding) => {
    expect(await verified(sql)).toContain(finding);
  });

  it("shows a row that was rewritten with all hashes after it by the root that was signed before", async () => {
    const { folder, file, store, serviceClock, clock } = await recordedFolder();
    const shared = openShared(join(folder, "proofs.db"));
    shared.exec("delete from record where sequence >= 8");
    shared.close();
    const { endedPlayout } = await import("../../player/record/ended.ts");
    const others = ["x", "y", "z", "w"].map((id) => endedPlayout(id, clock.now()));
    store.append(others, serviceClock.read());
    const { out } = await record("verify", "--data-dir", folder, "--json");
    file.close();
    expect(JSON.parse(out).findings).toEqual([
      "the checkpoint over 11 rows has another root than rows 8 to 10: they were replaced, or it was",
    ]);
  });

  it("stays one through a change of keys that the old key signs for, and shows one that it does not", async () => {
    const { folder, file, store, show, clock, checkpoints } = await recordedFolder();
    const { openRecordKey, recordKeyPath } = await import("../../../src/player/record/record-key.ts");
    const before = openRecordKey(folder);
    if (before.kind !== "open") throw new Error(before.problem);
    rotateRecordKey(
      folder,
      (next) => void store.seal(store.fold(), before.key, { service: null, wall: clock.wall() }, next),
    );
    show("by the new key");
    await checkpoints.stop();
    expect(JSON.parse((await record("verify", "--data-dir", folder, "--json")).out)).toMatchObject({
      findings: [],
      signed: 14,
    });
    writeFileSync(recordKeyPath(folder), readFileSync(recordKeyPath((await recordedFolder()).folder)));
    show("by nobody's key");
    await checkpoints.stop();
    const { out } = await record("verify", "--data-dir", folder, "--json");
    expect(JSON.parse(out).findings).toEqual(["row 15 brings in a key that the one before did not sign for"]);
    file.close();
  });

  it("is whole after its oldest rows were removed for their age, while more are on their way out", async () => {
    const { folder, file, store, serviceClock } = await recordedFolder();
    const { service, wall } = serviceClock.read();
    store.removeOld({ days: 1, maxBytes: 1024 ** 3 }, (service ?? wall) + 22.5 * 3_600_000);
    const { out } = await record("verify", "--data-dir", folder, "--json");
    expect(JSON.parse(out)).toMatchObject({ findings: [], first: 5 });
    file.close();
  });

  it("without a row is nothing wrong by itself, and a finding to whoever knows more of it, as JSON too", async () => {
    const folder = temporaryFolder();
    recordingIn(folder).file.close();
    const { file } = await exported();
    const notes = join(temporaryFolder(), "notes.txt");
    writeFileSync(
      notes,
      readFileSync(file, "utf8")
        .match(/(?<="checkpoint":)".*"/g)
        ?.map((note) => JSON.parse(note))
        .join("") ?? "",
    );

    const empty = await record("verify", "--data-dir", folder, "--json");
    const witnessed = await record("verify", "--data-dir", folder, "--json", "--witnessed", notes);

    expect([empty.code, JSON.parse(empty.out)]).toMatchObject([0, { checkpoints: 0, findings: [] }]);
    expect([witnessed.code, JSON.parse(witnessed.out).findings]).toEqual([
      ...[65, ["the witness has kept checkpoints, and there is no row: all were removed, or it knows another record"]],
    ]);
    expect(await record("verify", "--data-dir", folder)).toMatchObject({
      code: 0,
      out: "The record has no row yet.\n",
    });
  });

  it("says that there is none where nothing was shown", async () => {
    expect(await record("verify", "--data-dir", temporaryFolder())).toMatchObject({ code: 1 });
  });
});
