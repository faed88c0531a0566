import { execFile } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { arch, cpus, platform, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type Connector, connectorReading, truthOf, truthText } from "../../core/displays/panel.ts";
import { systemClock } from "../../player/clock.ts";
import type { Config } from "../../player/config/config.ts";
import type { Environment } from "../../player/config/environment.ts";
import { displayTroubleHere } from "../../player/display.ts";
import { DisplaySurvey, readConnectors } from "../../player/displays/display-survey.ts";
import { playerVersion } from "../../player/run-identity.ts";
import { type Run, runProgram } from "../../player/run-program.ts";
import { type Finding, failure, fine, warning } from "./finding.ts";

/** What only Electron can tell about this machine. */
const machineSchema = z.object({
  /** In physical pixels, the primary one first. */
  displays: z.array(z.object({ name: z.string(), width: z.int().positive(), height: z.int().positive() })),
  /** Chromium's word for each feature, such as `{ "video_decode": "enabled" }`. */
  gpu: z.record(z.string(), z.string()),
  /** Whether what creatives come in can be played: `{ "H.264": true }`. */
  codecs: z.record(z.string(), z.boolean()),
});
export type Machine = z.infer<typeof machineSchema>;
export type Display = Machine["displays"][number];

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
  return fine("versions", `Spotloop ${playerVersion()}, ${runtime}, ${machine}`);
}

async function display(machine: Machine | null, config: Config | null): Promise<Finding> {
  // The names of outputs, by which an X server is told of them, Electron does not know.
  const [told, named] = [machine?.displays ?? [], await askXrandr()];
  const displays = named.length > 0 ? named : told;
  const [first] = displays;
  if (first === undefined) return noDisplay();
  const all = displays.map(({ name, width, height }) => `${name} ${width}x${height}`).join(", ");
  const wanted = config?.screens.map((screen) => screen.display.match) ?? [];
  const missing = wanted.find(
    (match) => match !== null && !/^\d+$/.test(match) && !isNamed(match, [...named, ...told]),
  );
  if (missing !== undefined) {
    return warning("display", `none is named ${missing}: ${all}`, "Mend display.match in the configuration.");
  }
  const lacking = wanted.length - displays.length;
  if (lacking > 0) {
    return warning("display", `${all}: too few for ${wanted.length} screens`, "Connect the others, or switch them on.");
  }
  // A name may be a number, and of displays that mirror each other the player counts one.
  const counted = told.length > 0 ? told : named;
  const place = wanted.find((match) => Number(match) > counted.length && !isNamed(match, [...named, ...told]));
  if (place === undefined) return fine("display", all);
  return warning("display", `there is no display ${place}: ${all}`, "Connect it, or mend display.match.");
}

function isNamed(match: string | null, displays: readonly Display[]): boolean {
  return displays.some(({ name }) => name === match);
}

function noDisplay(): Finding {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform !== "linux") return warning("display", ONLY_PLAYER, ASK_PLAYER);
  if (!DISPLAY && !WAYLAND_DISPLAY) {
    return warning("display", "none: DISPLAY is not set", "Run this where the player runs, or log in at the screen.");
  }
  const trouble = displayTroubleHere(process.env);
  if (trouble !== null) return warning("display", trouble, "Mend DISPLAY, or start the X server that it names.");
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

/** Electron has started and answered by then, or it does not. */
const ANSWER_WITHIN_MS = 20_000;

/**
 * What the player's own Electron says about this machine; null where this is plain Node, and where there is no display to
 * ask about. Asked in a process of its own: this one must not turn into an application with windows.
 */
export async function askMachine(): Promise<Machine | null> {
  if (process.versions.electron === undefined) return null;
  return toldBy(process.execPath, appArguments());
}

/** What an Electron tells of the machine; null where it does not answer, or no temporary files can be made. */
export async function toldBy(program: string, args: readonly string[]): Promise<Machine | null> {
  // Chromium leaves files behind. In a folder of the player's own they would be another's, if one runs.
  const folder = temporaryFolder();
  if (folder === null) return null;
  const told = await outputOf(program, [...args, "machine", folder]);
  // Its processes may outlive the one that answered, and write on: then the folder is left to who clears away temporary files.
  await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  const line = told?.split("\n").find((text) => text.startsWith("{")) ?? "";
  return machineSchema.safeParse(parsed(line)).data ?? null;
}

function temporaryFolder(): string | null {
  try {
    return mkdtempSync(join(tmpdir(), "spotloop-machine-"));
  } catch {
    return null;
  }
}

/** From a clone Electron was told which folder is the application, and switches before it; packaged it knows. */
export function appArguments(): readonly string[] {
  if (!("defaultApp" in process)) return [];
  return process.argv.slice(1, process.argv.findIndex((word, at) => at > 0 && !word.startsWith("-")) + 1);
}

/** The displays that X11 knows, the primary one first; none where it cannot be asked. */
export async function askXrandr(): Promise<readonly Display[]> {
  return displaysIn((await outputOf("xrandr", ["--current"])) ?? "");
}

/** The displays in what `xrandr` prints: `HDMI-1 connected primary 1920x1080+0+0 …`. */
export function displaysIn(text: string): readonly Display[] {
  const found = [...text.matchAll(/^(\S+) connected (primary )?(\d+)x(\d+)\+/gm)].map(
    ([, name = "", primary, width, height]) => ({ name, primary, width: Number(width), height: Number(height) }),
  );
  const ordered = [...found.filter(({ primary }) => primary), ...found.filter(({ primary }) => !primary)];
  return ordered.map(({ name, width, height }) => ({ name, width, height }));
}

function outputOf(program: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: ANSWER_WITHIN_MS, killSignal: "SIGKILL", encoding: "utf8" }, (error, stdout) => {
      resolve(error === null ? stdout : null);
    });
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** What is asked instead of this machine's own kernel, devices and programs; by tests. */
export interface PanelSources {
  readonly run?: Run;
  readonly drmFolder?: string;
  readonly cecFolder?: string;
}

/** Whether each display that is connected is on, as far as something says so, and what says it. */
export async function panelFindings(env: Environment, sources: PanelSources = {}): Promise<Finding[]> {
  const connected = (await readConnectors(sources.drmFolder)).filter(({ status }) => status === "connected");
  if (connected.length === 0) return [fine("panel", "unknown: the kernel tells of no display that is connected")];
  const session = env.WAYLAND_DISPLAY ? "wayland" : env.DISPLAY ? "x11" : "none";
  const survey = new DisplaySurvey({ run: runProgram, clock: systemClock(null), session, ...sources });
  await survey.readKernel("all");
  await survey.ask(connected);
  return connected.map((connector) => panelFinding(connector, survey));
}

function panelFinding(connector: Connector, survey: DisplaySurvey): Finding {
  const told = connectorReading(connector);
  const truth = truthOf([...(told === null ? [] : [told]), ...survey.truthOf(connector).by]);
  const text = `${connector.name} ${truthText(truth)}`;
  switch (truth.state) {
    case "on":
      return fine("panel", text);
    case "off":
      return warning("panel", text, "Nothing is proved on a display that is off: switch it on.");
    case "unknown":
      return fine("panel", `${text}: neither CEC (cec-ctl) nor DDC/CI (ddcutil) tells`);
  }
}
