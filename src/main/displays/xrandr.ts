import { type Mode, type Output, type OutputProgram, type Rotation, rotationCalled } from "./output.ts";

/** X11's own program (Debian: `x11-xserver-utils`). */
export const XRANDR: OutputProgram = {
  name: "xrandr",
  list: ["--verbose"],
  listKnown: ["--current", "--verbose"],
  read: (text) => sectionsOf(text).flatMap((section) => outputIn(section) ?? []),
  changing(output, change) {
    const to = ["--output", output];
    switch (change.kind) {
      case "mode":
        // Virtual displays have no rate.
        return [...to, "--mode", change.mode.name, ...(change.mode.hz > 0 ? ["--rate", String(change.mode.hz)] : [])];
      case "rotate":
        return [...to, "--rotate", TURNS[change.rotation]];
      case "scale":
        // What is drawn is that many times the display's size.
        return [...to, "--scale", `${1 / change.scale}x${1 / change.scale}`];
    }
  },
};

const TURNS: Readonly<Record<Rotation, string>> = { 0: "normal", 90: "right", 180: "inverted", 270: "left" };

/** `HDMI-1 connected primary 1920x1080+0+0 (0x4a) right (normal left …`, of one that is on. */
const HEAD = /^(\S+) connected (?:primary )?\d+x\d+\+(-?\d+)\+(-?\d+) \(\S+\) (\w+) (X axis |Y axis |X and Y axis )?\(/;
/** `  1920x1080 (0x5f) 148.500MHz +HSync +VSync *current +preferred`, then its lines for both directions. */
const MODE = /^ {2}(\S+) \(0x[0-9a-f]+\)(.*)\n +h: width +(\d+).*\n +v: height +(\d+).*clock +([\d.]+)Hz/gm;
/** `	EDID:` and, on lines of their own, its bytes in hexadecimal. */
const EDID = /^\tEDID:\s*\n((?:\t\t[0-9a-f]+\n)+)/m;
const TRANSFORM = /^\s+Transform: +([\d.]+)/m;

function sectionsOf(text: string): readonly string[] {
  return text.split(/^(?=\S)/m);
}

function outputIn(section: string): Output | null {
  const [, name = "", x, y, turn, mirrored] = HEAD.exec(section) ?? [];
  if (name === "") return null;
  const found = [...section.matchAll(MODE)].map(([, label = "", notes = "", width, height, hz]) => {
    const mode: Mode = { name: label, width: Number(width), height: Number(height), hz: Number(hz) };
    return { mode, isCurrent: notes.includes("*current") };
  });
  return {
    ...{ name, x: Number(x), y: Number(y) },
    modes: found.map(({ mode }) => mode),
    mode: found.find(({ isCurrent }) => isCurrent)?.mode ?? null,
    rotation: mirrored === undefined ? rotationCalled(turn, TURNS) : null,
    scale: 1 / Number(TRANSFORM.exec(section)?.[1] ?? 1),
    edid: (EDID.exec(section)?.[1] ?? "").replace(/\s/g, ""),
  };
}
