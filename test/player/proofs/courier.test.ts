import { cpSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { SpotClient } from "../../../src/client/spot-client.ts";
import { type Delivery, DOUBT_MS } from "../../../src/core/proofs/proof.ts";
import { MOST_SENDS, READ_AHEAD, SENDS_AT_ONCE, SLOW_AFTER_MS } from "../../../src/core/proofs/proof-dispatch.ts";
import { proofMigrations } from "../../../src/player/proofs/proof-records.ts";
import { openDatabase, openReadOnly } from "../../../src/player/stores/database.ts";
import { answer, inTurn, serve } from "../../client/server.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { tellTime } from "../../support/player/service-time.ts";
import { accepted, courierRun, HOUR, hang, MINUTE, proofOf, proofStoreIn, SECOND, unreachable } from "./proofs.ts";

const begin = (...[answer, changes]: [Parameters<typeof courierRun>[2], Parameters<typeof courierRun>[3]?]) => {
  const clock = new ManualClock();
  const folder = temporaryFolder();
  return { clock, folder, ...courierRun(folder, clock, answer, changes) };
};

describe("the proof courier", () => {
  it("sends a proof the moment it is owed, once (G8)", async () => {
    const { clock, courier, owe, sent, settled, store } = begin(() => accepted);
    courier.start();
    await clock.advance(7 * SECOND);
    owe("a");
    expect(sent).toEqual([["a", 7 * SECOND]]);
    await clock.advance(2 * HOUR);
    expect(sent).toHaveLength(1);
    expect(settled).toEqual(["a delivered"]);
    expect(store.counts()).toMatchObject({ owed: 0, delivered: 1 });
  });

  it("sends none that the disk has not taken yet, though it looks for what is due", async () => {
    const clock = new ManualClock();
    const folder = temporaryFolder();
    const store = proofStoreIn(folder, "run-1", { flushesInThread: true });
    const { courier, sent, owe } = courierRun(folder, clock, () => accepted, { store });
    courier.start();
    owe("a");
    expect([store.counts().owed, sent]).toEqual([1, []]);
    await new Promise<void>((resolve) => store.whenFlushed(resolve));
    courier.notify();
    expect(sent).toEqual([["a", 0]]);
    await courier.stop();
  });

  it("tries again after 1, 2, 4 s, then doubles, and ends with a last try before the hour is over (G8)", async () => {
    const { clock, courier, owe, sent, settled, store } = begin(() => unreachable);
    courier.start();
    owe("a");
    await clock.advance(61 * MINUTE);
    const times = sent.map(([, at]) => at / SECOND);
    expect(times.slice(0, 8)).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
    expect(times.at(-1)).toBe(3_585);
    expect(settled).toEqual(["a expired"]);
    expect(store.counts()).toMatchObject({ owed: 0, expired: 1 });
  });

  it("waits as long as the service asks", async () => {
    const busy: Delivery = { kind: "unreachable", reason: "HTTP 429", retryAfterMs: 10 * MINUTE };
    const { clock, courier, owe, sent } = begin(() => busy);
    courier.start();
    owe("a");
    await clock.advance(25 * MINUTE);
    expect(sent.map(([, at]) => at)).toEqual([0, 10 * MINUTE, 20 * MINUTE]);
  });

  it("takes a refusal for final", async () => {
    const { clock, courier, owe, sent, settled } = begin(() => ({ kind: "refused", status: 410 }));
    courier.start();
    owe("a");
    await clock.advance(2 * HOUR);
    expect(sent).toHaveLength(1);
    expect(settled).toEqual(["a refused"]);
  });

  it("takes what a firewall may have answered for final only when it came again a minute later (G8)", async () => {
    const { clock, courier, owe, sent, settled } = begin(() => ({ kind: "doubtful", status: 404 }));
    courier.start();
    owe("a");
    await clock.advance(DOUBT_MS - 1);
    expect(settled).toEqual([]);
    await clock.advance(HOUR);
    expect(sent.map(([, at]) => at)).toEqual([0, DOUBT_MS]);
    expect(settled).toEqual(["a refused"]);
  });

  it("delivers what a firewall refused for less than a minute", async () => {
    const { clock, courier, owe, settled } = begin(
      (): Delivery => (clock.now() < 40 * SECOND ? { kind: "doubtful", status: 403 } : accepted),
    );
    courier.start();
    owe("a");
    await clock.advance(2 * MINUTE);
    expect(settled).toEqual(["a delivered"]);
  });

  it("delivers after a restart what it could not deliver before", async () => {
    const { clock, folder, courier, owe } = begin(() => unreachable);
    courier.start();
    owe("a");
    await clock.advance(10 * MINUTE);
    clock.crash();
    const after = courierRun(folder, clock, () => accepted, { runId: "run-2" });
    after.courier.start();
    await clock.advance(MINUTE);
    expect(after.settled).toEqual(["a delivered"]);
  });

  it("sends nothing once the hour is over, and says so (G9)", async () => {
    const { clock, folder, courier, owe } = begin(hangs);
    courier.start();
    owe("a");
    await clock.settle();
    const later = new ManualClock();
    await later.advance(HOUR);
    const after = courierRun(folder, later, () => accepted, { runId: "run-2" });
    after.courier.start();
    await later.settle();
    expect(after.sent).toEqual([]);
    expect(after.settled).toEqual(["a expired"]);
  });

  it("breaks off a try that is still going when the hour is over", async () => {
    const { clock, courier, owe, settled } = begin(hangs);
    courier.start();
    owe("a");
    await clock.advance(HOUR - 1);
    expect(settled).toEqual([]);
    await clock.advance(1);
    expect(settled).toEqual(["a expired"]);
  });

  it("sends the soonest deadline first when there are many", async () => {
    const { clock, courier, store, sent, serviceClock } = begin(() => accepted);
    await clock.advance(MINUTE);
    for (const [id, requestedAt] of [
      ["c", 30],
      ["a", 10],
      ["b", 20],
    ] as const) {
      store.owe(proofOf(id, requestedAt), serviceClock.read());
    }
    courier.start();
    await clock.settle();
    expect(sent.map(([id]) => id)).toEqual(["a", "b", "c"]);
  });

  /** Owes so many, and answers with how many were under way at once, at most, until all were delivered. */
  async function mostAtOnce(count: number): Promise<number> {
    let most = 0;
    let underWay = 0;
    const { clock, courier, store, sent, serviceClock } = begin(async () => {
      most = Math.max(most, ++underWay);
      await clock.settle(2);
      underWay--;
      return accepted;
    });
    for (let proof = 0; proof < count; proof++) store.owe(proofOf(`p${proof}`, 0), serviceClock.read());
    courier.start();
    for (let turn = 0; turn < 200 && store.counts().owed > 0; turn++) await clock.settle(20);
    expect(sent).toHaveLength(count);
    expect(store.counts()).toMatchObject({ owed: 0, delivered: count });
    return most;
  }

  it("sends one by one as long as few wait", async () => {
    expect(await mostAtOnce(50)).toBe(1);
  });

  it("has several under way at once when many wait, and only so many", async () => {
    expect(await mostAtOnce(READ_AHEAD + 20)).toBe(SENDS_AT_ONCE);
  });

  it("repeats one proof at most after a crash, wherever it comes, as long as few waited (G10)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 80 }), async (count, turns) => {
        const clock = new ManualClock();
        const [folder, left] = [temporaryFolder(), temporaryFolder()];
        const counted: string[] = [];
        let isUp = true;
        // Counted as soon as it is there, answered a little later.
        const network = async (id: string, signal: AbortSignal) => {
          if (!isUp) return hang(signal);
          counted.push(id);
          await clock.settle(2);
          return accepted;
        };
        const before = courierRun(folder, clock, network);
        for (let proof = 0; proof < count; proof++) before.owe(`p${proof}`);
        before.courier.start();
        await clock.settle(turns);
        // What a crash leaves is what is in the files at that reading.
        cpSync(folder, left, { recursive: true });
        isUp = false;
        await before.courier.stop(AbortSignal.abort());
        isUp = true;
        const after = courierRun(left, clock, network, { runId: "run-2" });
        after.courier.start();
        for (let turn = 0; turn < 200 && after.store.counts().owed > 0; turn++) await clock.settle(20);
        expect(new Set(counted).size).toBe(count);
        expect(counted.length - count).toBeLessThanOrEqual(1);
        before.store.close();
        after.store.close();
      }),
      { numRuns: 30 },
    );
  });

  it.each([3 * SENDS_AT_ONCE, 3 * MOST_SENDS])(
    "lets %i URLs that always hang delay a fresh proof by nothing",
    async (most) => {
      const { clock, courier, owe, sent } = begin((id) => (id === "fresh" ? accepted : timesOut(clock)));
      courier.start();
      for (let count = 0; count < most; count++) owe(`hanging-${count}`);
      await clock.advance(10 * MINUTE);
      owe("fresh");
      expect(sent.at(-1)).toEqual(["fresh", clock.now()]);
    },
  );

  it("lets a URL that hangs hold up others only once, and only for as long as it takes to see that", async () => {
    const { clock, courier, owe, sent } = begin((id) => (id === "hanging" ? timesOut(clock) : accepted));
    courier.start();
    owe("hanging");
    owe("behind");
    await clock.advance(SLOW_AFTER_MS);
    expect(sent.at(-1)).toEqual(["behind", SLOW_AFTER_MS]);
    const tries = () => sent.filter(([id]) => id === "hanging").length;
    while (tries() === 1) await clock.advance(SECOND / 2);
    owe("later");
    expect(sent.at(-1)).toEqual(["later", clock.now()]);
  });

  it("goes on when a sender breaks its promise and throws", async () => {
    const { clock, courier, owe, settled } = begin((_id) => {
      if (clock.now() < SECOND) throw new Error("no such thing");
      return accepted;
    });
    courier.start();
    owe("a");
    await clock.advance(SECOND);
    expect(settled).toEqual(["a delivered"]);
  });

  it("sends nothing before it is started", async () => {
    const { clock, courier, owe, sent } = begin(() => accepted);
    owe("a");
    await clock.advance(MINUTE);
    expect(sent).toEqual([]);
    courier.start();
    expect(sent).toHaveLength(1);
  });
});

describe("the courier over real sockets", () => {
  it("delivers byte for byte, over a connection that breaks and a service that stumbles first", async () => {
    const server = await serve(inTurn((response) => response.destroy(), answer(503), answer(200)));
    const service = new SpotClient({
      baseUrl: server.url,
      orgToken: "t",
      fetch,
      spotTimeoutMs: 5_000,
      proofTimeoutMs: 5_000,
    });
    const clock = new ManualClock();
    const ends: string[] = [];
    const settled = new Promise<void>((resolve) => {
      const { courier, owe } = courierRun(temporaryFolder(), clock, () => accepted, {
        send: async (pop, signal) => {
          const delivery = await service.sendProof(pop, signal);
          // Turns the clock for the retry once this try is recorded.
          setImmediate(() => setImmediate(() => void clock.advance(4 * SECOND)));
          return delivery;
        },
        onSettled: (proof, verdict) => {
          ends.push(`${proof.playoutId} ${verdict.kind}`);
          resolve();
        },
      });
      courier.start();
      owe("a", { pop: `${server.url}/pop/{a}?x=1` });
    });
    await settled;
    expect(ends).toEqual(["a delivered"]);
    expect(server.targets).toEqual(["/pop/{a}?x=1", "/pop/{a}?x=1", "/pop/{a}?x=1"]);
  });
});

describe("stopping the courier", () => {
  it("waits for what is under way and records it", async () => {
    let answer = (_: Delivery) => {};
    const { clock, courier, owe, store, sent } = begin(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    courier.start();
    owe("a");
    const stopped = courier.stop();
    owe("b");
    answer(accepted);
    await stopped;
    await clock.advance(HOUR / 2);
    expect(sent.map(([id]) => id)).toEqual(["a"]);
    expect(store.counts()).toMatchObject({ owed: 1, delivered: 1 });
  });

  it("breaks off what is under way when it must be quick; that is sent again by the next run (G10)", async () => {
    const { clock, folder, courier, owe, settled } = begin(hangs);
    courier.start();
    owe("a");
    await courier.stop(AbortSignal.abort());
    expect(settled).toEqual([]);
    const after = courierRun(folder, clock, () => accepted, { runId: "run-2" });
    after.courier.start();
    await clock.settle();
    expect(after.settled).toEqual(["a delivered"]);
  });

  it("is quiet at once when nothing is under way, however often it is asked", async () => {
    const { courier } = begin(() => accepted);
    courier.start();
    await Promise.all([courier.stop(), courier.stop()]);
  });
});

describe("the courier and the clocks", () => {
  it("neither expires nor repeats anything when the wall clock jumps", async () => {
    const { clock, courier, owe, sent, settled } = begin(() => (clock.now() < 50 * MINUTE ? unreachable : accepted));
    courier.start();
    owe("a");
    clock.jumpWall(-40 * 365 * 24 * HOUR);
    await clock.advance(20 * MINUTE);
    clock.jumpWall(80 * 365 * 24 * HOUR);
    await clock.advance(31 * MINUTE);
    expect(settled).toEqual(["a delivered"]);
    const tries = sent.length;
    await clock.advance(HOUR);
    expect(sent).toHaveLength(tries);
  });

  function afterReboot(offMs: number) {
    const clock = new ManualClock();
    const folder = temporaryFolder();
    const before = courierRun(folder, clock, () => unreachable);
    tellTime(before.serviceClock, clock.wall());
    before.courier.start();
    before.owe("a");
    clock.reboot(offMs);
    return { clock, ...courierRun(folder, clock, () => accepted, { runId: "run-2" }) };
  }

  it("holds a proof from before the last boot until the service has told its time, then sends it", async () => {
    const { clock, courier, serviceClock, sent, settled } = afterReboot(30 * MINUTE);
    courier.start();
    await clock.advance(MINUTE);
    expect(sent).toEqual([]);
    tellTime(serviceClock, clock.wall());
    await clock.settle();
    expect(settled).toEqual(["a delivered"]);
  });

  it("does not send a proof whose hour ended while the machine was off", async () => {
    const { clock, courier, serviceClock, sent, settled } = afterReboot(60 * MINUTE);
    courier.start();
    tellTime(serviceClock, clock.wall());
    courier.notify();
    expect(sent).toEqual([]);
    expect(settled).toEqual(["a expired"]);
  });

  it("ends the hour of such a proof after an hour without a word from the service", async () => {
    const { clock, courier, sent, settled } = afterReboot(0);
    courier.start();
    await clock.advance(HOUR);
    expect(sent).toEqual([]);
    expect(settled).toEqual(["a expired"]);
  });
});

/** Keeps everybody else from writing to the proofs in a folder, until the function it returns is called. */
function holdUp(folder: string): () => void {
  const opening = openDatabase({ path: join(folder, "proofs.db"), durability: "full", migrations: proofMigrations });
  if (opening.kind !== "open") throw new Error(opening.kind);
  opening.database.exec("begin immediate");
  return () => opening.database.close();
}

/** How often each proof in a folder was tried, as the file tells. */
function attemptsIn(folder: string): readonly unknown[] {
  const database = openReadOnly(join(folder, "proofs.db"));
  const attempts = database.prepare("select attempts from proof order by id").pluck().all();
  database.close();
  return attempts;
}

describe("the courier and a store that fails", () => {
  it("never sends again what was accepted, though it could not be written down at first", async () => {
    let release = () => {};
    const { clock, folder, courier, owe, sent, store } = begin(() => {
      release = holdUp(folder);
      return accepted;
    });
    courier.start();
    owe("a");
    await clock.advance(10 * SECOND);
    expect(store.counts()).toMatchObject({ owed: 1, delivered: 0 });
    release();
    await clock.advance(10 * SECOND);
    expect(store.counts()).toMatchObject({ owed: 0, delivered: 1 });
    expect(sent).toHaveLength(1);
  });

  it("tries again by the schedule though no try can be written down, and counts them all when they are (G8)", async () => {
    const { clock, folder, courier, owe, sent, store } = begin(() =>
      clock.now() < 65 * SECOND ? unreachable : accepted,
    );
    courier.start();
    owe("a");
    const release = holdUp(folder);
    await clock.advance(62 * SECOND);
    expect(sent.map(([, at]) => at / SECOND)).toEqual([0, 1, 3, 7, 15, 31]);
    release();
    await clock.advance(2 * MINUTE);
    expect(sent.map(([, at]) => at / SECOND)).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
    expect(store.counts()).toMatchObject({ owed: 0, delivered: 1 });
    expect(attemptsIn(folder)).toEqual([8]);
  });

  it("ends the hour of a proof of which nothing can be written down, and sends nothing after it (G9)", async () => {
    const { clock, folder, courier, owe, sent, settled } = begin(() => unreachable);
    courier.start();
    owe("a", { requestedAt: 70 * SECOND - HOUR });
    const release = holdUp(folder);
    await clock.advance(80 * SECOND);
    expect(settled).toEqual(["a expired"]);
    expect(sent.map(([, at]) => at / SECOND)).toEqual([0, 1, 3, 7, 15, 31, 55]);
    release();
  });

  it("says once that the store fails, though it can be read, and once that it works again", async () => {
    const said: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void said.push(JSON.parse(line).msg) });
    const { clock, folder, courier, owe } = begin(() => unreachable, { log });
    courier.start();
    owe("a");
    const release = holdUp(folder);
    for (let item = 0; item < 3; item++) {
      await clock.advance(6 * SECOND);
      courier.notify();
    }
    release();
    await clock.advance(MINUTE);
    expect(said.filter((line) => line.includes("store"))).toEqual([
      "the proof store fails",
      "the proof store works again",
    ]);
  });

  it("goes on sending what is in the store while nothing can be written to it", async () => {
    const { clock, folder, courier, store, sent, serviceClock } = begin(() => accepted);
    for (let count = 0; count < 20; count++) store.owe(proofOf(`p${count}`, 0), serviceClock.read());
    const release = holdUp(folder);
    courier.start();
    await clock.advance(5 * SECOND);
    expect(sent).toHaveLength(20);
    release();
    await clock.advance(5 * SECOND);
    expect(store.counts()).toMatchObject({ owed: 0, delivered: 20 });
    expect(sent).toHaveLength(20);
  });
});

describe("any number of proofs through any weather", () => {
  const kinds: readonly Delivery[] = [
    accepted,
    unreachable,
    { kind: "refused", status: 410 },
    { kind: "doubtful", status: 404 },
    { kind: "unreachable", reason: "HTTP 503", retryAfterMs: 7 * MINUTE },
  ];
  const minute = fc.integer({ min: 0, max: 90 });
  const weather = fc.record({
    shownAt: fc.uniqueArray(minute, { minLength: 1, maxLength: 8 }),
    crashesAt: fc.uniqueArray(minute, { maxLength: 3 }),
    answers: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 20 }),
  });

  it("ends each delivered, refused or expired, once, and sends none after its end or its hour", async () => {
    await fc.assert(
      fc.asyncProperty(weather, async ({ shownAt, crashesAt, answers }) => {
        const folder = temporaryFolder();
        const clock = new ManualClock();
        const ended: string[] = [];
        let tries = 0;
        const begun = (runId: string) => {
          const answer = (id: string) => {
            expect(ended).not.toContain(id);
            expect(clock.now()).toBeLessThan(Number(id) * MINUTE + HOUR);
            return answers[tries++ % answers.length] ?? accepted;
          };
          const run = courierRun(folder, clock, answer, { runId, onSettled: (proof) => ended.push(proof.playoutId) });
          run.courier.start();
          return run;
        };
        let run = begun("run-0");
        for (let now = 0; now < 160; now++) {
          if (crashesAt.includes(now)) {
            clock.crash();
            run.store.close();
            run = begun(`run-${now}`);
          }
          if (shownAt.includes(now)) run.owe(`${now}`);
          await clock.advance(MINUTE);
        }
        expect(ended.map(Number).sort((a, b) => a - b)).toEqual([...shownAt].sort((a, b) => a - b));
        expect(run.store.counts().owed).toBe(0);
        run.store.close();
      }),
      { numRuns: 20 },
    );
  });
});

function timesOut(clock: ManualClock): Promise<Delivery> {
  return new Promise((resolve) => clock.alarm(clock.now() + 10 * SECOND, () => resolve(unreachable)));
}

function hangs(_: string, signal: AbortSignal): Promise<Delivery> {
  return hang(signal);
}
