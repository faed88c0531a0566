import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import type { Answer, Failure } from "../../../src/client/answer.ts";
import {
  type Inventory,
  readScreenFacts,
  type ScreenFacts,
  ScreenWatch,
  screenFile,
} from "../../../src/player/screen/screen-watch.ts";
import type { Location, Screen } from "../../../src/wire/inventory.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const hours = Array.from({ length: 168 }, (_, hour) => hour % 24 >= 8);
const adsFor = { archived: false, available_for_ads: true };
const screen = { screen_id: "lobby-1", title: " The lobby ", location_id: "hall", ...adsFor } as Screen;
const location = { opening_168: hours, timezone: "Europe/Berlin", status: "APPROVED", ...adsFor } as Location;
const known: ScreenFacts = { title: "The lobby", opening: { hours, timeZone: "Europe/Berlin" }, ads: "possible" };

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

function watch(isAwaited = true, isTimeAwaited = () => false): { read: ScreenFacts[] } {
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
  const parts = { screenId: "lobby-1", path, clock, log, signal: control.signal, random: () => 0, isTimeAwaited };
  new ScreenWatch({ ...parts, openInventory: async () => inventory, onRead: (facts) => read.push(facts) }).start(
    isAwaited,
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

  it("lets the first spot go first where nobody waits for the hours", async () => {
    watch(false);
    await clock.advance(MINUTE);
    expect(asked).toEqual([2_000]);
  });

  it("knows the title where the location cannot be read", async () => {
    locationAnswer = { kind: "unavailable", reason: "no answer", retryAfterMs: null, done: "no" };
    const { read } = watch();
    await clock.advance(SECOND);
    expect(read).toEqual([{ title: "The lobby", opening: null, ads: null }]);
  });

  it.each<[ScreenFacts["ads"], Partial<Screen>, Partial<Location>]>([
    ["withheld", { available_for_ads: false }, {}],
    ["withheld", {}, { available_for_ads: false }],
    ["unapproved", {}, { status: "REVIEW", available_for_ads: false }],
    ["archived", { archived: true }, {}],
    ["archived", {}, { archived: true, status: "DRAFT" }],
  ])("knows that ads are %s for %o at %o", async (ads, ofScreen, ofLocation) => {
    screenAnswer = { kind: "ok", value: { ...screen, ...ofScreen } };
    locationAnswer = { kind: "ok", value: { ...location, ...ofLocation } };
    const { read } = watch();
    await clock.advance(SECOND);
    expect(read.at(-1)?.ads).toBe(ads);
  });

  it("takes a file that was kept before ads were told for one that does not tell them", () => {
    const { ads: _, ...before } = known;
    writeFileSync(path, JSON.stringify(before));
    expect(readScreenFacts(path)).toEqual({ ...known, ads: null });
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

  it.each<[string, Failure, readonly number[]]>([
    ["cannot be reached", { kind: "unavailable", reason: "no answer", retryAfterMs: null, done: "no" }, [1, 2, 2, 2]],
    ["denies the screen", { kind: "notFound", detail: null }, [1, 2, 4, 8]],
  ])("waits so many minutes where nobody knows the time yet and the service %s", async (_, failure, expected) => {
    screenAnswer = failure;
    watch(true, () => true);
    await clock.advance(16 * MINUTE);
    expect(asked.slice(1, 5).map((at, index) => (at - (asked[index] ?? 0)) / MINUTE)).toEqual(expected);
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
