import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { preferOver } from "./processes.ts";

/** How long the machine held up a process that only wanted to tick: what is measured beside it cannot be better. */
export interface StallWatch {
  /** Ends it; resolves with the longest stall in milliseconds, 0 on a machine with time to spare. */
  stop(): Promise<number>;
}

/** Every 5 ms it says how late it is, with the same priority as the player under test. */
const TICKER = `
  const every = 5;
  let longest = 0;
  let due = performance.now() + every;
  setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - due);
    due = now + every;
  }, every);
  process.on("SIGTERM", () => { console.log(longest); process.exit(); });
`;

/** Timers are rounded to a millisecond and a little more; below this nothing was held up. */
const TIMER_ERROR_MS = 3;

export function watchStalls(): StallWatch {
  const ticker = spawn(process.execPath, ["-e", TICKER], { stdio: ["ignore", "pipe", "inherit"] });
  preferOver(ticker);
  const said = new Promise<number>((resolve, reject) => {
    createInterface({ input: ticker.stdout }).once("line", (line) => resolve(Number(line)));
    ticker.once("exit", () => reject(new Error("the ticker ended without a word")));
  });
  return {
    async stop() {
      ticker.kill("SIGTERM");
      return Math.max(0, (await said) - TIMER_ERROR_MS);
    },
  };
}
