import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type Fault, HEALTHY_AFTER_MS, PLAIN_START, SOFTWARE_MS } from "../../../src/core/recovery.ts";
import { planStart, Recovery } from "../../../src/main/recovery/recovery.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

let folder: string;
let clock: ManualClock;
beforeEach(() => {
  folder = temporaryFolder();
  clock = new ManualClock();
});

/** A run as `start.ts` begins it, and the codes that it asked to end with. */
function run(): { recovery: Recovery; codes: number[] } {
  const codes: number[] = [];
  return { recovery: new Recovery(folder, planStart(folder, clock), clock, (code) => codes.push(code)), codes };
}

function report(recovery: Recovery, fault: Fault, times: number): void {
  for (let time = 0; time < times; time++) recovery.reportFault(fault);
}

describe("recovery in a run", () => {
  it("asks for a restart in software when the GPU process goes once too often, once, and the next run does so", () => {
    const { recovery, codes } = run();
    report(recovery, "gpu", 2);
    expect(codes).toEqual([]);
    report(recovery, "gpu", 5);
    expect(codes).toEqual([76]);
    recovery.end();
    expect(run().recovery.report()).toMatchObject({ rendering: "software", restartsInARow: 1, lastTrouble: "gpu" });
  });

  it("tells of software rendering as soon as it knows that the machine has no graphics, for as long as the run lasts", async () => {
    const { recovery } = run();
    recovery.noteWithoutGraphics();
    await clock.advance(2 * SOFTWARE_MS);
    expect(recovery.report()).toMatchObject({ rendering: "software", restartsInARow: 0, lastTrouble: null });
  });

  it("asks for a plain restart for a fault that software rendering would not help", () => {
    const { recovery, codes } = run();
    recovery.reportFault("uncaught");
    expect(codes).toEqual([75]);
  });

  it("takes a run that did not note its end for a crash, and one that did for none", () => {
    run();
    const second = run();
    expect(second.recovery.report()).toMatchObject({ restartsInARow: 1, lastTrouble: "crashed" });
    second.recovery.end();
    expect(run().recovery.report()).toMatchObject({ restartsInARow: 1 });
  });

  it("forgets the restarts before it once it was healthy for a while", async () => {
    run();
    const { recovery } = run();
    await clock.advance(HEALTHY_AFTER_MS);
    expect(recovery.report()).toMatchObject({ restartsInARow: 0, lastTrouble: null });
    recovery.end();
    expect(planStart(folder, clock)).toEqual(PLAIN_START);
  });

  it.each(["", "{", "[]", '{"restarts":-1}', '{"bootId":"x","restarts":"many"}'])(
    "starts as if for the first time after a boot record that says %j",
    (text) => {
      writeFileSync(join(folder, "recovery.json"), text);
      expect(planStart(folder, clock)).toEqual(PLAIN_START);
      run();
      expect(JSON.parse(readFileSync(join(folder, "recovery.json"), "utf8"))).toMatchObject({ running: true });
    },
  );

  it("plays on, and restarts, where the boot record cannot be written", () => {
    const { recovery, codes } = run();
    rmSync(folder, { recursive: true });
    recovery.reportFault("dark");
    expect(codes).toEqual([75]);
  });
});
