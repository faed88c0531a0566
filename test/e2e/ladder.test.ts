import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ordinaryUser } from "../../scripts/setup/user.ts";
import { begun, type Ledger, NEW_LEDGER, withoutGraphics } from "../../src/core/recovery.ts";
import { readHealth } from "../support/health.ts";
import { INSPECTED, type Inside, lookInside } from "../support/inside.ts";
import { eventually } from "../support/processes.ts";
import { openRig, type Rig } from "../support/rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await openRig({ width: 640, height: 360 });
});
afterEach(() => rig.close());

const bootId = () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
const ledgerFile = () => join(rig.home, "data", "recovery.json");
const readLedger = () => JSON.parse(readFileSync(ledgerFile(), "utf8")) as Ledger;

/** Leaves a ledger behind as a run before would have. */
function leave(ledger: Ledger): void {
  const { uid, gid } = ordinaryUser();
  mkdirSync(join(rig.home, "data"));
  writeFileSync(ledgerFile(), JSON.stringify(ledger));
  for (const path of [join(rig.home, "data"), ledgerFile()]) chownSync(path, uid, gid);
}

function start() {
  return rig.play([INSPECTED, "--config", rig.configure()]);
}

const rendersInSoftware = (inside: Inside) =>
  inside.ask<boolean>('return electron.app.commandLine.hasSwitch("disable-gpu");');

/** A GPU process that is there for so long has begun well. */
const STAYS_MS = 300;
const GPU_PROCESS = 'return electron.app.getAppMetrics().find(({ type }) => type === "GPU")?.pid ?? 0;';

describe("the ladder of a real player", () => {
  it("ends with 76 when the GPU process goes for the third time, and renders in software from then on", async () => {
    const player = start();
    const inside = await lookInside(player);
    expect(await rendersInSoftware(inside)).toBe(false);
    const killed = new Set<number>();
    for (let time = 1; time <= 3; time++) {
      const pid = await eventually("a GPU process", async () => {
        const found = await inside.ask<number>(GPU_PROCESS);
        // Those that find no graphics end by themselves at once, until one does without.
        await sleep(STAYS_MS);
        const stays = found !== 0 && found === (await inside.ask<number>(GPU_PROCESS));
        return stays && !killed.has(found) ? found : undefined;
      });
      killed.add(pid);
      // A process does not end while somebody looks inside.
      if (time === 3) inside.close();
      process.kill(pid, "SIGKILL");
    }
    expect(await player.ended).toBe(76);
    expect(readLedger()).toMatchObject({ restarts: 1, running: false, lastTrouble: "gpu" });

    const next = start();
    const insideNext = await lookInside(next);
    expect(await rendersInSoftware(insideNext)).toBe(true);
    insideNext.close();
    const health = await eventually("its health", () => readHealth(rig.home));
    expect(health.recovery).toMatchObject({
      rendering: "software",
      restartsInARow: 1,
      lastTrouble: "gpu",
      safeMode: false,
    });
    expect(await next.stop()).toBe(0);
    expect(readLedger()).toMatchObject({ running: false });
  });

  it("ends with 75 after an error that nobody caught, and notes it", async () => {
    const player = start();
    const inside = await lookInside(player);
    await inside.ask('setTimeout(() => { throw new Error("nobody catches this"); }, 500);');
    inside.close();
    expect(await player.ended).toBe(75);
    expect(readLedger()).toMatchObject({ restarts: 1, running: false, lastTrouble: "uncaught" });
  });

  it("starts in software where a run before found that there are no graphics, and plays at once", async () => {
    leave({ ...withoutGraphics(NEW_LEDGER, Date.now()), bootId: bootId() });
    const player = start();
    const inside = await lookInside(player);
    expect(await rendersInSoftware(inside)).toBe(true);
    inside.close();
    await eventually("the first spot", async () => (await rig.emulator.ledger())[0]);
  });

  it("shows house content before it plays after many restarts in a row, in safe mode, and can be stopped meanwhile", async () => {
    leave({ ...begun(NEW_LEDGER, bootId(), Date.now()), restarts: 8 });
    const player = start();
    await eventually("its word", () => player.stderr.find((line) => line.includes("many restarts in a row")));
    expect(player.stderr.join("\n")).toMatch(/restartsInARow=9 .*holdMs=160000/);
    expect(await rig.emulator.ledger()).toEqual([]);
    expect(await player.stop()).toBe(0);
  });
});
