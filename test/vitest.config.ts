import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { memoryFolder } from "./support/machine/memory-folder.ts";

const files = (...names: readonly string[]) => names.map((name) => `test/e2e/${name}.test.ts`);
/** Judged by what is in sight, in which order, and for how long. */
const SEEN = [
  ...files("fidelity", "heavy", "hostile", "house", "kills", "opening-hours"),
  ...files("outage", "playing", "screens", "sessions", "slow-disk", "soak"),
];

/** What takes longest is begun first: else one processor waits for it in the end. */
const LONGEST = ["display-monitor", "house-pages", "house-share", "packaged"];

class LongestFirst extends BaseSequencer {
  override async sort(all: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((name) => moduleId.endsWith(`/${name}.test.ts`));
    const sorted = await super.sort(all);
    return [...sorted.filter(isLong), ...sorted.filter((one) => !isLong(one))];
  }
}

/** Of which players leave a quarter free. */
const ROOM_BYTES = 4 * 2 ** 30;

/** Of what is shown by real Electron, on the slowest machine. */
const SHOWN = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  setupFiles: [`${import.meta.dirname}/support/player/tell-player.ts`],
};

/**
 * Parts and scenarios, and real Electron on displays of its own. What is judged by sight has the machine to itself.
 */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    // Commits by the thousand would wait for the disk, and one that others write to would hold up what a player shows.
    env: { TMPDIR: memoryFolder(ROOM_BYTES) },
    sequence: { sequencer: LongestFirst },
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
          exclude: SEEN,
          // Half of the time they wait, too; with more of them a machine that has other work shows some too late.
          maxWorkers: 3,
          ...SHOWN,
        },
      },
      {
        extends: true,
        test: {
          name: "seen",
          include: SEEN,
          // Beside another one a slow machine shows some so late that nothing can be said of it.
          fileParallelism: false,
          ...SHOWN,
        },
      },
    ],
  },
});
