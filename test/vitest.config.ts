import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { memoryFolder } from "./support/machine/memory-folder.ts";

/** Watched frame by frame: one file at a time, with the machine to itself. */
const TIMED = [
  "playing",
  "hostile",
  "kills",
  "heavy",
  "house",
  "opening-hours",
  "outage",
  "screens",
  "sessions",
  "slow-disk",
  "soak",
].map((name) => `test/e2e/${name}.test.ts`);

/** Of which a player leaves half free. */
const ROOM_BYTES = 2 * 2 ** 30;
/** What others write to the disk would hold up a player's own commits, and with them what it shows. */
const UNDISTURBED = { TMPDIR: memoryFolder(ROOM_BYTES) };

/** Parts and scenarios, and real Electron on displays of its own, one file on each processor; what is timed alone. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    // By itself Vitest leaves one processor idle.
    maxWorkers: "100%",
    // By itself a second, in which a machine that has other work draws no page.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/bench/**"],
          // Nothing happens on import, so that files may share what is imported: it takes half the time.
          isolate: false,
          // Half of the time they wait: for sockets, the disk and processes that they started.
          maxWorkers: 2 * availableParallelism(),
          // Nothing is judged by its time: this only ends what hangs, on the slowest machine.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: TIMED,
          // More of them would only wait for each other, and for their displays.
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "timed",
          include: TIMED,
          env: UNDISTURBED,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
