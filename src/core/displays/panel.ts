import { type Backoff, backoffMs } from "../backoff.ts";
import type { SuspendReason } from "../loop/state.ts";
import type { Instant } from "../spot.ts";

/** Whether a display is lit: only what something has said is told, and nothing is guessed. */
export type PanelState = "on" | "off" | "unknown";

/**
 * Who tells of a display: the kernel of its connector, the X server of the signal, the display itself by CEC (HDMI-CEC 1.4,
 * `<Report Power Status>`) or by DDC/CI (VESA MCCS, feature D6h).
 */
export type TruthSource = "drm" | "x11" | "cec" | "ddc";

/** What one source says of a display with certainty; a source that cannot be certain says nothing. */
export interface Reading {
  readonly source: TruthSource;
  readonly says: "on" | "off";
  /** What it said, in its own words. */
  readonly words: string;
}

/** What is known of a display, and the readings by which it is. */
export interface DisplayTruth {
  readonly state: PanelState;
  readonly by: readonly Reading[];
}

/** One `off` goes before every `on`: a display that says it is on may have lost its signal. Without a reading it is unknown. */
export function truthOf(readings: readonly Reading[]): DisplayTruth {
  const off = readings.filter(({ says }) => says === "off");
  const by = off.length > 0 ? off : readings;
  return { state: by[0]?.says ?? "unknown", by };
}

/** A display's truth in one line: `off: drm says dpms Off`. */
export function truthText({ state, by }: DisplayTruth): string {
  const said = by.map(({ source, words }) => `${source} says ${words}`).join(", ");
  return said === "" ? state : `${state}: ${said}`;
}

/** A place for a cable, as the kernel tells of it (`/sys/class/drm/card0-HDMI-A-1`). */
export interface Connector {
  /** As the kernel names it: `HDMI-A-1`. */
  readonly name: string;
  /** The number of its graphics card. */
  readonly card: number;
  /** The kernel's number for it, or null where it does not tell. */
  readonly id: number | null;
  /** `connected`, `disconnected` or `unknown`; the others as the kernel writes them, or null where it does not. */
  readonly status: string | null;
  readonly enabled: string | null;
  readonly dpms: string | null;
  /** What the display says of itself, in hexadecimal; empty where there is none. */
  readonly edid: string;
  /** The number of the I2C bus that leads to the display, or null. */
  readonly bus: number | null;
}

/** Whether a connector sends a picture, as the kernel has it. */
export function isLit({ status, enabled, dpms }: Connector): boolean {
  return status === "connected" && enabled === "enabled" && dpms === "On";
}

/**
 * What the kernel knows of a connector. It can only be certain that a display is off: a display on standby keeps its cable
 * connected and takes a signal, so that a connector that is well says nothing. Of one that was never seen lit nothing is
 * certain: a driver that keeps its business from the kernel has all of its connectors dark.
 */
export function connectorReading({ status, enabled, dpms }: Connector): Reading | null {
  const off = (words: string): Reading => ({ source: "drm", says: "off", words });
  if (status === "disconnected") return off("disconnected");
  if (dpms !== null && DARK_DPMS.has(dpms)) return off(`dpms ${dpms}`);
  return status === "connected" && enabled === "disabled" ? off("disabled") : null;
}

const DARK_DPMS: ReadonlySet<string> = new Set(["Off", "Standby", "Suspend"]);

/** A display as the session names it, with what it says of itself, where the session tells that. */
export interface NamedOutput {
  readonly name: string;
  /** In hexadecimal; empty where it is not told. */
  readonly edid: string;
}

/**
 * The connector that a display hangs on, or null where that is not certain: the one with the same EDID, of several the one
 * of that name too. One without an EDID, as nothing is connected to it, goes by its name.
 */
export function connectorOf({ name, edid }: NamedOutput, connectors: readonly Connector[]): Connector | null {
  const same = edid === "" ? [] : connectors.filter((one) => one.edid.startsWith(edid) || isPartOf(one.edid, edid));
  if (same.length === 1) return same[0] ?? null;
  const named = (same.length > 1 ? same : connectors).filter((one) => one.name === name || xName(one.name) === name);
  const [only, ...others] = named;
  if (only === undefined || others.length > 0) return null;
  const isOther = same.length === 0 && edid !== "" && only.edid !== "";
  return isOther ? null : only;
}

/** X11 may keep the first block of an EDID alone, and the kernel all of them, or the other way round. */
function isPartOf(part: string, whole: string): boolean {
  return part.length >= EDID_BLOCK_DIGITS && whole.startsWith(part);
}

const EDID_BLOCK_DIGITS = 256;

/** X11's driver for kernel mode setting calls `HDMI-A-1` `HDMI-1`; all other kinds are called alike. */
function xName(name: string): string {
  return name.replace(/^HDMI-A-/, "HDMI-");
}

/** The HDMI address that a display gives what is connected to it (CEA-861, HDMI vendor block), `1.0.0.0`, or null. */
export function cecAddressIn(edid: string): string | null {
  for (let block = EDID_BLOCK_DIGITS; block + EDID_BLOCK_DIGITS <= edid.length; block += EDID_BLOCK_DIGITS) {
    const at = (byte: number) => Number.parseInt(edid.slice(block + byte * 2, block + byte * 2 + 2), 16);
    if (at(0) !== CEA_EXTENSION) continue;
    for (let byte = 4; byte < at(2); byte += (at(byte) & 0x1f) + 1) {
      const isVendor = at(byte) >> 5 === VENDOR_BLOCK && (at(byte) & 0x1f) >= 5;
      const vendor = edid.slice(block + byte * 2 + 2, block + byte * 2 + 8).toLowerCase();
      if (isVendor && vendor === HDMI_VENDOR) {
        const address = edid.slice(block + byte * 2 + 8, block + byte * 2 + 12).toLowerCase();
        return [...address].join(".");
      }
    }
  }
  return null;
}

const CEA_EXTENSION = 0x02;
const VENDOR_BLOCK = 3;
/** 00-0C-03, lowest byte first. */
const HDMI_VENDOR = "030c00";

/** How a display is switched (configuration, `display.power`). */
export type PowerMethod = "leave" | "dpms" | "cec" | "ddc";

/** Televisions need about so long from the order to a picture: they are switched on that long before opening. */
export const WARM_UP_MS = 15_000;

/** What a screen's display is to be is decided by this. Instants are monotonic. */
export interface PowerCase {
  /** The screen is black: not even house content is visible. */
  readonly blanked: boolean;
  readonly suspendReasons: readonly SuspendReason[];
  /** Null where that never happens, or is not known. */
  readonly opensAt: Instant | null;
}

/** Whether a screen's display is to be on: while there is something to see, and a while before opening. */
export function wantedPower({ blanked, suspendReasons, opensAt }: PowerCase, now: Instant): "on" | "off" {
  if (!blanked) return "on";
  const opensSoon = opensAt !== null && now >= opensAt - WARM_UP_MS;
  return opensSoon && suspendReasons.every((reason) => reason !== "switched-off") ? "on" : "off";
}

/** What came of an order: `unchecked` where nothing tells whether the display is on. */
export function obedience(wanted: "on" | "off", state: PanelState): "obeys" | "disobeys" | "unchecked" {
  if (state === "unknown") return "unchecked";
  return state === wanted ? "obeys" : "disobeys";
}

/** A display says what it has become only once it has become it. */
export const CHECK_AFTER_MS = 4_000;

/** Between two orders to a display that does not obey: 10 s, then ever longer, up to 10 minutes. */
const AGAIN: Backoff = { firstMs: 10_000, longestMs: 10 * 60_000, exactWaits: Number.POSITIVE_INFINITY };

/** How long after an order in vain the next one is given; `tries` counts those in vain, from 1. */
export function againMs(tries: number): number {
  return backoffMs(AGAIN, tries, 0);
}

/** An order in vain is an error of the display's, not of its slowness, after so many of them. */
export const TRIES_BEFORE_TROUBLE = 2;
