import { describe, expect, it } from "vitest";
import {
  type BootRecord,
  type Fault,
  type GraphicsSuspects,
  isPlanOver,
  isRenewalDue,
  NEW_BOOT_RECORD,
  NO_SUSPECTS,
  onEnd,
  onFault,
  onHealthy,
  onStart,
  QUIET_HOUR,
  remedyFor,
  SAFE_AFTER_RESTARTS,
  SOFTWARE_MS,
  SUSPECTED_FOR_MS,
  startPlan,
  suspect,
  TOGETHER_MS,
  withoutGraphics,
} from "../../src/core/recovery.ts";

const BOOT = "boot-1";
const NOW = 1_000_000_000;

function afterCrashes(count: number): BootRecord {
  return Array.from({ length: count }).reduce<BootRecord>(
    (before) => onStart(before, BOOT, NOW),
    onStart(NEW_BOOT_RECORD, BOOT, NOW),
  );
}

function several(fault: Fault, ...instants: number[]) {
  return instants.map((at) => ({ fault, at }));
}

describe("what goes wrong in a run", () => {
  it.each([
    ["gpu", 3, "hardware", "restart-in-software"],
    ["gpu", 3, "software", "restart"],
    ["network", 5, "hardware", "restart"],
    ["slate", 5, "hardware", "restart"],
    ["dark", 1, "hardware", "restart"],
    ["uncaught", 1, "software", "restart"],
  ] as const)("%s leads to a restart with number %i in %s: %s", (fault, number, rendering, remedy) => {
    const incidents = several(fault, ...Array.from({ length: number }, (_, index) => index));
    expect(remedyFor(incidents, rendering)).toBe(remedy);
    expect(remedyFor(incidents.slice(1), rendering)).toBe("tolerate");
  });

  it("is not added up over hours, nor with what is of another kind", () => {
    expect(remedyFor(several("gpu", 0, 1, 1 + TOGETHER_MS + 1), "hardware")).toBe("tolerate");
    expect(remedyFor([...several("network", 0, 1, 2, 3), ...several("gpu", 4)], "hardware")).toBe("tolerate");
  });
});

describe("a start", () => {
  it("is an ordinary one after no faults", () => {
    const plan = { rendering: "hardware", safe: false, holdMs: 0 };
    expect(startPlan(NEW_BOOT_RECORD, BOOT, NOW)).toEqual(plan);
    expect(startPlan(onEnd(onStart(NEW_BOOT_RECORD, BOOT, NOW)), BOOT, NOW)).toEqual(plan);
  });

  it("shows the slate first from the fourth restart in a row, ever longer, five minutes at most", () => {
    const holds = Array.from({ length: 12 }, (_, crashes) => startPlan(afterCrashes(crashes), BOOT, NOW).holdMs / 1000);
    expect(holds).toEqual([0, 0, 0, 5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it("counts runs that crashed and runs that ended because of a fault alike", () => {
    const crashed = onStart(onStart(NEW_BOOT_RECORD, BOOT, NOW), BOOT, NOW);
    expect(crashed).toMatchObject({ restarts: 1, lastTrouble: "crashed" });
    const failed = onStart(onFault(crashed, "dark", "restart", NOW), BOOT, NOW);
    expect(failed).toMatchObject({ restarts: 2, lastTrouble: "dark" });
  });

  it("is in safe mode after several restarts in a row, and never given up", () => {
    const safe = Array.from({ length: 100 }, (_, crashes) => startPlan(afterCrashes(crashes), BOOT, NOW).safe);
    expect(safe.indexOf(true)).toBe(SAFE_AFTER_RESTARTS - 1);
    expect(safe.lastIndexOf(false)).toBe(SAFE_AFTER_RESTARTS - 2);
  });

  it("in safe mode is made up for after a day of health", () => {
    const before = afterCrashes(SAFE_AFTER_RESTARTS);
    const [plan, ill] = [startPlan(before, BOOT, NOW), onStart(before, BOOT, NOW)];
    expect(plan.safe).toBe(true);
    expect(isPlanOver(plan, ill, SOFTWARE_MS, NOW + SOFTWARE_MS)).toBe(false);
    expect(isPlanOver(plan, onHealthy(ill), SOFTWARE_MS - 1, NOW + SOFTWARE_MS)).toBe(false);
    expect(isPlanOver(plan, onHealthy(ill), SOFTWARE_MS, NOW + SOFTWARE_MS)).toBe(true);
  });

  it("forgets restarts once a run was healthy, and with the machine's own start", () => {
    expect(startPlan(onEnd(onHealthy(afterCrashes(9))), BOOT, NOW)).toMatchObject({ safe: false, holdMs: 0 });
    expect(startPlan(afterCrashes(9), "boot-2", NOW)).toMatchObject({ safe: false, holdMs: 0 });
  });
});

describe("software rendering", () => {
  const failed = onFault(onStart(NEW_BOOT_RECORD, BOOT, NOW), "gpu", "restart-in-software", NOW);

  it("is remembered for a day, over restarts, healthy runs and the machine's own start", () => {
    const later = onEnd(onHealthy(onStart(failed, BOOT, NOW)));
    for (const boot of [BOOT, "boot-2"]) {
      expect(startPlan(later, boot, NOW + SOFTWARE_MS - 1).rendering).toBe("software");
      expect(startPlan(later, boot, NOW + SOFTWARE_MS).rendering).toBe("hardware");
    }
  });

  it("is remembered without a restart where graphics never worked", () => {
    const record = onEnd(withoutGraphics(onStart(NEW_BOOT_RECORD, BOOT, NOW), NOW));
    expect(startPlan(record, BOOT, NOW)).toEqual({ rendering: "software", safe: false, holdMs: 0 });
  });

  it("does not last as long as its run: after a day that would begin with its graphics", () => {
    const record = onHealthy(onStart(failed, BOOT, NOW));
    const plan = startPlan(failed, BOOT, NOW);
    expect(isPlanOver(plan, record, SOFTWARE_MS - 1, NOW + SOFTWARE_MS)).toBe(false);
    expect(isPlanOver(plan, record, SOFTWARE_MS, NOW + SOFTWARE_MS - 1)).toBe(false);
    expect(isPlanOver(plan, record, SOFTWARE_MS, NOW + SOFTWARE_MS)).toBe(true);
    const tried = startPlan(onEnd(record), BOOT, NOW + SOFTWARE_MS);
    expect(isPlanOver(tried, withoutGraphics(record, NOW), SOFTWARE_MS, NOW + SOFTWARE_MS - 1)).toBe(false);
  });

  it("is not kept for longer by a clock that was set back", () => {
    expect(startPlan(failed, BOOT, NOW - 1).rendering).toBe("hardware");
  });
});

function blamedAmong(losses: readonly (readonly [page: string, at: number])[]): readonly boolean[] {
  let suspects: GraphicsSuspects = NO_SUSPECTS;
  return losses.map(([page, at]) => {
    const [next, isBlamed] = suspect(suspects, page, at);
    suspects = next;
    return isBlamed;
  });
}

describe("a visible page when the GPU process ends", () => {
  it("is blamed from the second time on", () => {
    expect(
      blamedAmong([
        ["a", 0],
        ["a", 60_000],
        ["a", 120_000],
      ]),
    ).toEqual([false, true, true]);
  });

  it("is not blamed for what happened under another", () => {
    expect(
      blamedAmong([
        ["a", 0],
        ["b", 1],
        ["c", 2],
        ["b", 3],
      ]),
    ).toEqual([false, false, false, true]);
  });

  it("is not blamed for what happened a day before", () => {
    expect(
      blamedAmong([
        ["a", 0],
        ["a", SUSPECTED_FOR_MS],
      ]),
    ).toEqual([false, false]);
  });

  it("is remembered among many, but not among any number", () => {
    const others = Array.from({ length: 100 }, (_, index) => [`other-${index}`, index] as const);
    expect(blamedAmong([...others.slice(0, 50), ["a", 50], ...others.slice(51, 80), ["a", 81]]).at(-1)).toBe(true);
    expect(blamedAmong([["a", 0], ...others, ["a", 200]]).at(-1)).toBe(false);
  });
});

describe("a run whose memory has grown", () => {
  const GB = 1024 ** 3;
  const playing = { bytes: GB / 2, machineBytes: 8 * GB, isIdle: false, hour: 12 };

  it.each([
    ["plays on through the day", playing, false],
    ["begins anew in the quiet hour", { ...playing, hour: QUIET_HOUR }, true],
    ["begins anew where that costs nothing", { ...playing, isIdle: true }, true],
    ["plays on in the quiet hour with less", { ...playing, hour: QUIET_HOUR, bytes: GB / 2 - 1 }, false],
    ["plays on while it is idle with less", { ...playing, isIdle: true, bytes: GB / 2 - 1 }, false],
    ["does not wait at twice as much", { ...playing, bytes: GB }, true],
    ["has less to itself on a small machine", { ...playing, machineBytes: 2 * GB }, true],
    [
      "has half of that before it is due at all",
      { ...playing, machineBytes: 2 * GB, bytes: GB / 4 - 1, isIdle: true },
      false,
    ],
    ["has no more to itself on a large one", { ...playing, machineBytes: 64 * GB, isIdle: true }, true],
  ])("%s", (_name, growth, isDue) => {
    expect(isRenewalDue(growth)).toBe(isDue);
  });
});
