import { WHOLE_FILE, type WineException } from "./judge.ts";

/**
 * What fails in `npm run test:wine` because wine is not Windows, and would pass there. The list is exact: the command fails
 * where one of these passes, and where another fails.
 */
export const ONLY_WINE: readonly WineException[] = [
  {
    reason: "wine makes no junctions (ENOTSUP), by which this test lends its packages to a project of its own",
    file: "test/emulator/second-opinion/contract.test.ts",
    tests: [WHOLE_FILE],
  },
];
