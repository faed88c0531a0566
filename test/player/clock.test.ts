import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { clockOf, type Kernel, SHORTEST_SLEEP_MS, systemClock } from "../../src/player/clock.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

const clock = systemClock(null);

/** Resolves with how late an alarm rings that is set for so many milliseconds from now. */
function latenessOf(ms: number): Promise<number> {
  const at = clock.now() + ms;
  return new Promise((resolve) => clock.alarm(at, () => resolve(clock.now() - at)));
}

describe("an alarm of the machine's clock", () => {
  it.each([-5, 0, 0.3, 1, 1.9, 2, 2.1, 7.77, 40])("rings %d ms from now or later, never before", async (ms) => {
    expect(await latenessOf(ms)).toBeGreaterThanOrEqual(0);
  });

  it("does not ring within the call that sets it", () => {
    let rung = false;
    const callOff = clock.alarm(clock.now() - 1, () => {
      rung = true;
    });
    expect(rung).toBe(false);
    callOff();
  });

  it.each([
    ["while it is far off", 20, 0],
    ["just before its time", 4, 3],
    ["when its time has come", 0, 0],
  ])("does not ring once it was called off %s", async (_, ms, afterMs) => {
    let rung = false;
    const callOff = clock.alarm(clock.now() + ms, () => {
      rung = true;
    });
    const until = clock.now() + afterMs;
    while (clock.now() < until) await new Promise(setImmediate);
    const before = rung;
    callOff();
    await sleep(ms + 10);
    expect(rung).toBe(before);
  });
});

/** A machine whose clocks are turned by hand. */
function machine() {
  let [awakeMs, asleepMs] = [5_000, 0];
  const kernel: Kernel = { bootId: "boot", monotonicMs: () => awakeMs, uptimeMs: () => awakeMs + asleepMs };
  return {
    kernel,
    wakeFor(ms: number) {
      awakeMs += ms;
    },
    sleepFor(ms: number) {
      asleepMs += ms;
    },
  };
}

describe("a clock of a machine that sleeps", () => {
  it("counts the sleep once it was found out, and tells of it before", () => {
    const { kernel, wakeFor, sleepFor } = machine();
    const sleeper = clockOf(kernel);
    const heard: [number, number][] = [];
    sleeper.onWake((sleptMs) => heard.push([sleptMs, sleeper.now()]));
    wakeFor(10);
    sleepFor(3_600_000);
    expect(sleeper.now()).toBe(5_010);
    sleeper.look();
    sleeper.look();
    expect(heard).toEqual([[3_600_000, 5_010]]);
    expect(sleeper.now()).toBe(3_605_010);
  });

  it("counts sleep from before it began, so that runs of one boot can be compared, and tells nobody", () => {
    const { kernel, sleepFor } = machine();
    sleepFor(7_000);
    const sleeper = clockOf(kernel);
    sleeper.onWake(() => expect.unreachable());
    sleeper.look();
    expect(sleeper.now()).toBe(12_000);
  });

  it.each([0.4, -300, SHORTEST_SLEEP_MS - 1])("takes %d ms between two readings for no sleep", (ms) => {
    const { kernel, sleepFor } = machine();
    const sleeper = clockOf(kernel);
    sleepFor(ms);
    sleeper.look();
    expect(sleeper.now()).toBe(5_000);
  });

  it("knows of none where the system tells of none", () => {
    const sleeper = clockOf({ ...machine().kernel, uptimeMs: () => null });
    sleeper.look();
    expect(sleeper.now()).toBe(5_000);
  });

  it("rings what fell due in the sleep at once, the earliest first, after it has told of it", async () => {
    const { kernel, sleepFor } = machine();
    const sleeper = clockOf(kernel);
    const heard: string[] = [];
    sleeper.onWake(() => heard.push("woke"));
    const rung = new Promise<void>((resolve) => {
      sleeper.alarm(3_000_000, () => {
        heard.push("later");
        resolve();
      });
    });
    sleeper.alarm(2_000_000, () => heard.push("sooner"));
    const callOff = sleeper.alarm(90_000_000, () => heard.push("much later"));
    sleeper.alarm(2_500_000, () => heard.push("called off"))();
    sleepFor(3_600_000);
    sleeper.look();
    expect(heard).toEqual(["woke"]);
    await rung;
    expect(heard).toEqual(["woke", "sooner", "later"]);
    callOff();
  });

  it.skipIf(process.platform !== "linux")("is on this machine the kernel's own account of all its time", () => {
    const before = bootTimeMs();
    clock.look();
    const now = clock.now();
    const after = bootTimeMs();
    // The kernel tells hundredths of a second, and less than a second of sleep is none.
    expect(now).toBeGreaterThan(before - SHORTEST_SLEEP_MS - 10);
    expect(now).toBeLessThan(after + SHORTEST_SLEEP_MS + 10);
  });
});

describe("the name of this machine's boot", () => {
  it("is kept in the data folder where the system is not Linux, and the same for each run", () => {
    const folder = temporaryFolder();
    const names = [systemClock(folder, "win32").bootId, systemClock(folder, "win32").bootId];
    const { bootId } = JSON.parse(readFileSync(join(folder, "boot.json"), "utf8"));
    expect(names).toEqual([bootId, bootId]);
  });
});

/** CLOCK_BOOTTIME, in milliseconds. */
function bootTimeMs(): number {
  return Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 1_000;
}
