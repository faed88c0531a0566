import { type Mode, type Output, type OutputProgram, type Rotation, rotationCalled } from "./output.ts";

/** For Wayland compositors with wlr-output-management: cage from 0.2 on, labwc, sway (Debian: `wlr-randr`). */
export const WLR_RANDR: OutputProgram = {
  name: "wlr-randr",
  list: [],
  listKnown: [],
  read: (text) => text.split(/^(?=\S)/m).flatMap((section) => outputIn(section) ?? []),
  changing(output, change) {
    const to = ["--output", output];
    switch (change.kind) {
      case "mode":
        return [...to, "--mode", change.mode.name];
      case "rotate":
        return [...to, "--transform", TURNS[change.rotation]];
      case "scale":
        return [...to, "--scale", String(change.scale)];
    }
  },
};

/** Wayland turns counter-clockwise. */
const TURNS: Readonly<Record<Rotation, string>> = { 0: "normal", 90: "270", 180: "180", 270: "90" };

/** `    1920x1080 px, 60.000000 Hz (preferred, current)`; virtual displays have no rate. */
const MODE = /^ +(\d+)x(\d+) px(?:, ([\d.]+) Hz)?(.*)$/gm;

/** As it writes of an output: its name at the beginning of a line, and what there is to say of it below. */
function outputIn(section: string): Output | null {
  const said = (what: string) => new RegExp(`^ +${what}: (.*)$`, "m").exec(section)?.[1];
  if (said("Enabled") !== "yes") return null;
  const found = [...section.matchAll(MODE)].map(([, width, height, hz, notes = ""]) => {
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
    rotation: rotationCalled(turn, TURNS),
    scale: Number(said("Scale") ?? 1),
    edid: "",
  };
}
