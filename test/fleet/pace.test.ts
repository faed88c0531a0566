import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { checkBy, lackingCheckers } from "../support/monitoring.ts";
import { atPace, fleetTime, kioskClock, type Pace } from "./pace.ts";

const ASSETS = join(import.meta.dirname, "..", "..", "assets", "monitoring");
const PACE: Pace = { speed: 24, startedAt: 1_800_000_000_000 };
const FILES = ["spotloop.rules.yml", "server.yml", "agent.yml", "alertmanager.yml"];

function asset(file: string): string {
  return readFileSync(join(ASSETS, file), "utf8");
}

/** What stands in place of durations and of the time when neither is to be compared. */
function masked(text: string): string {
  return text.replaceAll(/\(24 \* time\(\) - \d+\)/g, "time()").replaceAll(/\b\d+(?:ms|[smhd])\b/g, "·");
}

/** The durations of a text in milliseconds, without those that comments tell of. */
function durations(text: string): readonly number[] {
  const units: Record<string, number> = { ms: 1, s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 };
  const told = text.replaceAll(/^\s*#.*$/gm, "").matchAll(/\b(\d+)(ms|[smhd])\b/g);
  return [...told].map(([, count, unit = ""]) => Number(count) * (units[unit] ?? Number.NaN));
}

describe("what is written for a fleet that lives faster", () => {
  it.each(FILES)("differs from %s in durations and the time alone", (file) => {
    expect(masked(atPace(asset(file), PACE))).toBe(masked(asset(file)));
  });

  it.each(FILES)("has every duration of %s divided", (file) => {
    const before = durations(asset(file));
    expect(before.length).toBeGreaterThan(0);
    expect(durations(atPace(asset(file), PACE))).toEqual(before.map((ms) => Math.round(ms / PACE.speed)));
  });

  it("is the very same where it lives at the true pace", () => {
    for (const file of FILES) expect(atPace(asset(file), { ...PACE, speed: 1 })).toBe(asset(file));
  });

  it("has rules tell the fleet's time", () => {
    const [, factor, less] = /\((\d+) \* time\(\) - (\d+)\)/.exec(atPace("expr: time() - x > 1", PACE)) ?? [];
    const real = PACE.startedAt + 90_000;
    expect(Number(factor) * (real / 1_000) - Number(less)).toBe(fleetTime(PACE, real) / 1_000);
  });

  const lacking = lackingCheckers("promtool");

  it.skipIf(lacking !== null)(`is what promtool takes for rules (${lacking ?? "it is there"})`, () => {
    const path = join(temporaryFolder(), "rules.yml");
    writeFileSync(path, atPace(asset("spotloop.rules.yml"), PACE));
    expect(checkBy("promtool", ["check", "rules", path])).toMatchObject({ ok: true });
  });
});

describe("the clocks of a kiosk", () => {
  beforeEach(() => void vi.useFakeTimers({ now: PACE.startedAt }));
  afterEach(() => void vi.useRealTimers());

  const opened = () => kioskClock(PACE, "boot", () => Date.now() - PACE.startedAt);

  it("go as many times as fast, from the machine's own time on", () => {
    const clock = opened();
    vi.advanceTimersByTime(1_000);
    expect([clock.now(), clock.wall()]).toEqual([24_000, PACE.startedAt + 24_000]);
  });

  it("ring when the fleet's time has come, and not when called off", () => {
    const clock = opened();
    const rung: string[] = [];
    clock.alarm(48_000, () => rung.push("rung"));
    clock.alarm(24_000, () => rung.push("called off"))();
    vi.advanceTimersByTime(1_999);
    expect(rung).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(rung).toEqual(["rung"]);
  });

  it("wait for longer than Node's timers can", () => {
    const clock = opened();
    let rung = false;
    clock.alarm(24 * 2 ** 32, () => {
      rung = true;
    });
    vi.advanceTimersByTime(2 ** 32 - 1);
    expect(rung).toBe(false);
    vi.advanceTimersByTime(1);
    expect(rung).toBe(true);
  });

  it("can have their wall set wrong, and their alarms do not care", () => {
    const clock = opened();
    let rung = false;
    clock.alarm(24_000, () => {
      rung = true;
    });
    clock.setAhead(-95_000);
    expect([clock.wall(), clock.now()]).toEqual([PACE.startedAt - 95_000, 0]);
    vi.advanceTimersByTime(1_000);
    expect(rung).toBe(true);
  });
});
