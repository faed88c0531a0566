import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Display } from "../../../scripts/setup/display.ts";

/** Two displays side by side on one X server, which can be switched off, on and to other sizes. */
export interface Wall extends Display {
  /** Where to record the left display, 0, or the right one, 1. */
  part(number: number): string;
  /** Switches a display to a size, or off; where the others are does not change. */
  turn(number: number, mode: string | null): void;
  /** The size of what a display shows, `640x360`, or null where it is off. */
  mode(number: number): string | null;
  /** Plays the part of somebody at the machine, or of another program. */
  xdotool(...args: readonly string[]): string;
}

/** Each display's size, and the room that the right one has to become larger. */
export const PART = { width: 640, height: 360 } as const;
export const ROOM = { width: 960, height: 540 } as const;
const WHOLE = { width: PART.width + ROOM.width, height: ROOM.height } as const;

const CONFIGURATION = `
Section "ServerFlags"
  Option "AutoAddDevices" "false"
  Option "BlankTime" "0"
EndSection
Section "Device"
  Identifier "card"
  Driver "dummy"
  VideoRam 256000
EndSection
Section "Monitor"
  Identifier "monitor"
  HorizSync 5-1000
  VertRefresh 5-200
EndSection
Section "Screen"
  Identifier "screen"
  Device "card"
  Monitor "monitor"
  DefaultDepth 24
EndSection
`;

/** Xvfb has one display, which stays: the driver without hardware has sixteen, as a graphics card has outputs. */
export async function startWall(): Promise<Wall> {
  const folder = mkdtempSync(join(tmpdir(), "spotloop-wall-"));
  writeFileSync(`${folder}/xorg.conf`, CONFIGURATION);
  const files = ["-config", `${folder}/xorg.conf`, "-logfile", `${folder}/xorg.log`];
  const rest = ["-noreset", "-nolisten", "tcp", "-ac", "-novtswitch", "-sharevts", "-displayfd", "3"];
  const server = spawn("Xorg", [...files, ...rest], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  await once(server, "spawn");
  const [line] = await once(createInterface(server.stdio[3] as Readable), "line");
  const name = `:${line}`;
  const run = (program: string, args: readonly string[]) =>
    execFileSync(program, args, { env: { ...process.env, DISPLAY: name }, encoding: "utf8" });
  const output = (number: number) => `DUMMY${number}`;
  const mode = (number: number) =>
    new RegExp(`^${output(number)} .*?(\\d+x\\d+)\\+`, "m").exec(run("xrandr", ["--current"]))?.[1] ?? null;
  const turn = (number: number, to: string | null) => {
    const sizeThen = (one: number) => sizeOf(one === number ? to : mode(one));
    const [left, right] = [sizeThen(0), sizeThen(1)];
    // The whole is never larger than what the displays show: of a window beyond it nothing is kept.
    const width = PART.width + Math.max(PART.width, right.width);
    const height = Math.max(PART.height, left.height, right.height);
    const how = to === null ? ["--off"] : ["--mode", to, "--pos", `${number * PART.width}x0`];
    run("xrandr", ["--fb", `${width}x${height}`, "--output", output(number), ...how]);
    // An output without a picture counts as connected only once somebody has looked.
    run("xrandr", []);
  };
  for (const { width, height } of [PART, ROOM]) run("xrandr", ["--addmode", output(1), `${width}x${height}`]);
  turn(0, `${PART.width}x${PART.height}`);
  turn(1, `${PART.width}x${PART.height}`);
  return {
    name,
    ...WHOLE,
    pid: server.pid,
    part: (number) => `${name}+${number * PART.width},0`,
    turn,
    mode,
    xdotool: (...args) => run("xdotool", args),
    async stop() {
      const ended = once(server, "exit");
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Of a mode, `640x360`; a display that is off has none. */
function sizeOf(mode: string | null): { readonly width: number; readonly height: number } {
  const [width = 0, height = 0] = (mode ?? "").split("x").map(Number);
  return { width, height };
}
