/** A test as a run on Windows left it. */
export interface RanTest {
  /** From the checkout's root, with forward slashes. */
  readonly file: string;
  /** Its own name after those of what it stands in, with ` > ` between. */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** The first line of what it said; null where it did not fail. */
  readonly why: string | null;
}

/** What fails under wine and would not on Windows, with the reason. */
export interface WineException {
  readonly reason: string;
  readonly file: string;
  /** The names of tests, as in `RanTest`. */
  readonly tests: readonly string[];
}

/** How a run stands to the list of what wine is to blame for. */
export interface Judgement {
  readonly passed: number;
  readonly skipped: number;
  /** On the list, and failed. */
  readonly excused: number;
  /** One sentence for each test that fails and is not on the list, and for each on the list that does not fail. */
  readonly complaints: readonly string[];
}

/** Vitest's JSON report, as far as it is read. */
export interface VitestReport {
  readonly testResults: readonly {
    /** A path of Windows. */
    readonly name: string;
    readonly status: string;
    /** Why the file itself could not be run. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

/** What stands for a file that could not be run at all. */
export const WHOLE_FILE = "(the file)";

/** All tests of a report; a file that could not be run is one that failed. `root` is the checkout, as Windows names it. */
export function testsIn({ testResults }: VitestReport, root: string): RanTest[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.replaceAll("\\", "/").slice(root.replaceAll("\\", "/").length).replace(/^\//, "");
    const tests = assertionResults.map(({ ancestorTitles, title, status, failureMessages }): RanTest => {
      const outcome = status === "passed" || status === "failed" ? status : "skipped";
      const why = outcome === "failed" ? firstLine(failureMessages?.[0] ?? "") : null;
      return { file, name: [...ancestorTitles, title].join(" > "), outcome, why };
    });
    const isBroken = status === "failed" && !tests.some(({ outcome }) => outcome === "failed");
    return isBroken ? [...tests, { file, name: WHOLE_FILE, outcome: "failed", why: firstLine(message) }] : tests;
  });
}

/**
 * Holds a run against the list, which must be exact. Where only some files were run (`isWhole` false), what is listed for
 * the others is not asked after.
 */
export function judge(ran: readonly RanTest[], exceptions: readonly WineException[], isWhole: boolean): Judgement {
  const files = new Set(ran.map(({ file }) => file));
  const listed = new Set(exceptions.flatMap(({ file, tests }) => tests.map((name) => keyOf(file, name))));
  const failed = ran.filter(({ outcome }) => outcome === "failed");
  const failedKeys = new Set(failed.map(({ file, name }) => keyOf(file, name)));
  const unlisted = failed.filter(({ file, name }) => !listed.has(keyOf(file, name)));
  const stale = exceptions
    .filter(({ file }) => isWhole || files.has(file))
    .flatMap(({ file, tests }) => tests.map((name) => keyOf(file, name)).filter((key) => !failedKeys.has(key)));
  return {
    passed: ran.filter(({ outcome }) => outcome === "passed").length,
    skipped: ran.filter(({ outcome }) => outcome === "skipped").length,
    excused: failed.length - unlisted.length,
    complaints: [
      ...unlisted.map(({ file, name, why }) => `fails and is not listed: ${keyOf(file, name)}: ${why}`),
      ...stale.map((key) => `is listed and does not fail: ${key}`),
    ],
  };
}

/** The list as a table in Markdown, a row for each reason. */
export function exceptionTable(exceptions: readonly WineException[]): string {
  const rows = exceptions.map(({ file, tests, reason }) => `| \`${file}\` | ${tests.length} | ${reason} |\n`);
  return `| Tests | | Why only wine is to blame |\n|---|---|---|\n${rows.join("")}`;
}

function keyOf(file: string, name: string): string {
  return `${file} > ${name}`;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
