import { spawn } from "node:child_process";
import type { Line } from "../line.ts";
import { startEmulator } from "./servers.ts";

/** From the start of the process to the emulator's ready line, beside a bare process that says a line. */
export const emulatorStartup: Line = {
  name: "emulator-startup",
  async run({ quick, signal, progress }) {
    const rounds = quick ? 5 : 15;
    const [spotloop, other]: [number[], number[]] = [[], []];
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`);
      signal.throwIfAborted();
      other.push(await took(bareProcess));
      spotloop.push(await took(startEmulator));
    }
    return {
      title: `Emulator: from the process's start to its ready line, rounds: ${rounds}`,
      subject: "the emulator",
      beside: "bare node",
      rows: [{ what: "ready after", unit: "ms", digits: 0, as: "ratio", spotloop, other }],
    };
  },
};

async function took(start: () => Promise<{ stop(): Promise<void> }>): Promise<number> {
  const startedAt = performance.now();
  const started = await start();
  const ms = performance.now() - startedAt;
  await started.stop();
  return ms;
}

async function bareProcess(): Promise<{ stop(): Promise<void> }> {
  const child = spawn(process.execPath, ["--eval", "console.log('ready')"], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return { stop: () => ended };
}
