import { describe, expect, it } from "vitest";
import {
  againMs,
  type Connector,
  cecAddressIn,
  connectorOf,
  connectorReading,
  isLit,
  obedience,
  type Reading,
  truthOf,
  truthText,
  WARM_UP_MS,
  wantedPower,
} from "../../../src/core/displays/panel.ts";

const cecOn: Reading = { source: "cec", says: "on", words: "on" };
const ddcOn: Reading = { source: "ddc", says: "on", words: "power mode x01" };
const drmOff: Reading = { source: "drm", says: "off", words: "dpms Off" };

describe("what is known of a display", () => {
  it("is nothing where nothing says anything", () => {
    expect(truthOf([])).toEqual({ state: "unknown", by: [] });
    expect(truthText(truthOf([]))).toBe("unknown");
  });

  it("is that it is on where something says so, and nothing that it is off", () => {
    expect(truthOf([cecOn, ddcOn])).toEqual({ state: "on", by: [cecOn, ddcOn] });
    expect(truthText(truthOf([cecOn]))).toBe("on: cec says on");
  });

  it("is that it is off where one source says so, whatever the others say and in whatever order", () => {
    const truth = { state: "off", by: [drmOff] };
    expect([truthOf([cecOn, drmOff]), truthOf([drmOff, cecOn, ddcOn])]).toEqual([truth, truth]);
    expect(truthText(truthOf([cecOn, drmOff]))).toBe("off: drm says dpms Off");
  });
});

/** 128 bytes that begin as an EDID does, and end in a serial number. */
const edid = (serial: string) => `00ffffffffffff00${serial.padEnd(240, "0")}`;
const hdmi: Connector = {
  ...{ name: "HDMI-A-1", card: 0, id: 32, bus: 4, edid: edid("1") },
  ...{ status: "connected", enabled: "enabled", dpms: "On" },
};
const second: Connector = { ...hdmi, name: "HDMI-A-2", id: 41, edid: edid("2") };

describe("a connector", () => {
  it("that sends a picture says nothing of the display, which may be on standby", () => {
    expect([isLit(hdmi), connectorReading(hdmi)]).toEqual([true, null]);
  });

  it.each([
    [{ status: "disconnected", enabled: "disabled", dpms: "Off" }, "disconnected"],
    [{ dpms: "Off" }, "dpms Off"],
    [{ dpms: "Standby" }, "dpms Standby"],
    [{ dpms: "Suspend" }, "dpms Suspend"],
    [{ enabled: "disabled" }, "disabled"],
  ])("of %o says that the display is off", (changes, words) => {
    expect(connectorReading({ ...hdmi, ...changes })).toEqual({ source: "drm", says: "off", words });
  });

  it.each([
    { status: null, enabled: null, dpms: null },
    { status: "unknown", enabled: "disabled" },
  ])("of %o says nothing", (changes) => {
    const connector = { ...hdmi, ...changes };
    expect([isLit(connector), connectorReading(connector)]).toEqual([false, null]);
  });
});

describe("the connector of a display", () => {
  const of = (name: string, told: string, ...connectors: Connector[]) =>
    connectorOf({ name, edid: told }, connectors)?.name ?? null;

  it("is the one with the same EDID, whatever the session calls it", () => {
    expect(of("DFP-3", edid("2"), hdmi, second)).toBe("HDMI-A-2");
  });

  it("may tell more of the EDID than the session, or less", () => {
    const longer = { ...hdmi, edid: `${hdmi.edid}0203` };
    expect([of("DFP-1", edid("1"), longer, second), of("DFP-1", longer.edid, hdmi, second)]).toEqual([
      "HDMI-A-1",
      "HDMI-A-1",
    ]);
  });

  it("is among those of the same EDID the one of the name, as X11 or Wayland have it", () => {
    const twin = { ...second, edid: hdmi.edid };
    expect([of("HDMI-2", edid("1"), hdmi, twin), of("HDMI-A-1", edid("1"), hdmi, twin)]).toEqual([
      "HDMI-A-2",
      "HDMI-A-1",
    ]);
    expect(of("HDMI-3", edid("1"), hdmi, twin)).toBeNull();
  });

  it("is the one of the name where the session tells no EDID, or nothing is connected to it any more", () => {
    const gone = { ...hdmi, edid: "", status: "disconnected" };
    expect([of("HDMI-A-2", "", hdmi, second), of("HDMI-1", edid("1"), gone, second)]).toEqual(["HDMI-A-2", "HDMI-A-1"]);
  });

  it("is not known where the name leads to another display, to none, or to those of two cards", () => {
    expect(of("HDMI-1", edid("9"), hdmi, second)).toBeNull();
    expect(of("screen", "", hdmi, second)).toBeNull();
    expect(of("HDMI-1", "", hdmi, { ...second, card: 1, name: "HDMI-A-1" })).toBeNull();
  });
});

describe("the HDMI address in an EDID", () => {
  /** A CEA extension with a video block of two bytes before the vendor block. */
  const extension = "02030c00".concat("4210 04", "65 030c00 2000").replaceAll(" ", "").padEnd(256, "0");

  it("is that of the vendor block", () => {
    expect(cecAddressIn(edid("1") + extension)).toBe("2.0.0.0");
  });

  it("is not there without one, and never beyond what there is", () => {
    expect([cecAddressIn(""), cecAddressIn(edid("1")), cecAddressIn(edid("1") + "0203ff00".padEnd(256, "f"))]).toEqual([
      null,
      null,
      null,
    ]);
    expect(cecAddressIn(edid("1") + extension.replace("65030c00", "65d85dc4"))).toBeNull();
  });
});

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
