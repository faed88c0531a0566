import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { type DisplayTruth, truthOf } from "../../../src/core/displays/panel.ts";
import type { DisplayEntry } from "../../../src/core/proofs/record.ts";
import { configFileSchema } from "../../../src/player/config/schema.ts";
import { displaySchema } from "../../../src/player/config/values.ts";
import { PanelPower, type PanelSwitch, panelSwitches } from "../../../src/player/displays/panel-power.ts";
import type { Ran } from "../../../src/player/run-program.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

type Power = "on" | "off";

let clock: ManualClock;
let wanted: Power;
/** When each order was given, in seconds, and which. */
let orders: (readonly [number, Power])[];
let entries: DisplayEntry[];
let warnings: string[];
/** What reading back brings. */
let state: DisplayTruth["state"];
let ran: Ran;
let look: () => Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  [wanted, orders, entries, warnings] = ["on", [], [], []];
  look = async () => {};
  [state, ran] = ["unknown", { kind: "ran", output: "" }];
});

function truth(): DisplayTruth {
  return truthOf(state === "unknown" ? [] : [{ source: "cec", says: state, words: state }]);
}

function opened(changes: Partial<PanelSwitch> = {}): PanelPower {
  const television: PanelSwitch = {
    ...{ method: "cec", screenIds: ["lobby"], isMeant: true, wanted: () => wanted },
    async order(power) {
      orders.push([clock.now() / 1_000, power]);
      return ran;
    },
    ...changes,
  };
  const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(JSON.parse(line).trouble) });
  return new PanelPower({
    ...{ switches: [television], clock, log, truthOf: truth, look: () => look() },
    note: (entry) => entries.push(entry),
  });
}

/** Lets a display that was switched on at the start be wanted off. */
async function closed(power: PanelPower): Promise<void> {
  power.follow();
  await clock.advance(60_000);
  orders = [];
  wanted = "off";
  power.follow();
  await clock.settle();
}

describe("a display that is switched", () => {
  it("is on at the start, and gets one order for each change", async () => {
    const power = opened();
    power.follow();
    power.follow();
    await clock.advance(3_600_000);
    expect(orders).toEqual([[0, "on"]]);
    wanted = "off";
    power.follow();
    power.follow();
    await clock.advance(3_600_000);
    expect(orders).toEqual([
      [0, "on"],
      [3_600, "off"],
    ]);
  });

  it("is left alone once it has obeyed, though somebody switches it otherwise then", async () => {
    const power = opened();
    state = "on";
    await closed(power);
    state = "off";
    await clock.advance(10_000);
    state = "on";
    await clock.advance(3_600_000);
    expect([orders.length, power.troubleOf("lobby"), warnings]).toEqual([1, null, []]);
  });

  it("is ordered again, ever more seldom, while it does not obey, and that is said once", async () => {
    const power = opened();
    state = "on";
    await closed(power);
    await clock.advance(3_600_000);
    const [first = 0] = orders[0] ?? [];
    expect(orders.slice(0, 4).map(([at]) => at - first)).toEqual([0, 14, 38, 82]);
    expect(orders.length).toBeLessThan(14);
    const trouble = "the display does not go off by cec: it is on: cec says on";
    expect([power.troubleOf("lobby"), warnings]).toEqual([trouble, [trouble]]);
    expect(entries).toEqual([{ type: "display", screenId: "lobby", switched: "off", state: "on" }]);

    state = "off";
    await clock.advance(700_000);
    expect(power.troubleOf("lobby")).toBeNull();
    const given = orders.length;
    await clock.advance(3_600_000);
    expect(orders).toHaveLength(given);
  });

  it("is not called disobedient for one reading that came too early", async () => {
    const power = opened();
    state = "on";
    await closed(power);
    await clock.advance(6_000);
    state = "off";
    await clock.advance(60_000);
    expect([orders.length, entries, warnings]).toEqual([2, [], []]);
  });

  it("is told nothing more of an order that was taken back meanwhile", async () => {
    const power = opened();
    state = "on";
    await closed(power);
    await clock.advance(120_000);
    wanted = "on";
    power.follow();
    await clock.settle();
    expect([orders.at(-1)?.[1], power.troubleOf("lobby")]).toEqual(["on", null]);
    const given = orders.length;
    await clock.advance(3_600_000);
    expect(orders).toHaveLength(given);
  });

  it("is on when the player ends, whatever it was", async () => {
    const power = opened();
    await closed(power);
    await power.release();
    expect(orders.map(([, order]) => order)).toEqual(["off", "on"]);
    wanted = "on";
    power.follow();
    await clock.advance(60_000);
    expect(orders).toHaveLength(2);
  });
});

it("does not wait for a reading that hangs when the player ends", async () => {
  look = () => new Promise(() => {});
  const power = opened();
  await closed(power);
  await clock.advance(10_000);
  await power.release();
  expect(orders.map(([, order]) => order)).toEqual(["off", "on"]);
});

describe("a display that nothing tells of", () => {
  it("is not called disobedient", async () => {
    const power = opened();
    await closed(power);
    await clock.advance(3_600_000);
    expect([orders.length, power.troubleOf("lobby"), entries]).toEqual([1, null, []]);
  });

  it("that cannot be switched as was asked for is a trouble that says why", async () => {
    ran = { kind: "failed", reason: "cec-ctl is not installed" };
    const power = opened();
    await closed(power);
    await clock.advance(60_000);
    expect(power.troubleOf("lobby")).toBe("the display does not go off by cec: cec-ctl is not installed");
    expect(entries.at(-1)).toMatchObject({ switched: "off", state: "unknown" });
  });

  it("that cannot be switched is none where nobody asked for that way", async () => {
    ran = { kind: "failed", reason: "xset is not installed" };
    const power = opened({ method: "dpms", isMeant: false });
    await closed(power);
    await clock.advance(3_600_000);
    expect([orders.length, power.troubleOf("lobby"), warnings]).toEqual([1, null, []]);
  });
});

describe("the displays of several screens", () => {
  const screens = (["dpms", "cec", "dpms", "ddc", "leave"] as const).map((method, index) => ({
    screenId: `${method}-${index}`,
    display: displaySchema.parse({ power: method }),
  }));
  const [respect, keep] = [{ openingHours: { respect: true } }, { openingHours: { respect: false } }];
  const remote = configFileSchema.shape.remote.parse(undefined);
  const lit = new Set<string>();
  const wantedOf = (screenId: string) => (lit.has(screenId) ? "on" : "off");
  const given: unknown[] = [];
  const order = async (...what: readonly unknown[]): Promise<Ran> => {
    given.push(what);
    return { kind: "ran", output: "" };
  };

  it("are switched each by itself, by DPMS together once all screens are black, and some not at all", async () => {
    const switches = panelSwitches({ screens, remote, ...respect }, wantedOf, order);
    expect(switches.map(({ method, screenIds }) => [method, ...screenIds])).toEqual([
      ["dpms", "dpms-0", "dpms-2"],
      ["cec", "cec-1"],
      ["ddc", "ddc-3"],
    ]);
    lit.add("leave-4").add("ddc-3");
    expect(switches.map((one) => one.wanted())).toEqual(["on", "off", "on"]);
    lit.clear();
    expect(switches.map((one) => one.wanted())).toEqual(["off", "off", "off"]);
    for (const one of switches) await one.order("off");
    expect(given).toEqual([
      ["dpms", null, "off"],
      ["cec", "cec-1", "off"],
      ["ddc", "ddc-3", "off"],
    ]);
  });

  it("are left alone where neither opening hours nor the operator can close a screen", () => {
    expect(panelSwitches({ screens, remote, ...keep }, wantedOf, order)).toEqual([]);
    const allowed = { ...remote, allow: ["display" as const] };
    expect(panelSwitches({ screens, remote: allowed, ...keep }, wantedOf, order)).toHaveLength(3);
  });
});
