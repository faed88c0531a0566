// Run where there is no screen, and for everything that watches one: a virtual display of its own.
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { startChild } from "./child.ts";
import { Stop } from "./stop.mjs";

export interface Display {
  /** As in the environment variable DISPLAY: ":99". */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** The process that draws it. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

const STEP = "Starting a virtual display (Xvfb)";
/** It takes a tenth of a second; a machine under load gets more. */
const START_MS = 15_000;

/**
 * Starts Xvfb on a free display that every user of this machine, and nobody from elsewhere, can draw on; with several screens
 * of that size the others go by its name and their number (`:99.1`). `authority`: the file with a secret (Xsecurity(7)) that
 * its users have to know, if any.
 */
export async function startDisplay({
  width = 1920,
  height = 1080,
  screens = 1,
  authority = null as string | null,
} = {}): Promise<Display> {
  const sizes = Array.from({ length: screens }, (_, index) => ["-screen", String(index), `${width}x${height}x24`]);
  const access = authority === null ? ["-ac"] : ["-auth", authority];
  const args = [...sizes.flat(), ...access, "-nolisten", "tcp", "-noreset", "-displayfd", "3"];
  const server = startChild("Xvfb", args, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  // Xvfb writes the number of the display that it took when it is ready for clients.
  const announced = once(createInterface(server.process.stdio[3] as Readable), "line").then(([line]) => String(line));
  const outcome = await Promise.race([announced, server.ended.then(() => null), tooLong()]);
  if (outcome === null) {
    await server.stop();
    const why = `${server.complaint()}\nXvfb: ${await server.ended}`;
    throw new Stop(STEP, why, "Run `Xvfb :99` by hand and see what it says.");
  }
  return { name: `:${outcome}`, width, height, pid: server.process.pid, stop: () => server.stop() };
}

function tooLong(): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, START_MS, null).unref());
}
