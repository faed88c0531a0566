import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CAUSES, type Cause } from "./causes.ts";
import { falseAlarms, judge } from "./judge.ts";
import type { AlertSeen } from "./monitoring/watch.ts";
import { readOptions } from "./options.ts";
import { causesOf } from "./run.ts";

const MINUTE_MS = 60_000;
const BROKEN_AT = 1_000_000;

const cause: Cause = {
  name: "portal",
  what: "a portal",
  alert: "SpotloopPortal",
  dueMinutes: 5,
  silenced: ["SpotloopScreenDark"],
  besides: ["SpotloopClockOff"],
  breakDown: async () => {},
};

/** An alert of the broken kiosk, by the minutes after which it fired, was told, and was held back. */
function seen(alert: string, fired: number | null, told: number | null, silenced: number | null = null): AlertSeen {
  const at = (minutes: number | null) => (minutes === null ? null : BROKEN_AT + minutes * MINUTE_MS);
  return { alert, kiosk: "portal", firedAt: at(fired), toldAt: at(told), silencedAt: at(silenced) };
}

const asItShould = [
  seen("SpotloopPortal", 6, 7),
  seen("SpotloopScreenDark", 15, null, 15),
  seen("SpotloopClockOff", 15, 16),
];

function complaints(...alerts: readonly AlertSeen[]): readonly string[] {
  return judge({ cause, brokenAt: BROKEN_AT }, alerts, 1).complaints;
}

describe("the judge of a fleet", () => {
  it("is content with an alert that fires in its time, and with what was to follow", () => {
    const outcome = judge({ cause, brokenAt: BROKEN_AT }, asItShould, 1);
    expect(outcome).toMatchObject({ firedAfter: 6, toldAfter: 7, complaints: [] });
    expect(outcome).toMatchObject({ silenced: ["SpotloopScreenDark"], besides: ["SpotloopClockOff"] });
  });

  const [, ...others] = asItShould;

  it.each([
    ["does not fire", [], "SpotloopPortal did not fire"],
    ["fires and is told to nobody", [seen("SpotloopPortal", 6, null)], "SpotloopPortal fired, and nobody was told"],
    ["fires before anything can be known", [seen("SpotloopPortal", 2, 3)], "fired before its 5 minutes"],
    ["fires long after its time", [seen("SpotloopPortal", 10.4, 12)], "SpotloopPortal fired late"],
  ])("complains where the alert %s", (_, alerts, complaint) => {
    expect(complaints(...others, ...alerts)).toEqual([expect.stringContaining(complaint)]);
  });

  it("has patience with a machine that holds a fast fleet up", () => {
    const portal = seen("SpotloopPortal", 17, 18);
    const late = (speed: number) => judge({ cause, brokenAt: BROKEN_AT }, [portal, ...others], speed).complaints;
    expect([late(24), late(20)]).toEqual([[], ["SpotloopPortal fired late"]]);
  });

  it("complains of an alert that has no reason, told or not", () => {
    expect(complaints(...asItShould, seen("SpotloopDiskFull", 9, null))).toEqual([
      "SpotloopDiskFull fired without a reason",
    ]);
  });

  it("complains where what only follows is told as well", () => {
    const [portal, , clock] = asItShould as [AlertSeen, AlertSeen, AlertSeen];
    const dark = seen("SpotloopScreenDark", 15, 16);
    expect(complaints(portal, dark, clock)).toEqual(["SpotloopScreenDark was told, though it only follows"]);
  });

  it("complains where another alert was to be told besides", () => {
    expect(complaints(...asItShould.slice(0, 2))).toEqual(["SpotloopClockOff was not told"]);
  });

  it("complains of any alert where there must be none", () => {
    const { alert: _, silenced: __, besides: ___, ...rest } = cause;
    const outcome = judge({ cause: { ...rest, alert: null }, brokenAt: BROKEN_AT }, [seen("SpotloopPortal", 6, 7)], 1);
    expect(outcome.complaints).toEqual(["SpotloopPortal fired without a reason"]);
  });

  it("calls an alert of a kiosk that is well a false alarm", () => {
    expect(falseAlarms(asItShould.slice(0, 1), (kiosk) => kiosk === "portal")).toEqual([
      "SpotloopPortal of portal, which is well",
    ]);
    expect(falseAlarms(asItShould, () => false)).toEqual([]);
  });
});

describe("the causes of a fleet", () => {
  const rules = readFileSync(join(import.meta.dirname, "../../assets/monitoring/spotloop.rules.yml"), "utf8");
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);

  it("are there for each alert that the rules have, and for no other", () => {
    const named = new Set(CAUSES.flatMap(({ alert }) => alert ?? []));
    expect([...named].sort()).toEqual([...alerts].sort());
    const followers = CAUSES.flatMap(({ silenced = [], besides = [] }) => [...silenced, ...besides]);
    expect(followers.filter((name) => !alerts.includes(name))).toEqual([]);
  });

  it("of the short form are one for each alert that is due within the hour", () => {
    const later = ["SpotloopSoftwareRendering", "SpotloopOverridden"];
    const named = causesOf({ isQuick: true, onlyWell: false, causes: null }).map(({ alert }) => alert);
    expect([...named].sort()).toEqual(alerts.filter((name) => !later.includes(name)).sort());
  });
});

describe("the options of a fleet", () => {
  const read = (...args: string[]) => readOptions(args, "/here");

  it("are fifty players at 24 times the pace by default, and true durations where they are asked for", () => {
    expect(read()).toMatchObject({ players: 50, speed: 24, isQuick: false, wellMinutes: 30, onlyWell: false });
    expect(read("--true-durations")).toMatchObject({ speed: 1 });
    expect(read("--quick", "--json", "out.json")).toMatchObject({ players: 12, isQuick: true, json: "/here/out.json" });
  });

  it("leave room for each cause, and one player that is well", () => {
    const least = (...args: string[]) => causesOf(read(...args)).length + 1;
    expect([least(), least("--only-well"), least("--causes", "portal,killed")]).toEqual([CAUSES.length + 1, 1, 3]);
    for (const args of [[], ["--quick"], ["--causes", "portal,killed"]]) {
      expect(read(...args, "--players", String(least(...args)))).toMatchObject({ players: least(...args) });
      expect(() => read(...args, "--players", String(least(...args) - 1))).toThrow("--players cannot be");
      expect(read(...args).players).toBeGreaterThanOrEqual(least(...args));
    }
  });

  it.each([
    [["--speed", "0"], "--speed cannot be 0"],
    [["--speed", "1.5"], "--speed cannot be 1.5"],
    [["--true-durations", "--speed", "2"], "True durations have no --speed"],
    [["--causes", "portal,gremlins"], "There is no cause gremlins; there are paints-nothing, "],
    [["--copies", "20"], "Only players that stay well"],
    [["--well", "soon"], "--well cannot be soon"],
    [["--plyers", "5"], "Unknown option '--plyers'"],
  ])("that make no sense are refused with how it is meant: %j", (args, why) => {
    expect(() => read(...args)).toThrow(why);
    expect(() => read(...args)).toThrow("npm run fleet --");
  });
});
