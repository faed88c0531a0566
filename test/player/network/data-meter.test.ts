import { existsSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { IndexFile } from "../../../src/player/media/media-index.ts";
import { mediaIndexMigrations } from "../../../src/player/media/media-schema.ts";
import { AHEAD_BYTES, DataBook, DataMeter, readDataMonth } from "../../../src/player/network/data-meter.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const november = new Date(2026, 10, 30, 23, 59).getTime();
const december = new Date(2026, 11, 1, 0, 0).getTime();

/** Meters on one folder, each as after a crash: nothing is told to the one before. */
function metered(monthlyBytes: number | null = 10 * AHEAD_BYTES) {
  const path = join(temporaryFolder(), "media.db");
  const lines: { msg: string; usedBytes?: number }[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const clock = { service: november as number | null, wall: november };
  const start = () => {
    const file = new IndexFile(path, mediaIndexMigrations, log);
    onTestFinished(() => file.close());
    return new DataMeter({
      book: new DataBook(file),
      limits: { monthlyBytes, largeHours: null },
      clocks: () => clock,
      log,
    });
  };
  return { path, lines, clock, start };
}

describe("the data meter", () => {
  it("counts what came, and goes on with it after a restart", () => {
    const { start } = metered();
    const meter = start();
    meter.count(1_000);
    meter.count(500);
    meter.settle();
    expect(meter.month()).toEqual({ month: "2026-11", usedBytes: 1_500, monthlyBytes: 10 * AHEAD_BYTES, refused: 0 });
    expect(start().month().usedBytes).toBe(1_500);
  });

  it("counts too much rather than too little after a crash, by 4 MiB at most", () => {
    const { start } = metered();
    const meter = start();
    for (let came = 0; came < 3 * AHEAD_BYTES; came += 64 * 1024) meter.count(64 * 1024);
    const after = start().month().usedBytes;
    expect(after).toBeGreaterThanOrEqual(3 * AHEAD_BYTES);
    expect(after).toBeLessThanOrEqual(4 * AHEAD_BYTES);
  });

  it("begins anew with each month of the local calendar, and keeps the one before", () => {
    const { start, clock, path } = metered();
    const meter = start();
    meter.count(1_000);
    clock.service = december;
    meter.count(7);
    meter.settle();
    expect(meter.month()).toMatchObject({ month: "2026-12", usedBytes: 7 });
    expect(readDataMonth(path, "2026-11")).toMatchObject({ usedBytes: 1_000 });
    expect(readDataMonth(path, "2026-12")).toMatchObject({ usedBytes: 7 });
    expect(readDataMonth(path, "2026-10")).toBeNull();
  });

  it("counts in the month that it knows where the machine boots into 1970, until the service tells its time", () => {
    const { start, clock } = metered();
    start().count(1_000);
    Object.assign(clock, { service: null, wall: 0 });
    const booted = start();
    const before = booted.month().usedBytes;
    expect(booted.month().month).toBe("2026-11");
    booted.count(500);
    clock.service = november;
    expect(booted.month()).toMatchObject({ month: "2026-11", usedBytes: before + 500 });
    clock.service = december;
    expect(booted.month()).toMatchObject({ month: "2026-12", usedBytes: 0 });
  });

  it("counts in no month of a clock that was decades ahead, once the service has told of another", () => {
    const { start, clock } = metered();
    const boot = () => {
      Object.assign(clock, { service: null, wall: new Date(2056, 2, 1).getTime() });
      const meter = start();
      meter.count(500);
      clock.service = november;
      meter.count(1_000);
      meter.settle();
      return meter.month();
    };
    expect(boot()).toMatchObject({ month: "2026-11", usedBytes: 1_000 });
    expect(boot()).toMatchObject({ month: "2026-11", usedBytes: 2_500 });
    expect(boot()).toMatchObject({ month: "2026-11", usedBytes: 4_000 });
  });

  it("says with its figures that the month's data do not suffice, once, and that another month has come", () => {
    const { start, clock, lines } = metered(1_000);
    const meter = start();
    meter.count(1_000);
    expect(meter.rule(0, 0)).toBe("over-budget");
    meter.noteRefused();
    meter.noteRefused();
    expect(lines).toEqual([expect.objectContaining({ month: "2026-11", usedBytes: 1_000, monthlyBytes: 1_000 })]);
    expect(start().month().refused).toBe(2);
    clock.service = december;
    expect(meter.rule(500, 500)).toBe("allowed");
    expect(lines.map(({ msg }) => msg)).toEqual([
      "the month's data do not suffice: media stay away",
      "another month: media are downloaded again",
    ]);
  });

  it("holds for the limit that is set now, whatever it was", () => {
    const { start, path } = metered(1_000);
    const meter = start();
    meter.count(999);
    meter.settle();
    expect(existsSync(path)).toBe(true);
    expect(start().rule(0, 0)).toBe("allowed");
  });
});
