/** How far a display's picture is turned clockwise, in degrees. */
export type Rotation = (typeof ROTATIONS)[number];
const ROTATIONS = [0, 90, 180, 270] as const;

/** The rotation that a program calls so, or null. */
export function rotationCalled(name: string | undefined, names: Readonly<Record<Rotation, string>>): Rotation | null {
  return ROTATIONS.find((rotation) => names[rotation] === name) ?? null;
}

/** What a display can be switched to. */
export interface Mode {
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
