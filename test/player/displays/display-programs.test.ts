import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Connector } from "../../../src/core/displays/panel.ts";
import {
  cecAdapterOf,
  readCecAdapter,
  readCecPower,
  readDdcPower,
  readXset,
  switchCec,
} from "../../../src/player/displays/display-programs.ts";
import { readConnectors } from "../../../src/player/displays/display-survey.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

/** As cec-ctl 1.22 (Debian 12) and later write it. */
const ADAPTER = `Driver Info:
	Driver Name                : vc4_hdmi
	Adapter Name               : vc4
	Capabilities               : 0x0000010e
		Logical Addresses
		Transmit
		Passthrough
	Driver version             : 6.1.0
	Available Logical Addresses: 1
	DRM Connector Info         : card 0, connector 32
	Physical Address           : 1.0.0.0
	Logical Address Mask       : 0x0010
	CEC Version                : 2.0
	OSD Name                   : 'Playback'
`;
const ANSWER = (state: string) => `
Transmit from Playback Device 1 to TV (4 to 0):
GIVE_DEVICE_POWER_STATUS (0x8f)
    Received from TV (0):
    REPORT_POWER_STATUS (0x90):
	pwr-state: ${state}
`;
const UNANSWERED = `
Transmit from Playback Device 1 to TV (4 to 0):
GIVE_DEVICE_POWER_STATUS (0x8f)
	Tx, Not Acknowledged (4), Max Retries
`;
const REFUSED = ANSWER("").replace("REPORT_POWER_STATUS (0x90):", "FEATURE_ABORT (0x00):\n\tabort-msg: 143 (0x8f)");

describe("cec-ctl", () => {
  it.each([
    ["on (0x00)", { source: "cec", says: "on", words: "on" }],
    ["standby (0x01)", { source: "cec", says: "off", words: "standby" }],
    ["to-on (0x02)", null],
    ["to-standby (0x03)", null],
  ])("that has %s of a television is believed where that is on or standby", (state, reading) => {
    expect(readCecPower(ANSWER(state))).toEqual(reading);
  });

  it.each([UNANSWERED, REFUSED, "", "pwr-state: on (0x00)"])("says nothing by %j", (text) => {
    expect(readCecPower(text)).toBeNull();
  });

  it("tells which connector an adapter belongs to, its address, and whether it may send", () => {
    expect(readCecAdapter("/dev/cec0", ADAPTER)).toEqual({
      ...{ device: "/dev/cec0", connector: { card: 0, id: 32 }, address: "1.0.0.0", isConfigured: true },
    });
    const unplugged = ADAPTER.replace("1.0.0.0", "f.f.f.f")
      .replace("0x0010", "0x0000")
      .replace(/.*DRM.*\n/, "");
    expect(readCecAdapter("/dev/cec1", unplugged)).toEqual({
      ...{ device: "/dev/cec1", connector: null, address: null, isConfigured: false },
    });
  });

  it("makes the adapter a player first, and shows it before it sends a television to standby", async () => {
    const orders: string[] = [];
    const run = async (program: string, args: readonly string[]) => {
      orders.push([program, ...args].join(" ").replace("--device /dev/cec0 --skip-info", "…"));
      return { kind: "ran", output: "" } as const;
    };
    const adapter = { device: "/dev/cec0", connector: null, address: "1.0.0.0", isConfigured: false };
    await switchCec(run, adapter, "off");
    expect(orders.splice(0)).toEqual([
      "cec-ctl … --playback",
      "cec-ctl … --active-source phys-addr=1.0.0.0",
      "cec-ctl … --to 0 --standby",
    ]);
    await switchCec(run, { ...adapter, isConfigured: true }, "on");
    expect(orders).toEqual(["cec-ctl … --to 0 --image-view-on", "cec-ctl … --active-source phys-addr=1.0.0.0"]);
  });
});

describe("the CEC adapter of a connector", () => {
  /** An EDID with 1.0.0.0 in its HDMI vendor block. */
  const EDID = "00ffffffffffff00".padEnd(256, "0") + "02030900".concat("65030c001000").padEnd(256, "0");
  const hdmi: Connector = {
    ...{ name: "HDMI-A-1", card: 0, id: 32, bus: null, edid: EDID },
    ...{ status: "connected", enabled: "enabled", dpms: "On" },
  };
  const other: Connector = { ...hdmi, name: "HDMI-A-2", id: 41 };
  const adapter = readCecAdapter("/dev/cec0", ADAPTER);
  const unnamed = { ...adapter, connector: null };

  it("is the one that the kernel says, though another display gives the same address", () => {
    const second = { ...adapter, device: "/dev/cec1", connector: { card: 0, id: 41 } };
    const of = (connector: Connector) => cecAdapterOf(connector, [hdmi, other], [adapter, second])?.device;
    expect([of(hdmi), of(other)]).toEqual(["/dev/cec0", "/dev/cec1"]);
  });

  it("goes by the address in the EDID where the kernel does not say, and only one display has it", () => {
    expect(cecAdapterOf(hdmi, [hdmi], [unnamed])?.device).toBe("/dev/cec0");
    expect(cecAdapterOf({ ...hdmi, id: null }, [{ ...hdmi, id: null }], [adapter])?.device).toBe("/dev/cec0");
  });

  it("is not known where two displays or two adapters have the address, or the kernel names another connector", () => {
    expect(cecAdapterOf(hdmi, [hdmi, other], [unnamed])).toBeNull();
    expect(cecAdapterOf(hdmi, [hdmi], [unnamed, { ...unnamed, device: "/dev/cec1" }])).toBeNull();
    expect(cecAdapterOf({ ...hdmi, id: 99 }, [{ ...hdmi, id: 99 }], [adapter])).toBeNull();
    expect(cecAdapterOf({ ...hdmi, edid: "" }, [{ ...hdmi, edid: "" }], [{ ...unnamed, address: null }])).toBeNull();
  });
});

describe("ddcutil", () => {
  it.each([
    ["VCP D6 SNC x01\n", "on"],
    ["VCP D6 SNC x02\n", "off"],
    ["VCP D6 SNC x04\n", "off"],
    ["VCP D6 SNC x05\n", "off"],
    ["VCP D6 CNC x00 x05 x00 x01\n", "on"],
    ["VCP D6 SNC x00\n", undefined],
    ["VCP D6 ERR\n", undefined],
    ["Display not found\n", undefined],
    ["VCP 60 SNC x01\n", undefined],
    ["", undefined],
  ])("with %j says %s", (text, says) => {
    expect(readDdcPower(text)?.says).toBe(says);
  });
});

describe("xset", () => {
  const said = (line: string) =>
    `DPMS (Energy Star):\n  Standby: 600    Suspend: 600    Off: 600\n  DPMS is Enabled\n  ${line}\n`;

  it.each(["Monitor is Off", "Monitor is in Standby", "Monitor is in Suspend"])("with %j says off", (line) => {
    expect(readXset(said(line))).toMatchObject({ source: "x11", says: "off" });
  });

  it.each([
    said("Monitor is On"),
    "DPMS (Energy Star):\n  DPMS is Disabled\n",
    "DPMS (Energy Star):\n  Server does not have the DPMS Extension\n",
  ])("with %j says nothing: a signal is no light", (text) => {
    expect(readXset(text)).toBeNull();
  });
});

describe("the kernel's connectors", () => {
  it.skipIf(process.platform === "win32")(
    "are read from their folders, with the bus below or beside them; what is none is left alone",
    async () => {
      const folder = temporaryFolder();
      const connector = (name: string, files: Readonly<Record<string, string | Buffer>>) => {
        mkdirSync(join(folder, name));
        for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
        return join(folder, name);
      };
      const lit = { status: "connected\n", enabled: "enabled\n", dpms: "On\n" };
      const hdmi = connector("card1-HDMI-A-1", { ...lit, edid: Buffer.from([0, 255, 1]), connector_id: "77\n" });
      symlinkSync("../../../i2c-11", join(hdmi, "ddc"));
      mkdirSync(join(connector("card0-DP-2", { status: "disconnected\n", edid: "" }), "i2c-6"));
      connector("card0-Writeback-1", lit);
      connector("renderD128", {});
      writeFileSync(join(folder, "version"), "drm 1.1.0");
      const found = await readConnectors(folder);
      expect([...found].sort((one, two) => one.card - two.card)).toEqual([
        {
          ...{ name: "DP-2", card: 0, id: null, status: "disconnected", enabled: null, dpms: null, edid: "", bus: 6 },
        },
        {
          ...{ name: "HDMI-A-1", card: 1, id: 77, status: "connected", enabled: "enabled", dpms: "On" },
          ...{ edid: "00ff01", bus: 11 },
        },
      ]);
    },
  );

  it("that are known are read again only where their status is another", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "card0-DP-1");
    mkdirSync(path);
    const write = (file: string, text: string) => writeFileSync(join(path, file), text);
    for (const [file, text] of Object.entries({ status: "connected", dpms: "On", edid: "a" })) write(file, text);
    const known = await readConnectors(folder);
    write("edid", "b");
    write("dpms", "Off");
    expect(await readConnectors(folder, known)).toMatchObject([{ edid: "61", dpms: "Off" }]);
    expect(await readConnectors(folder)).toMatchObject([{ edid: "62" }]);
    write("status", "disconnected");
    expect(await readConnectors(folder, known)).toMatchObject([{ edid: "62", status: "disconnected" }]);
  });

  it("are none where there is no such folder", async () => {
    expect(await readConnectors(join(temporaryFolder(), "drm"))).toEqual([]);
  });
});
