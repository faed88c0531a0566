import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { QUIET_HOUR } from "../../../src/core/recovery.ts";
import { renewWhenDue } from "../../../src/main/recovery/recovery.ts";
import { LoopDriver } from "../../support/player/loop-driver.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

const MINUTE_MS = 60_000;
const MB = 1e6;
const NOON = new Date(2026, 0, 1, 12).getTime();
const AT_FIRST = 300 * MB;

let clock: ManualClock;
let screens: LoopDriver[];
/** What the processes take that live as long as the player. */
let bytes: number;
let ended: AbortController;
let restarts: number;
/** Whether the player would begin otherwise by now than it did. */
let isPlanOver: boolean;
beforeEach(() => {
  isPlanOver = false;
  clock = new ManualClock(NOON);
  screens = [new LoopDriver()];
  bytes = AT_FIRST;
  ended = new AbortController();
  restarts = 0;
});

/** Watches a player on a machine of 8 GB. */
function watch(): void {
  void renewWhenDue({
    screens: screens.map((driver) => ({
      loop: { state: () => driver.state, dispatch: (event) => driver.tell(event) },
    })),
    clock,
    log: pino({ enabled: false }),
    memory: () => ({ main: bytes / 2, gpu: bytes / 4, utility: bytes / 4, page: 2_000 * MB }),
    machineBytes: 8_000 * MB,
    isPlanOver: () => isPlanOver,
    restart: () => restarts++,
    signal: ended.signal,
  });
}

async function pass(minutes: number): Promise<void> {
  await clock.advance(minutes * MINUTE_MS);
}

describe("a player that need not go on as it had to begin", () => {
  it("begins anew at once where nothing is on the screen", async () => {
    watch();
    await pass(24 * 60);
    expect(restarts).toBe(0);
    isPlanOver = true;
    await pass(1);
    expect(restarts).toBe(1);
  });

  it("does so from its first minute on, as where its token was mended", async () => {
    watch();
    isPlanOver = true;
    await pass(1);
    expect(restarts).toBe(1);
  });

  it("waits for the quiet hour where a screen is never idle, and for the end of what is on air", async () => {
    screens = [LoopDriver.onAir()];
    watch();
    isPlanOver = true;
    await pass(15 * 60);
    expect(restarts).toBe(0);
    await pass(2 * 60);
    expect(screens[0]?.state.suspendReasons).toContain("ending");
  });
});

describe("a player whose memory grows", () => {
  it("begins anew at once where nothing is on the screen, but not for what it gives back within ten minutes", async () => {
    watch();
    await pass(60);
    bytes = AT_FIRST + 600 * MB;
    await pass(9);
    bytes = AT_FIRST;
    await pass(1);
    bytes = AT_FIRST + 600 * MB;
    await pass(9);
    expect(restarts).toBe(0);
    await pass(1);
    expect(restarts).toBe(1);
    await pass(60);
    expect(restarts).toBe(1);
  });

  it("goes on playing with less than that, in any number of hours", async () => {
    watch();
    await pass(60);
    bytes = AT_FIRST + 500 * MB;
    await pass(48 * 60);
    expect(restarts).toBe(0);
  });

  it("takes for its memory at first what it had when it had been healthy for a while", async () => {
    bytes = 2_000 * MB;
    watch();
    await pass(5);
    bytes = AT_FIRST;
    await pass(60);
    bytes = AT_FIRST + 600 * MB;
    await pass(10);
    expect(restarts).toBe(1);
  });

  it("plays on through the day, and shows what is on air at four in the morning to its end", async () => {
    screens = [LoopDriver.onAir()];
    watch();
    await pass(60);
    bytes = AT_FIRST + 600 * MB;
    await pass((QUIET_HOUR + 12 - 1) * 60 - 1);
    expect([restarts, screens[0]?.read()]).toEqual([0, []]);
    await pass(1);
    expect([restarts, screens[0]?.read()]).toEqual([0, ["clear 1-ad", "settle 1-ad stopped"]]);
    await pass(5);
    expect(restarts).toBe(0);
    screens[0]?.pass(MINUTE_MS);
    expect(screens[0]?.read()).toEqual(["clear 1-news", "settle 1-news shown"]);
    await clock.advance(250);
    expect(restarts).toBe(1);
  });

  it("waits for no hour once it has grown twice as much", async () => {
    screens = [LoopDriver.onAir()];
    watch();
    await pass(20);
    bytes = AT_FIRST + 1_100 * MB;
    await pass(10);
    screens[0]?.pass(MINUTE_MS);
    await clock.advance(250);
    expect(restarts).toBe(1);
  });

  it("is idle only where all its screens are", async () => {
    screens = [new LoopDriver(), LoopDriver.onAir()];
    watch();
    await pass(20);
    bytes = AT_FIRST + 600 * MB;
    await pass(60);
    expect([restarts, screens[1]?.read()]).toEqual([0, []]);
  });

  it("is left alone once it ends by itself", async () => {
    watch();
    await pass(20);
    bytes = AT_FIRST + 600 * MB;
    ended.abort();
    await pass(60);
    expect(restarts).toBe(0);
  });
});
