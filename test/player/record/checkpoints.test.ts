import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { postNote, Witness } from "../../../src/player/record/checkpoints.ts";
import { recordKeyPath } from "../../../src/player/record/record-key.ts";
import { ROW_BYTES } from "../../../src/player/record/record-store.ts";
import { answer, serve } from "../../client/server.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { tellTime } from "../../support/player/service-time.ts";
import { HOUR, MINUTE } from "../proofs/proofs.ts";
import { readAll, recordingIn } from "./recording.ts";

interface Made {
  readonly size: number;
  readonly made: number;
  readonly note: string;
}

const checkpointsIn = (folder: string) =>
  readAll<Made>(folder, "select size, made, note from checkpoint order by size");
const DAY = 24 * HOUR;

/** Twenty past ten. */
const clockAt = () => new ManualClock(Date.UTC(2026, 0, 5, 10, 20));

describe("the record's checkpoints", () => {
  it("are made at each full hour by the service's clock, as far as there is anything new", async () => {
    const folder = temporaryFolder();
    const { clock, checkpoints, show } = recordingIn(folder, { clock: clockAt() });
    checkpoints.start();
    await clock.advance(10 * MINUTE);
    show("a");
    await clock.advance(2 * HOUR);
    show("b");
    await clock.advance(HOUR);
    const made = checkpointsIn(folder).map(({ made }) => new Date(made).toISOString().slice(11, 16));
    expect(made).toEqual(["11:00", "13:00"]);
  });

  it("cover all rows, the one that announces the key among them, under the record's name", async () => {
    const folder = temporaryFolder();
    const { clock, checkpoints, show } = recordingIn(folder);
    show("a");
    checkpoints.start();
    await clock.advance(HOUR);
    const types = readAll<{ type: string }>(folder, "select type from record order by sequence");
    expect(types.map(({ type }) => type)).toEqual(["begun", "playout", "key"]);
    const [{ size, note } = { size: 0, note: "" }] = checkpointsIn(folder);
    expect(size).toBe(3);
    expect(note).toMatch(
      /^spotloop\/record\/[0-9a-f-]{36}\n3\n[\w+/]{43}=\n\n— spotloop\/record\/[0-9a-f-]{36} [\w+/]{91}=\n$/,
    );
  });

  it("begin soon after a start, with what the run before left", async () => {
    const folder = temporaryFolder();
    const before = recordingIn(folder);
    before.show("a");
    const { clock, checkpoints } = recordingIn(folder, { clock: before.clock });
    checkpoints.start();
    await clock.advance(2 * MINUTE);
    expect(checkpointsIn(folder)).toHaveLength(1);
  });

  it("end with one over everything when the player stops", async () => {
    const folder = temporaryFolder();
    const { checkpoints, show } = recordingIn(folder);
    checkpoints.start();
    for (let number = 0; number < 2_500; number++) show(`p${number}`);
    await checkpoints.stop();
    expect(checkpointsIn(folder)).toMatchObject([{ size: 2_502 }]);
  });

  it("are not made before there is a row: a key may wait for years", async () => {
    const folder = temporaryFolder();
    const { clock, checkpoints } = recordingIn(folder);
    checkpoints.start();
    await clock.advance(2 * HOUR);
    expect(checkpointsIn(folder)).toEqual([]);
    expect(existsSync(recordKeyPath(folder))).toBe(false);
  });

  it("are made with another key where the disk has lost the old one, so that the record does not grow for ever", async () => {
    const folder = temporaryFolder();
    const { clock, checkpoints, show } = recordingIn(folder);
    const unsigned = () => readAll(folder, "select * from record").length - (checkpointsIn(folder).at(-1)?.size ?? 0);
    checkpoints.start();
    show("a");
    await clock.advance(HOUR);
    expect(unsigned()).toBe(0);
    writeFileSync(recordKeyPath(folder), "\0".repeat(180));
    show("b");
    await clock.advance(HOUR);
    expect(checkpoints.trouble).toBeNull();
    expect(unsigned()).toBe(0);
  });

  it("are not made where the key cannot be read or replaced, and the record goes on", async () => {
    const folder = temporaryFolder();
    mkdirSync(`${recordKeyPath(folder)}.damaged/kept`, { recursive: true });
    writeFileSync(recordKeyPath(folder), "nonsense");
    const { clock, checkpoints, show, signed } = recordingIn(folder);
    checkpoints.start();
    show("a");
    await clock.advance(HOUR);
    expect(checkpoints.trouble).toContain("record.key");
    show("b");
    expect(signed()).toBe(0);
    expect(readAll(folder, "select * from record")).toHaveLength(3);
  });

  it("never go back in time, whatever the clocks say", async () => {
    const folder = temporaryFolder();
    const { checkpoints, show } = recordingIn(folder, { clock: new ManualClock(Date.UTC(2026, 5, 1)) });
    show("a");
    await checkpoints.stop();
    const later = recordingIn(folder, { clock: new ManualClock(0) });
    later.show("b");
    await later.checkpoints.stop();
    const [first, second] = checkpointsIn(folder);
    expect(second?.made).toBe(first?.made);
  });

  it.each([
    ["1970", 0],
    ["2099", Date.UTC(2099, 0, 1)],
  ])("are dated once the service's time is known, where the machine believes that it is %s", async (_, believed) => {
    const folder = temporaryFolder();
    const clock = new ManualClock(believed);
    const { checkpoints, show, store, serviceClock } = recordingIn(folder, { clock, timeless: true });
    checkpoints.start();
    show("a");
    await clock.advance(2 * MINUTE);
    expect(store.extent()).toMatchObject({ rows: 3, signed: 3, signedAt: null });
    const truth = Date.UTC(2026, 0, 5, 10, 20);
    tellTime(serviceClock, truth);
    await clock.advance(HOUR);
    show("b");
    await clock.advance(HOUR);
    const made = checkpointsIn(folder).map(({ made }) => made - truth);
    expect(made).toHaveLength(2);
    for (const sinceMs of made) expect(sinceMs).toBeGreaterThan(0);
    expect(Math.max(...made)).toBeLessThanOrEqual(2 * HOUR);
    expect(store.extent()).toMatchObject({ rows: 4, signed: 4, signedAt: truth + Math.max(...made) });
  });
});

describe("what need not be kept of the record", () => {
  it("goes by whole stretches that a checkpoint covers, and the record says so", async () => {
    const folder = temporaryFolder();
    const { clock, checkpoints, show } = recordingIn(folder, { limits: { days: 2, maxBytes: 1024 ** 3 } });
    checkpoints.start();
    for (let day = 0; day < 4; day++) {
      show(`day-${day}`);
      await clock.advance(DAY);
    }
    const rows = readAll<{ type: string; notice: string | null }>(folder, "select type, notice from record");
    const pruned = rows.filter(({ type }) => type === "pruned").map(({ notice }) => JSON.parse(notice ?? ""));
    const [first] = readAll<{ first: number }>(folder, "select min(sequence) as first from record");
    expect(pruned.at(-1)).toMatchObject({ size: first?.first, key: expect.stringMatching(/^spotloop\/record/) });
    expect(checkpointsIn(folder).at(0)?.size).toBe(first?.first);
    const requests = readAll<{ id: string }>(folder, "select request_id as id from record where type = 'playout'");
    expect(requests.map(({ id }) => id)).toEqual(["request-day-2", "request-day-3"]);
  });

  it("goes for its size too, as much as is over", async () => {
    const folder = temporaryFolder();
    const { clock, checkpoints, show } = recordingIn(folder, { limits: { days: 400, maxBytes: ROW_BYTES * 100 } });
    checkpoints.start();
    for (let hour = 0; hour < 5; hour++) {
      for (let number = 0; number < 40; number++) show(`${hour}-${number}`);
      await clock.advance(HOUR);
    }
    const [{ count } = { count: 0 }] = readAll<{ count: number }>(folder, "select count(*) as count from record");
    expect(count).toBeGreaterThan(60);
    expect(count).toBeLessThanOrEqual(102);
  });

  it("is not judged while the service's time is not known", async () => {
    const folder = temporaryFolder();
    const before = recordingIn(folder);
    before.show("a");
    await before.checkpoints.stop();
    const clock = new ManualClock(Date.UTC(2099, 0, 1));
    const limits = { days: 1, maxBytes: 1024 ** 3 };
    const { checkpoints } = recordingIn(folder, { limits, clock, timeless: true });
    checkpoints.start();
    await clock.advance(HOUR);
    expect(readAll(folder, "select * from record where type = 'pruned'")).toEqual([]);
  });
});

/** A record with checkpoints over two stretches, and a witness at an address. */
async function witnessed(url: string) {
  const folder = temporaryFolder();
  const recording = recordingIn(folder);
  const { clock, store, checkpoints, show } = recording;
  checkpoints.start();
  for (const id of ["a", "b"]) {
    show(id);
    await clock.advance(HOUR);
  }
  const log = pino({ level: "silent" });
  const post = (note: string, signal: AbortSignal) => postNote(fetch, url, note, 5_000, signal);
  const witness = new Witness({ store, clock, post, random: () => 0, log });
  onTestFinished(() => witness.stop());
  const seen = () => readAll<{ witness: string | null }>(folder, "select witness from checkpoint order by size");
  return {
    witness,
    clock,
    notes: readAll<{ note: string }>(folder, "select note from checkpoint order by size"),
    seen,
  };
}

/** A witness that answers as told, and what it was sent. */
async function witnessAnswering(...statuses: readonly number[]) {
  const bodies: string[] = [];
  const { url } = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(`${request.method} ${request.headers["content-type"]} ${Buffer.concat(chunks)}`);
    answer(statuses[bodies.length - 1] ?? 200)(response);
  });
  return { url, bodies };
}

describe("the record's witness", () => {
  it("gets each checkpoint once, oldest first, as it is", async () => {
    const { url, bodies } = await witnessAnswering();
    const { witness, notes, seen } = await witnessed(url);
    witness.notify();
    await vi.waitFor(() => expect(seen()).toEqual([{ witness: "taken" }, { witness: "taken" }]));
    witness.notify();
    expect(bodies).toEqual(notes.map(({ note }) => `POST text/plain; charset=utf-8 ${note}`));
  });

  it("gets later what it could not be given, after a while and not before", async () => {
    const { url, bodies } = await witnessAnswering(503);
    const { witness, clock, seen } = await witnessed(url);
    witness.notify();
    await vi.waitFor(() => expect(witness.failures).toBe(1));
    witness.notify();
    await clock.advance(MINUTE - 1);
    expect(bodies).toHaveLength(1);
    await clock.advance(1);
    await vi.waitFor(() => expect(seen()).toEqual([{ witness: "taken" }, { witness: "taken" }]));
  });

  it("is not asked again to take what it refuses", async () => {
    const { url, bodies } = await witnessAnswering(409);
    const { witness, seen } = await witnessed(url);
    witness.notify();
    await vi.waitFor(() => expect(seen()).toEqual([{ witness: "refused" }, { witness: "taken" }]));
    expect(bodies).toHaveLength(2);
  });

  it("is not followed elsewhere", async () => {
    const { url: elsewhere, targets } = await serve((_, response) => answer(200)(response));
    const { url } = await serve((_, response) => answer(307, { location: elsewhere })(response));
    const { witness } = await witnessed(url);
    witness.notify();
    await vi.waitFor(() => expect(witness.failures).toBe(1));
    expect(targets).toEqual([]);
  });

  it("gets a checkpoint when that is on the disk, and not before", async () => {
    const posted: string[] = [];
    const post = async (note: string) => {
      posted.push(note);
      return { kind: "taken" } as const;
    };
    let onDisk = () => {};
    const store = {
      unwitnessed: () => (posted.length === 0 ? { size: 1, note: "signed" } : null),
      noteWitness() {},
      whenFlushed(act: () => void) {
        onDisk = act;
      },
    };
    const witness = new Witness({ store, clock: clockAt(), post, random: () => 0, log: pino({ level: "silent" }) });
    onTestFinished(() => witness.stop());
    witness.notify();
    await new Promise(setImmediate);
    expect(posted).toEqual([]);
    onDisk();
    await expect.poll(() => posted).toEqual(["signed"]);
  });
});
