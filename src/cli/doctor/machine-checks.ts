import { existsSync, readFileSync } from "node:fs";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { z } from "zod";
import type { Config } from "../../player/config/config.ts";
import { type Finding, failure, fine, warning } from "./finding.ts";
import { askMachine, askXrandr, type Display, type Machine } from "./machine.ts";

/** Looks at what the player would play with: codecs, graphics, display. */
export async function machineFindings(config: Config | null): Promise<Finding[]> {
  const machine = await askMachine();
  return [codecs(machine), graphics(machine), await display(machine, config)];
}

/** What runs here, and on what. */
export function versionsFinding(): Finding {
  const { electron, node } = process.versions;
  const runtime = electron === undefined ? `Node ${node}` : `Electron ${electron}`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const machine = `${platform()} ${release()} ${arch()}, ${cpus().length} cores, ${memory} of memory`;
  return fine("versions", `Spotloop ${spotloopVersion()}, ${runtime}, ${machine}`);
}

/** As `package.json` has it, which lies as far above the sources as above what they are compiled to. */
function spotloopVersion(): string {
  const written: unknown = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  return z.object({ version: z.string() }).parse(written).version;
}

async function display(machine: Machine | null, config: Config | null): Promise<Finding> {
  const displays = machine?.displays ?? (await askXrandr());
  const [first] = displays;
  if (first === undefined) return noDisplay();
  const all = displays.map(({ name, width, height }) => `${name} ${width}x${height}`).join(", ");
  const wanted = config?.screens.map((screen) => screen.display.match) ?? [];
  const missing = wanted.find((match) => match !== null && !isThere(match, displays));
  if (missing !== undefined) {
    return warning("display", `none is named ${missing}: ${all}`, "Mend display.match in the configuration.");
  }
  const lacking = wanted.length - displays.length;
  if (lacking <= 0) return fine("display", all);
  return warning("display", `${all}: too few for ${wanted.length} screens`, "Connect the others, or switch them on.");
}

function isThere(match: string, displays: readonly Display[]): boolean {
  return /^\d+$/.test(match) || displays.some(({ name }) => name === match);
}

function noDisplay(): Finding {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform !== "linux") return warning("display", ONLY_PLAYER, ASK_PLAYER);
  if (!DISPLAY && !WAYLAND_DISPLAY) {
    return warning("display", "none: DISPLAY is not set", "Run this where the player runs, or log in at the screen.");
  }
  return warning(
    "display",
    `${DISPLAY ?? WAYLAND_DISPLAY} is named, and cannot be asked`,
    "Install xrandr to see its size.",
  );
}

const ONLY_PLAYER = "not looked at: only the installed player can tell";
const ASK_PLAYER = "Run spotloop doctor of the installed package, on its display.";

function graphics(machine: Machine | null): Finding {
  if (machine === null) {
    const hasDevice = process.platform !== "linux" || existsSync("/dev/dri");
    if (hasDevice) return warning("graphics", ONLY_PLAYER, ASK_PLAYER);
    return warning(
      "graphics",
      "no /dev/dri: everything is drawn by the processor",
      "Install the driver of the graphics card.",
    );
  }
  const { gpu_compositing: drawing = "unknown", video_decode: decoding = "unknown" } = machine.gpu;
  const text = `drawing ${drawing}, video decoding ${decoding}`;
  const isHardware = drawing.startsWith("enabled") && decoding.startsWith("enabled");
  if (isHardware) return fine("graphics", text);
  return warning("graphics", text, "It works, and costs the processor more. Install the driver of the graphics card.");
}

function codecs(machine: Machine | null): Finding {
  if (machine === null) return warning("codecs", ONLY_PLAYER, ASK_PLAYER);
  const missing = Object.entries(machine.codecs).filter(([, canPlay]) => !canPlay);
  if (missing.length === 0) return fine("codecs", Object.keys(machine.codecs).join(", "));
  const names = missing.map(([type]) => type).join(", ");
  return failure("codecs", `cannot be played: ${names}`, "Install Spotloop's own package: it brings all codecs.");
}
