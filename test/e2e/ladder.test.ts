import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ordinaryUser } from "../../scripts/setup/user.ts";
import { type BootRecord, NEW_BOOT_RECORD, onStart, withoutGraphics } from "../../src/core/recovery.ts";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { GPU_PID, INSPECTED, type Inside, lookInside } from "../support/machine/inside.ts";
import { goesOn } from "../support/machine/proc.ts";
import { eventually } from "../support/machine/processes.ts";
import { pagesSeen, readHealth } from "../support/player/health.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await openRig({ width: 640, height: 360 });
});
afterEach(() => rig.close());

const bootId = () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
const bootRecordFile = () => join(rig.home, "data", "recovery.json");
const readBootRecord = () => JSON.parse(readFileSync(bootRecordFile(), "utf8")) as BootRecord;

/** Leaves a boot record behind as an earlier run would have. */
function leave(record: BootRecord): void {
  const { uid, gid } = ordinaryUser();
  mkdirSync(join(rig.home, "data"));
  writeFileSync(bootRecordFile(), JSON.stringify(record));
  for (const path of [join(rig.home, "data"), bootRecordFile()]) chownSync(path, uid, gid);
}

function start() {
  return rig.play([INSPECTED, "--config", rig.configure()]);
}

const rendersInSoftware = (inside: Inside) =>
  inside.ask<boolean>('return electron.app.commandLine.hasSwitch("disable-gpu");');

/** A GPU process that is there for so long has begun well. */
const STAYS_MS = 300;
const GPU_PROCESS = `return ${GPU_PID} ?? 0;`;

const CREATIVES = readCatalogue().creatives;

/** Longer than any test looks at one where the machine keeps up, and soon over where it failed for it did not. */
const DURATION_MS = 10_000;
const SPOTS = 10;

/** Has one creative on air for as long as a test looks at it: one that fails holds its turn to the end. */
async function plan(mimeType: string): Promise<void> {
  const creative = CREATIVES.find((one) => one.mimeType === mimeType);
  if (creative === undefined) throw new Error(`no sample of ${mimeType}`);
  const spot = { news: { ...plannedItem(creative, DURATION_MS), id: ON_AIR }, ad: null };
  await rig.emulator.next(Array.from({ length: SPOTS }, () => spot));
}

const ON_AIR = "on-air";

/** A GPU process that was not killed yet and has begun well. */
function anotherGpuProcess(inside: Inside, killed: ReadonlySet<number>): Promise<number> {
  return eventually("a GPU process", async () => {
    const found = await inside.ask<number>(GPU_PROCESS);
    // Those that find no graphics end by themselves at once, until one does without. Chromium may hear of it a second later.
    await sleep(STAYS_MS);
    const stays = found !== 0 && found === (await inside.ask<number>(GPU_PROCESS)) && goesOn(found);
    return stays && !killed.has(found) ? found : undefined;
  });
}

describe("the ladder of a real player", () => {
  it("ends with 76 when the GPU process goes for the third time, and renders in software from then on", async () => {
    await plan("video/mp4");
    const player = start();
    const inside = await lookInside(player);
    expect(await rendersInSoftware(inside)).toBe(false);
    const killed = new Set<number>();
    for (let time = 1; time <= 3; time++) {
      const pid = await anotherGpuProcess(inside, killed);
      killed.add(pid);
      // A process does not end while somebody looks inside.
      if (time === 3) await inside.close();
      process.kill(pid, "SIGKILL");
    }
    expect(await player.ended).toBe(76);
    expect(readBootRecord()).toMatchObject({ restarts: 1, running: false, lastTrouble: "gpu" });

    const next = start();
    const insideNext = await lookInside(next);
    expect(await rendersInSoftware(insideNext)).toBe(true);
    await insideNext.close();
    const health = await eventually("its health", () => readHealth(rig.home));
    expect(health.recovery).toMatchObject({
      rendering: "software",
      restartsInARow: 1,
      lastTrouble: "gpu",
      safeMode: false,
    });
    expect(await next.stop()).toBe(0);
    expect(readBootRecord()).toMatchObject({ running: false });
  });

  it("blames a page in sight from the second time on, and goes on as it was", async () => {
    await plan("text/html");
    const player = start();
    const inside = await lookInside(player);
    const killed = new Set<number>();
    for (let time = 1; time <= 3; time++) {
      // Loaded anew after a loss, it is not to blame for another one before it is in sight again.
      if (time <= 2)
        await eventually("the page in sight", async () => (await pagesSeen(rig.home)) >= time || undefined);
      const pid = await anotherGpuProcess(inside, killed);
      killed.add(pid);
      // The second is blamed on the page, and two are borne.
      process.kill(pid, "SIGKILL");
    }
    const ending = () => endingsIn(player.stderr).get(ON_AIR);
    expect(await eventually("the end of the page", ending)).toBe("crashed");
    await inside.close();
    expect(await player.stop()).toBe(0);
  });

  it("ends with 75 after an error that nobody caught, and notes it", async () => {
    const player = start();
    const inside = await lookInside(player);
    await inside.ask('setTimeout(() => { throw new Error("nobody catches this"); }, 500);');
    await inside.close();
    expect(await player.ended).toBe(75);
    expect(readBootRecord()).toMatchObject({ restarts: 1, running: false, lastTrouble: "uncaught" });
  });

  it("starts in software where a run before found that there are no graphics, and plays at once", async () => {
    leave({ ...withoutGraphics(NEW_BOOT_RECORD, Date.now()), bootId: bootId() });
    const player = start();
    const inside = await lookInside(player);
    expect(await rendersInSoftware(inside)).toBe(true);
    await inside.close();
    await eventually("the first spot", async () => (await rig.emulator.ledger())[0]);
  });

  it("shows house content before it plays after many restarts in a row, in safe mode, and can be stopped meanwhile", async () => {
    leave({ ...onStart(NEW_BOOT_RECORD, bootId(), Date.now()), restarts: 8 });
    const player = start();
    await eventually("its word", () => player.stderr.find((line) => line.includes("many restarts in a row")));
    expect(player.stderr.join("\n")).toMatch(/restartsInARow=9 .*holdMs=160000/);
    expect(await rig.emulator.ledger()).toEqual([]);
    expect(await player.stop()).toBe(0);
  });

  it("counts no start that ended while the display did not answer yet, and plays as soon as it does", async () => {
    const pid = rig.display.pid ?? 0;
    process.kill(pid, "SIGSTOP");
    try {
      const killed = rig.play(["--config", rig.configure()]);
      await eventually("its word", () => killed.stderr.find((line) => line.includes("to answer")));
      process.kill(killed.pid ?? 0, "SIGKILL");
      await killed.ended;
      expect(existsSync(bootRecordFile())).toBe(false);
      const player = rig.play(["--config", rig.configure()]);
      await eventually("its word", () => player.stderr.find((line) => line.includes("to answer")));
    } finally {
      process.kill(pid, "SIGCONT");
    }
    const health = await eventually("its health", () => readHealth(rig.home));
    expect(health.recovery).toMatchObject({ restartsInARow: 0, lastTrouble: null });
  });
});
