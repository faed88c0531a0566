import { readdir } from "node:fs/promises";
import { type Connector, cecAddressIn, type Reading } from "../../core/displays/panel.ts";
import type { Ran, Run } from "../run-program.ts";

/** What the X server says of its signal, by `xset q`; null where it has no DPMS, or it is not in use. */
export function readXset(text: string): Reading | null {
  const [, words = ""] = /^ {2}Monitor is (?:in )?(\w+)\s*$/m.exec(text) ?? [];
  // A signal alone does not say that a display is on.
  return ["Off", "Standby", "Suspend"].includes(words) ? { source: "x11", says: "off", words: `dpms ${words}` } : null;
}

/** An HDMI-CEC adapter (`/dev/cec0`), as `cec-ctl` (Debian: v4l-utils) tells of it. */
export interface CecAdapter {
  readonly device: string;
  /** The connector that it belongs to, as the kernel numbers cards and connectors, or null. */
  readonly connector: { readonly card: number; readonly id: number } | null;
  /** `1.0.0.0`, or null where nothing is connected. */
  readonly address: string | null;
  /** Whether it may send: it has an address among the devices on the cable. */
  readonly isConfigured: boolean;
}

const DEVICE = /^cec\d+$/;

/** The adapters of this machine, none where there are none or they may not be asked. */
export async function findCecAdapters(run: Run, folder = "/dev"): Promise<readonly CecAdapter[]> {
  const names = await readdir(folder).catch(() => []);
  const adapters: CecAdapter[] = [];
  for (const name of names.filter((one) => DEVICE.test(one)).slice(0, MOST_ADAPTERS)) {
    const device = `${folder}/${name}`;
    const ran = await run("cec-ctl", ["--device", device]);
    if (ran.kind === "ran") adapters.push(readCecAdapter(device, ran.output));
  }
  return adapters;
}

/** As many as a PC has outputs. */
const MOST_ADAPTERS = 16;

/** What `cec-ctl` writes of an adapter. */
export function readCecAdapter(device: string, text: string): CecAdapter {
  const [, card, id] = /^\s*DRM Connector Info\s*: card (\d+), connector (\d+)/m.exec(text) ?? [];
  const [, address = NOWHERE] = /^\s*Physical Address\s*: ([0-9a-f](?:\.[0-9a-f]){3})/m.exec(text) ?? [];
  const [, mask = "0x0000"] = /^\s*Logical Address Mask\s*: (0x[0-9a-f]{4})/m.exec(text) ?? [];
  return {
    device,
    connector: card === undefined ? null : { card: Number(card), id: Number(id) },
    address: address === NOWHERE ? null : address,
    isConfigured: Number(mask) !== 0,
  };
}

const NOWHERE = "f.f.f.f";

/**
 * The adapter that leads to a connector's display, or null where that is not certain: the kernel says so, or the display's
 * EDID gives it its address, and there is no other display and no other adapter of that address.
 */
export function cecAdapterOf(
  connector: Connector,
  connectors: readonly Connector[],
  adapters: readonly CecAdapter[],
): CecAdapter | null {
  const told = adapters.find((one) => one.connector?.card === connector.card && one.connector.id === connector.id);
  if (told !== undefined) return told;
  const address = cecAddressIn(connector.edid);
  const alike = adapters.filter((one) => one.address === address);
  const isAlone = connectors.filter(({ edid }) => cecAddressIn(edid) === address).length === 1;
  const [only, ...others] = alike;
  if (address === null || only === undefined || others.length > 0 || !isAlone) return null;
  // The kernel may number connectors for the adapter, and not tell their numbers otherwise.
  return connector.id === null || only.connector === null ? only : null;
}

/** Asks the television at the other end of the cable; null where it does not answer, or is between on and off. */
export async function askCec(run: Run, adapter: CecAdapter): Promise<Reading | null> {
  await configure(run, adapter);
  const ran = await run("cec-ctl", [...to(adapter), "--give-device-power-status"]);
  return ran.kind === "ran" ? readCecPower(ran.output) : null;
}

/** What `cec-ctl` writes of an answer: `pwr-state: standby (0x01)`. */
export function readCecPower(text: string): Reading | null {
  const [, words = "", code] = /REPORT_POWER_STATUS \(0x90\):\s+pwr-state: (\S+) \(0x(\d\d)\)/.exec(text) ?? [];
  if (code === "00") return { source: "cec", says: "on", words };
  return code === "01" ? { source: "cec", says: "off", words } : null;
}

/** Some televisions take a standby only from what they show, so the player is shown first; to be on is to be shown, too. */
export async function switchCec(run: Run, adapter: CecAdapter, power: "on" | "off"): Promise<Ran> {
  await configure(run, adapter);
  const { address } = adapter;
  const shown = address === null ? [] : ["--active-source", `phys-addr=${address}`];
  if (power === "on") {
    const woken = await run("cec-ctl", [...to(adapter), "--image-view-on"]);
    return woken.kind === "ran" && address !== null ? run("cec-ctl", [...quietly(adapter), ...shown]) : woken;
  }
  if (address !== null) await run("cec-ctl", [...quietly(adapter), ...shown]);
  return run("cec-ctl", [...to(adapter), "--standby"]);
}

async function configure(run: Run, adapter: CecAdapter): Promise<void> {
  if (!adapter.isConfigured) await run("cec-ctl", [...quietly(adapter), "--playback"]);
}

function quietly({ device }: CecAdapter): readonly string[] {
  return ["--device", device, "--skip-info"];
}

/** The television's address among the devices on the cable is always 0. */
function to(adapter: CecAdapter): readonly string[] {
  return [...quietly(adapter), "--to", "0"];
}

/** Asks a monitor on an I2C bus by `ddcutil`; null where it does not answer, or does not know the question. */
export async function askDdc(run: Run, bus: number): Promise<Reading | null> {
  const ran = await run("ddcutil", ["getvcp", "d6", "--bus", String(bus), "--terse"]);
  return ran.kind === "ran" ? readDdcPower(ran.output) : null;
}

/** What `ddcutil` writes of an answer: `VCP D6 SNC x01`. Of its values 1 is on, and 2 to 5 are kinds of off. */
export function readDdcPower(text: string): Reading | null {
  const [, code = ""] = /^VCP D6 (?:SNC|CNC(?: x[0-9a-f]{2}){3}) x([0-9a-f]{2})\s*$/m.exec(text) ?? [];
  const words = `power mode x${code}`;
  if (code === "01") return { source: "ddc", says: "on", words };
  return ["02", "03", "04", "05"].includes(code) ? { source: "ddc", says: "off", words } : null;
}

/** Off is 4, from which an order wakes it: after 5, as by its own button, a monitor need not listen any more (MCCS, D6h). */
export function switchDdc(run: Run, bus: number, power: "on" | "off"): Promise<Ran> {
  return run("ddcutil", ["setvcp", "d6", power === "on" ? "1" : "4", "--bus", String(bus), "--noverify"]);
}
