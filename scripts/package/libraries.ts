// The packages for other people's code, which `npm run package -- --client --emulator` makes of what is built.

/** What one of them has. Paths of modules are below `dist/`, without an ending. */
export interface Library {
  readonly name: string;
  readonly description: string;
  /** The modules that others import, by what they write after the name. */
  readonly modules: Readonly<Record<string, string>>;
  /** The modules that are run, by the command's name. */
  readonly commands: Readonly<Record<string, string>>;
  /** What is read at run time: files and folders of the checkout, which keep their places. */
  readonly read: readonly string[];
  /** Packages that are loaded where somebody asks for what they do. */
  readonly optional: readonly string[];
  /** The page of the documents whose part "In a program of your own" is the package's README. */
  readonly page: string;
}

export const LIBRARIES = {
  client: {
    name: "@spotloop/client",
    description: "A client for a screen network's vendor interface: locations, screens, approvals, spots and proofs",
    modules: {
      ".": "client/vendor-client",
      "./answer": "client/answer",
      "./spot-client": "client/spot-client",
    },
    commands: {},
    read: [],
    optional: [],
    page: "docs/client-api.md",
  },
  emulator: {
    name: "@spotloop/emulator",
    description: "A whole screen network in one process, for the tests of players and of vendors' programs",
    modules: {
      ".": "emulator/testing/test-emulator",
      "./matchers": "emulator/testing/proof-matchers",
    },
    commands: { "spotloop-emulator": "cli/emulator-main" },
    read: ["assets/creatives", "dist/emulator/dashboard"],
    optional: ["better-sqlite3"],
    page: "docs/emulator.md",
  },
} as const satisfies Readonly<Record<string, Library>>;

export type LibraryName = keyof typeof LIBRARIES;

const NAMES = Object.keys(LIBRARIES) as LibraryName[];

/** Which libraries are asked for, as in `--client --emulator`, and what else is. */
export function readLibraries(args: readonly string[]): { libraries: readonly LibraryName[]; rest: readonly string[] } {
  const libraries = NAMES.filter((name) => args.includes(`--${name}`));
  return { libraries, rest: args.filter((arg) => !NAMES.some((name) => arg === `--${name}`)) };
}
