import { createInterface } from "node:readline";
import { type Child, startChild } from "../setup/child.ts";
import { ROOT } from "../setup/paths.mjs";
import { Stop } from "../setup/stop.mjs";

/** What the emulator says when it is ready. */
export interface Network {
  readonly baseUrl: string;
  readonly mediaUrl: string;
  readonly controlUrl: string;
  readonly orgToken: string;
  readonly screenId: string;
}

/** Starts the emulator in a process and on ports of its own. */
export async function startEmulator(): Promise<{ child: Child; network: Network }> {
  const ports = ["--port", "0", "--media-port", "0", "--control-port", "0"];
  const child = startChild(process.execPath, [`${ROOT}/dist/cli/main.js`, "emulator", ...ports]);
  const line = await Promise.race([firstLine(child), child.ended.then(() => null)]);
  if (line !== null) return { child, network: JSON.parse(line) };
  const why = `${child.complaint()}\nemulator: ${await child.ended}`;
  throw new Stop("Starting the emulator", why, "Run `npm run emulator` by itself and see what it says.");
}

function firstLine({ process }: Child): Promise<string> {
  return new Promise((resolve) => {
    if (process.stdout) createInterface(process.stdout).on("line", resolve);
  });
}
