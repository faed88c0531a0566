import { describe, expect, it } from "vitest";
import { againMs, obedience, WARM_UP_MS, wantedPower } from "../../src/core/panel-power.ts";

describe("a screen's display", () => {
  const closed = { blanked: true, suspendReasons: ["closed"], opensAt: 100_000 } as const;

  it("is to be on while there is something to see, whatever is said of opening", () => {
    expect(wantedPower({ ...closed, blanked: false }, 0)).toBe("on");
  });

  it("is to be off while the screen is black, until a while before opening", () => {
    const at = (now: number) => wantedPower(closed, now);
    expect([at(0), at(100_000 - WARM_UP_MS - 1), at(100_000 - WARM_UP_MS), at(100_000)]).toEqual([
      ...["off", "off", "on", "on"],
    ]);
    expect(wantedPower({ ...closed, opensAt: null }, 1e9)).toBe("off");
  });

  it("stays off before opening where the operator has switched it off", () => {
    expect(wantedPower({ ...closed, suspendReasons: ["closed", "switched-off"] }, 100_000)).toBe("off");
  });

  it.each([
    ["on", "on", "obeys"],
    ["off", "off", "obeys"],
    ["on", "off", "disobeys"],
    ["off", "on", "disobeys"],
    ["on", "unknown", "unchecked"],
    ["off", "unknown", "unchecked"],
  ] as const)("that is to be %s and is %s %s", (wanted, state, outcome) => {
    expect(obedience(wanted, state)).toBe(outcome);
  });

  it("is ordered again ever more seldom, and every ten minutes in the end", () => {
    expect([1, 2, 3, 6, 7, 50].map(againMs)).toEqual([10_000, 20_000, 40_000, 320_000, 600_000, 600_000]);
  });
});
