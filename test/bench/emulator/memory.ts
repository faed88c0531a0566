import { treeUsage } from "../../support/machine/tree-usage.ts";
import type { Comparison, Line } from "../line.ts";
import { load } from "./load.ts";
import { type Server, SPOT_PATH, startEmulator, startHello } from "./servers.ts";

/** More than the ledger and the journal keep, so that what follows may not take more. */
const SPOTS = 100_000;

/** What docs/emulator.md has an operator say who wants it small. */
const startSmall = () => startEmulator(["--keep", "10000"], ["--max-semi-space-size=8", "--max-old-space-size=160"]);

/** What the emulator takes up when it has served many spots, and whether that goes on growing. */
export const emulatorMemory: Line = {
  name: "emulator-memory",
  async run({ quick, signal, progress }) {
    const rounds = quick ? 1 : 3;
    const found: Record<"emulator" | "small" | "hello", number[][]> = { emulator: [], small: [], hello: [] };
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`);
      found.emulator.push(await growth(startEmulator, SPOT_PATH, signal));
      found.small.push(await growth(startSmall, SPOT_PATH, signal));
      found.hello.push(await growth(startHello, "/", signal));
    }
    const row = (what: string, at: number, of = found.emulator): Comparison => ({
      ...{ what, unit: "MB", digits: 0, as: "ratio" },
      spotloop: of.map((sizes) => sizes[at] ?? Number.NaN),
      other: found.hello.map((sizes) => sizes[at] ?? Number.NaN),
    });
    return {
      title: `Emulator: memory (PSS) after so many answers, rounds: ${rounds}`,
      subject: "the emulator",
      beside: "bare hello",
      rows: [
        row("at the start", 0),
        row(`after ${SPOTS}`, 1),
        row(`after ${2 * SPOTS}`, 2),
        row(`after ${3 * SPOTS}`, 3),
        { ...row(`after ${3 * SPOTS}, kept small by its settings`, 3, found.small), as: "pair", goal: 200 },
      ],
    };
  },
};

/** Megabytes at the start and after each so many answers. */
async function growth(start: () => Promise<Server>, path: string, signal: AbortSignal): Promise<number[]> {
  const { pid, ready, stop } = await start();
  try {
    const sizes = [megabytes(pid)];
    for (let turn = 0; turn < 3; turn++) {
      await load(ready.baseUrl, path, SPOTS, signal);
      sizes.push(megabytes(pid));
    }
    return sizes;
  } finally {
    await stop();
  }
}

function megabytes(pid: number): number {
  return treeUsage(pid).pssBytes / 1e6;
}
