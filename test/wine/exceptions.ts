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
  {
    reason: "wine says that it made a symbolic link, and made none",
    file: "test/player/house/house-folder.test.ts",
    tests: [
      ...[
        "(campaign: campaign/index.html -> ../shared/page.html)",
        "(campaign: campaign/index.html -> ../shared/page)",
        "(a.html: a.html -> shared/page.html)",
        "(a.html: a.html -> ..data/page.html)",
        "(campaign: campaign -> ..data/folder)",
      ].map((link) => `a page in the folder > that is a link ${link} is shown, with the files beside the link`),
      "a page in the folder > is followed to what its link leads to by now",
      "a page in the folder > has no file by a link that leads out of all house content, and is skipped where it is one itself",
    ],
  },
];
