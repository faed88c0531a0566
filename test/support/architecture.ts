import { posix } from "node:path";

/** A source file: its path from the root, with forward slashes, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** One import or re-export; `typesOnly` when nothing of it is left at run time. */
interface Import {
  readonly from: string;
  readonly typesOnly: boolean;
  /** Loaded when it is wanted: who imports so may be imported back. */
  readonly isLate: boolean;
}

/** Who may import whom, besides itself. `main` carries the command line, so that one executable does everything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  wire: ["core"],
  client: ["wire", "core"],
  player: ["client", "wire", "core"],
  main: ["player", "client", "wire", "core", "cli"],
  emulator: ["wire", "core"],
  cli: ["player", "client", "emulator", "wire", "core"],
  renderer: ["core"],
};

/**
 * Folders that may import only these packages; the others may import any but the two below. What the core may import is
 * pure: it knows no time, no chance and no machine.
 */
const PACKAGES: Readonly<Record<string, readonly string[]>> = { core: ["ipaddr.js"], wire: ["zod"], renderer: [] };

/** Packages that tie code to a machine, and the only places that may know them. */
const TIED: Readonly<Record<string, RegExp>> = {
  electron: /^src\/main\//,
  "better-sqlite3": /^src\/(?:player\/stores\/database|emulator\/store(?:\/[a-z-]+)?)\.ts$/,
};

/** What waits, tells the time or rolls random. The core is handed all of that. */
const NOT_IN_CORE: readonly RegExp[] = [
  /\bDate\.now\b/,
  /\bDate\(\)/,
  /\bnew Date\b(?!\s*\()/,
  /\bMath\.random\b/,
  /\bperformance\b/,
  /\bprocess\b/,
  /\bTemporal\.Now\b/,
  /\bset(?:Timeout|Interval|Immediate)\b/,
  /\bqueueMicrotask\b/,
  /\brequestAnimationFrame\b/,
  /\bcrypto\b/,
  /\bfetch\(/,
  /\bawait\b/,
];

/** What a source does that design and style forbid, each with its reason; empty when it keeps to them. */
export function violations(source: Source): string[] {
  const code = withoutComments(source.text);
  const folder = folderOf(source.path);
  const found = importsIn(code).flatMap((item) => importViolations(source.path, folder, item));
  if (/\bexport\s+default\b|\bexport\s*\{[^}]*\bas default\b/.test(code)) found.push("exports a default");
  if (/\bexport\s+(?:type\s+)?(?:\*|\{[^}]*\})[^;]*?\bfrom\b/.test(code))
    found.push("passes on what another file exports");
  if (posix.basename(source.path) === "index.ts") found.push("is a barrel");
  if (folder === "core") {
    for (const pattern of NOT_IN_CORE) {
      const match = pattern.exec(withoutStrings(code));
      if (match !== null) found.push(`has ${match[0]} in the core`);
    }
  }
  return found.map((what) => `${source.path} ${what}`);
}

function importViolations(path: string, folder: string, { from, typesOnly }: Import): string[] {
  if (from.startsWith(".")) return crossing(path, folder, posix.join(posix.dirname(path), from), typesOnly);
  const name = packageOf(from);
  const place = TIED[name];
  if (place !== undefined) return place.test(path) ? [] : [`imports ${name}`];
  const allowed = PACKAGES[folder];
  return allowed === undefined || allowed.includes(name) ? [] : [`imports ${from}`];
}

function crossing(path: string, folder: string, target: string, typesOnly: boolean): string[] {
  const other = folderOf(target);
  if (other !== folder && !MAY_IMPORT[folder]?.includes(other)) return [`imports ${target}`];
  const inBrowser = folder === "renderer" || isDashboard(path);
  const leaves = isDashboard(path) ? !isDashboard(target) : other !== folder;
  return inBrowser && leaves && !typesOnly ? [`imports more than types from ${target}`] : [];
}

/** "core" of `src/core/spot.ts`, "renderer" of `renderer/media/media.ts`. */
function folderOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first === "src" ? second : first;
}

/** The emulator's page runs in a browser, like everything in renderer. */
function isDashboard(path: string): boolean {
  return path.startsWith("src/emulator/dashboard/");
}

/** "@scope/name" of `@scope/name/part`, "node:fs" of `node:fs/promises`. */
function packageOf(from: string): string {
  return from.split("/", from.startsWith("@") ? 2 : 1).join("/");
}

function importsIn(code: string): Import[] {
  const statements = /\b(?:import|export)\s+(type\s)?(?:([\w*\s{},$]+?)\s+from\s+)?["']([^"']+)["']/g;
  const calls = /\bimport\(\s*["'`]([^"'`]+)["'`]/g;
  return [
    ...[...code.matchAll(statements)].map(([, type, names = "", from = ""]) => ({
      from,
      typesOnly: type !== undefined || /^\{(?:\s*type\s+[^,}]+,?)+\s*\}$/.test(names.trim()),
      isLate: false,
    })),
    ...[...code.matchAll(calls)].map(([, from = ""]) => ({ from, typesOnly: false, isLate: true })),
  ];
}

/** Strings are kept whole, so that "https://…" is not taken for a comment. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/.*/g,
    (_, string) => string ?? "",
  );
}

function withoutStrings(code: string): string {
  return code.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, '""');
}

/** Each source that imports itself by way of others, types included, as the way there and back. */
export function cycles(sources: readonly Source[]): string[] {
  const imports = new Map(
    sources.map(({ path, text }) => {
      const found = importsIn(withoutComments(text)).filter(({ from, isLate }) => from.startsWith(".") && !isLate);
      return [path, found.map(({ from }) => posix.join(posix.dirname(path), from))] as const;
    }),
  );
  const wayBack = (start: string): readonly string[] | null => {
    const ways: (readonly string[])[] = [[start]];
    const seen = new Set<string>();
    for (const way of ways) {
      for (const next of imports.get(way.at(-1) ?? "") ?? []) {
        if (next === start) return [...way, start];
        if (!seen.has(next)) ways.push([...way, next]);
        seen.add(next);
      }
    }
    return null;
  };
  return [...imports.keys()].flatMap((path) => wayBack(path)?.join(" → ") ?? []);
}

/** What may lie at the top level, besides dotfiles and what git ignores. */
const TOP_LEVEL: ReadonlySet<string> = new Set([
  ...["package.json", "package-lock.json", "tsconfig.json", "electron-builder.yml"],
  ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"],
  ...["src", "renderer", "test", "assets", "docs", "scripts"],
]);

/** The entries of the root folder that belong nowhere. `ignored` are names, or endings as in "*.log". */
export function strangers(entries: readonly string[], ignored: readonly string[]): string[] {
  const isIgnored = (entry: string) =>
    ignored.some((name) => name === entry || (name[0] === "*" && entry.endsWith(name.slice(1))));
  return entries.filter((entry) => !entry.startsWith(".") && !TOP_LEVEL.has(entry) && !isIgnored(entry));
}
