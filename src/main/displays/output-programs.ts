/** How far a display's picture is turned clockwise, in degrees. */
type Rotation = (typeof ROTATIONS)[number];
const ROTATIONS = [0, 90, 180, 270] as const;

/** The rotation that a program calls so, or null. */
function rotationCalled(name: string | undefined, names: Readonly<Record<Rotation, string>>): Rotation | null {
  return ROTATIONS.find((rotation) => names[rotation] === name) ?? null;
}

/** What a display can be switched to. */
interface Mode {
  /** As the program that switches it calls it. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly hz: number;
}

/** What a cable leads to, as the system tells of it. */
export interface Output {
  readonly name: string;
  /** Where its picture begins among those of all displays. */
  readonly x: number;
  readonly y: number;
  readonly modes: readonly Mode[];
  readonly mode: Mode | null;
  /** Null where it is mirrored, which nobody here asks for. */
  readonly rotation: Rotation | null;
  /** Pixels of the display for each pixel of what is drawn, in each direction. */
  readonly scale: number;
  /** What the display says of itself, in hexadecimal; empty where the program does not tell it. */
  readonly edid: string;
}

/** What a configuration wants of a display (`display.mode`, `rotate`, `scale`); null: as it is. */
export interface OutputWish {
  /** `1920x1080`, or with a refresh rate in Hz `1920x1080@59.94`. */
  readonly mode: string | null;
  readonly rotate: Rotation | null;
  readonly scale: number | null;
}

/** One thing to change of a display. */
export type OutputChange =
  | { readonly kind: "mode"; readonly mode: Mode }
  | { readonly kind: "rotate"; readonly rotation: Rotation }
  | { readonly kind: "scale"; readonly scale: number };

/** A program that tells of displays that are on, and changes them. */
export interface OutputProgram {
  readonly name: string;
  /** With these arguments it tells of them, in the text that `read` takes. */
  readonly list: readonly string[];
  /** The same without looking for displays anew, which holds up what is drawn. */
  readonly listKnown: readonly string[];
  read(text: string): readonly Output[];
  /** With these arguments it makes one change. */
  changing(output: string, change: OutputChange): readonly string[];
}

/** What a display needs to become as it is wanted, one after the other, and what it cannot become. */
export function changesFor(
  output: Output,
  { mode, rotate, scale }: OutputWish,
): { readonly changes: readonly OutputChange[]; readonly impossible: string | null } {
  const changes: OutputChange[] = [];
  let impossible: string | null = null;
  if (mode !== null && (output.mode === null || !isMode(output.mode, mode))) {
    const found = modeFor(mode, output.modes);
    if (found === null) impossible = `${output.name} has no mode ${mode}`;
    else changes.push({ kind: "mode", mode: found });
  }
  if (rotate !== null && output.rotation !== rotate) changes.push({ kind: "rotate", rotation: rotate });
  if (scale !== null && Math.abs(output.scale - scale) > SCALE_NOISE) changes.push({ kind: "scale", scale });
  return { changes, impossible };
}

/** Programs and servers round scales, to 1/120 at most. */
const SCALE_NOISE = 0.01;

/** `@60` is also 59.94 and 60.02 Hz, where there is nothing nearer: so televisions and computers name them. */
const HZ_NOISE = 0.5;

/** Of the modes of that size the nearest to its rate; without a rate the first, which displays prefer. */
function modeFor(wanted: string, modes: readonly Mode[]): Mode | null {
  const fitting = modes.filter((mode) => isMode(mode, wanted));
  const hz = rateIn(wanted);
  if (hz === null) return fitting[0] ?? null;
  const [nearest] = [...fitting].sort((one, other) => Math.abs(one.hz - hz) - Math.abs(other.hz - hz));
  return nearest ?? null;
}

function isMode({ width, height, hz }: Mode, wanted: string): boolean {
  const rate = rateIn(wanted);
  return wanted.split("@", 1)[0] === `${width}x${height}` && (rate === null || Math.abs(hz - rate) <= HZ_NOISE);
}

function rateIn(wanted: string): number | null {
  const [, rate] = wanted.split("@", 2);
  return rate === undefined ? null : Number(rate);
}

/** X11's own program (Debian: `x11-xserver-utils`). */
export const XRANDR: OutputProgram = {
  name: "xrandr",
  list: ["--verbose"],
  listKnown: ["--current", "--verbose"],
  read: (text) => sectionsOf(text).flatMap((section) => xrandrOutputIn(section) ?? []),
  changing(output, change) {
    const to = ["--output", output];
    switch (change.kind) {
      case "mode":
        // Virtual displays have no rate.
        return [...to, "--mode", change.mode.name, ...(change.mode.hz > 0 ? ["--rate", String(change.mode.hz)] : [])];
      case "rotate":
        return [...to, "--rotate", XRANDR_TURNS[change.rotation]];
      case "scale":
        // What is drawn is that many times the display's size.
        return [...to, "--scale", `${1 / change.scale}x${1 / change.scale}`];
    }
  },
};

const XRANDR_TURNS: Readonly<Record<Rotation, string>> = { 0: "normal", 90: "right", 180: "inverted", 270: "left" };

/** `HDMI-1 connected primary 1920x1080+0+0 (0x4a) right (normal left …`, of one that is on. */
const XRANDR_HEAD =
  /^(\S+) connected (?:primary )?\d+x\d+\+(-?\d+)\+(-?\d+) \(\S+\) (\w+) (X axis |Y axis |X and Y axis )?\(/;
/** `  1920x1080 (0x5f) 148.500MHz +HSync +VSync *current +preferred`, then its lines for both directions. */
const XRANDR_MODE = /^ {2}(\S+) \(0x[0-9a-f]+\)(.*)\n +h: width +(\d+).*\n +v: height +(\d+).*clock +([\d.]+)Hz/gm;
/** `	EDID:` and, on lines of their own, its bytes in hexadecimal. */
const XRANDR_EDID = /^\tEDID:\s*\n((?:\t\t[0-9a-f]+\n)+)/m;
const XRANDR_TRANSFORM = /^\s+Transform: +([\d.]+)/m;

function sectionsOf(text: string): readonly string[] {
  return text.split(/^(?=\S)/m);
}

function xrandrOutputIn(section: string): Output | null {
  const [, name = "", x, y, turn, mirrored] = XRANDR_HEAD.exec(section) ?? [];
  if (name === "") return null;
  const found = [...section.matchAll(XRANDR_MODE)].map(([, label = "", notes = "", width, height, hz]) => {
    const mode: Mode = { name: label, width: Number(width), height: Number(height), hz: Number(hz) };
    return { mode, isCurrent: notes.includes("*current") };
  });
  return {
    ...{ name, x: Number(x), y: Number(y) },
    modes: found.map(({ mode }) => mode),
    mode: found.find(({ isCurrent }) => isCurrent)?.mode ?? null,
    rotation: mirrored === undefined ? rotationCalled(turn, XRANDR_TURNS) : null,
    scale: 1 / Number(XRANDR_TRANSFORM.exec(section)?.[1] ?? 1),
    edid: (XRANDR_EDID.exec(section)?.[1] ?? "").replace(/\s/g, ""),
  };
}

/** For Wayland compositors with wlr-output-management: cage from 0.2 on, labwc, sway (Debian: `wlr-randr`). */
export const WLR_RANDR: OutputProgram = {
  name: "wlr-randr",
  list: [],
  listKnown: [],
  read: (text) => text.split(/^(?=\S)/m).flatMap((section) => wlrOutputIn(section) ?? []),
  changing(output, change) {
    const to = ["--output", output];
    switch (change.kind) {
      case "mode":
        return [...to, "--mode", change.mode.name];
      case "rotate":
        return [...to, "--transform", WLR_TURNS[change.rotation]];
      case "scale":
        return [...to, "--scale", String(change.scale)];
    }
  },
};

/** Wayland turns counter-clockwise. */
const WLR_TURNS: Readonly<Record<Rotation, string>> = { 0: "normal", 90: "270", 180: "180", 270: "90" };

/** `    1920x1080 px, 60.000000 Hz (preferred, current)`; virtual displays have no rate. */
const WLR_MODE = /^ +(\d+)x(\d+) px(?:, ([\d.]+) Hz)?(.*)$/gm;

/** As it writes of an output: its name at the beginning of a line, and what there is to say of it below. */
function wlrOutputIn(section: string): Output | null {
  const said = (what: string) => new RegExp(`^ +${what}: (.*)$`, "m").exec(section)?.[1];
  if (said("Enabled") !== "yes") return null;
  const found = [...section.matchAll(WLR_MODE)].map(([, width, height, hz, notes = ""]) => {
    const name = `${width}x${height}${hz === undefined ? "" : `@${hz}Hz`}`;
    const mode: Mode = { name, width: Number(width), height: Number(height), hz: Number(hz ?? 0) };
    return { mode, isCurrent: notes.includes("current") };
  });
  const [x, y] = (said("Position") ?? "0,0").split(",").map(Number);
  const turn = said("Transform");
  return {
    ...{ name: section.split(" ", 1)[0] ?? "", x: x ?? 0, y: y ?? 0 },
    modes: found.map(({ mode }) => mode),
    mode: found.find(({ isCurrent }) => isCurrent)?.mode ?? null,
    rotation: rotationCalled(turn, WLR_TURNS),
    scale: Number(said("Scale") ?? 1),
    edid: "",
  };
}

/** The program of the session that this process is in. */
export function programHere(): OutputProgram {
  return process.env.WAYLAND_DISPLAY ? WLR_RANDR : XRANDR;
}
