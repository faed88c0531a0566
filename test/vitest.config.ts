import { defineConfig } from "vitest/config";

/** Parts and scenarios side by side; real Electron one file at a time, because all of it is watched on one display. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/bench/**"],
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
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
