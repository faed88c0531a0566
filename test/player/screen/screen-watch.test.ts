import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import type { Answer, Failure } from "../../../src/client/answer.ts";
import { readScreenFacts, type ScreenFacts, screenFile } from "../../../src/player/screen/screen-file.ts";
import { type Inventory, ScreenWatch } from "../../../src/player/screen/screen-watch.ts";
import type { Location, Screen } from "../../../src/wire/inventory.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const hours = Array.from({ length: 168 }, (_, hour) => hour % 24 >= 8);
const screen = { screen_id: "lobby-1", title: " The lobby ", location_id: "hall" } as Screen;
const location = { opening_168: hours, timezone: "Europe/Berlin" } as Location;
const known: ScreenFacts = { title: "The lobby", opening: { hours, timeZone: "Europe/Berlin" } };

let clock: ManualClock;
let path: string;
let lines: string[];
let asked: number[];
let screenAnswer: Answer<Screen>;
let locationAnswer: Answer<Location>;
let control: AbortController;

beforeEach(() => {
  clock = new ManualClock();
  path = screenFile(temporaryFolder(), "lobby-1");
  lines = [];
  asked = [];
  control = new AbortController();
  screenAnswer = { kind: "ok", value: screen };
  locationAnswer = { kind: "ok", value: location };
});

function watch(withHours = true): { read: ScreenFacts[] } {
  const read: ScreenFacts[] = [];
  const inventory: Inventory = {
    async getScreen() {
      asked.push(clock.now());
      return screenAnswer;
    },
    getLocation: async () => locationAnswer,
  };
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => void lines.push(JSON.parse(line).msg) },
  );
  const parts = { screenId: "lobby-1", path, withHours, clock, log, signal: control.signal, dice: () => 0 };
  new ScreenWatch({ ...parts, openInventory: async () => inventory, onRead: (facts) => read.push(facts) }).start(
    withHours,
  );
  return { read };
}

describe("the watch on a screen's entry", () => {
  it("reads title and hours, keeps them, and reads them again an hour later", async () => {
    const { read } = watch();
    await clock.advance(HOUR + MINUTE);
    expect(read).toEqual([known, known]);
    expect(readScreenFacts(path)).toEqual(known);
    expect(asked).toEqual([0, HOUR]);
  });

  it("leaves the location alone where hours are not wanted, and lets the first spot go first", async () => {
    locationAnswer = { kind: "unauthorized" };
    const { read } = watch(false);
    await clock.advance(MINUTE);
    expect(read).toEqual([{ title: "The lobby", opening: null }]);
    expect(asked).toEqual([2_000]);
  });

  it("keeps what it knew when the service cannot be reached, and asks ever later, up to an hour", async () => {
    watch();
    await clock.advance(MINUTE);
    screenAnswer = { kind: "unavailable", reason: "no answer", retryAfterMs: null, done: "no" };
    await clock.advance(5 * HOUR);
    expect(readScreenFacts(path)).toEqual(known);
    const waits = asked.slice(1).map((at, index) => (at - (asked[index] ?? 0)) / MINUTE);
    expect(waits.slice(0, 8)).toEqual([60, 1, 2, 4, 8, 16, 32, 60]);
    expect(lines).toEqual(["the screen's entry cannot be read now: no answer"]);
  });

  it.each<[string, Failure, string]>([
    ["the token", { kind: "unauthorized" }, "does not accept the organization token"],
    ["the screen", { kind: "notFound", detail: null }, "does not know the screen"],
  ])("says once that the service denies %s", async (_, failure, text) => {
    screenAnswer = failure;
    watch();
    await clock.advance(4 * HOUR);
    expect(lines).toEqual([expect.stringContaining(text)]);
  });

  it("waits as long as the service asks for, where that is longer", async () => {
    screenAnswer = { kind: "limited", retryAfterMs: 10 * MINUTE };
    watch();
    await clock.advance(11 * MINUTE);
    expect(asked).toEqual([0, 10 * MINUTE]);
  });

  it.each([
    ["is cut off", (text: string) => text.slice(0, 40)],
    ["has too few hours", (text: string) => text.replace("[false,", "[")],
    ["is something else", () => "[]"],
  ])("takes a kept file that %s for none", async (_, spoil) => {
    watch();
    await clock.advance(MINUTE);
    writeFileSync(path, spoil(readFileSync(path, "utf8")));
    expect(readScreenFacts(path)).toBe(null);
  });

  it("plays on where the disk does not take what was read", async () => {
    path = join(path, "not", "there");
    const { read } = watch();
    await clock.advance(MINUTE);
    expect(read).toEqual([known]);
  });

  it("asks nothing any more once it is over", async () => {
    watch();
    await clock.advance(MINUTE);
    control.abort();
    await clock.advance(3 * HOUR);
    expect(asked).toEqual([0]);
  });
});
