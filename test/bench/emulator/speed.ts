import { treeUsage } from "../../support/machine/tree-usage.ts";
import type { Bench, Line } from "../line.ts";
import { load } from "./load.ts";
import { type Server, SPOT_PATH, startEmulator, startHello } from "./servers.ts";

/** Until both have been compiled to what they run as from then on. */
const WARM_UP = 60_000;

/**
 * How many spots the emulator serves in a second of its processor time, beside a server that only says hello. Time that
 * the machine has for others does not count.
 */
export const emulatorSpeed: Line = {
  name: "emulator-speed",
  async run(bench) {
    const [rounds, count] = bench.quick ? [3, 20_000] : [7, 60_000];
    const servers = await Promise.all([startEmulator(), startHello()]);
    try {
      const [emulator, hello] = servers;
      await Promise.all([answers(emulator, SPOT_PATH, WARM_UP, bench), answers(hello, "/", WARM_UP, bench)]);
      const [spotloop, other]: [number[], number[]] = [[], []];
      for (let round = 1; round <= rounds; round++) {
        bench.progress(`round ${round} of ${rounds}`);
        spotloop.push(await answers(emulator, SPOT_PATH, count, bench));
        other.push(await answers(hello, "/", count, bench));
      }
      const row = { what: "answers in a core-second", unit: "/s", digits: 0, as: "ratio", spotloop, other } as const;
      return {
        title: `Emulator: ${count} spots as fast as they come, on one core, rounds: ${rounds}`,
        subject: "the emulator",
        beside: "bare hello",
        rows: [{ ...row, goal: 0.5, goalIs: "least" }],
      };
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  },
};

/** Answers in a second of the server's processor time. */
async function answers({ pid, ready }: Server, path: string, count: number, { signal }: Bench): Promise<number> {
  const before = treeUsage(pid).cpuSeconds;
  await load(ready.baseUrl, path, count, signal);
  return count / (treeUsage(pid).cpuSeconds - before);
}
