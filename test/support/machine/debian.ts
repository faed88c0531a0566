import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CACHE } from "../../../scripts/setup/paths.mjs";

/** Debian's releases that Spotloop is for, by their numbers, as its archive calls them. */
export const SUITES = { 12: "bookworm", 13: "trixie" } as const;
export type Release = keyof typeof SUITES;

/** Runs a program, and gives what it said; throws where it fails. */
export type Command = (program: string, ...args: string[]) => Promise<string>;

/**
 * A Debian as a tar, with what is wanted in any case and all that the packages name in these fields: made once for each list
 * of packages, without Spotloop's own. Needs root.
 */
export async function debianFor(
  release: Release,
  debs: readonly string[],
  fields: readonly ("Depends" | "Recommends")[],
  bare: readonly string[],
  command: Command,
  progress: (text: string) => void,
): Promise<string> {
  const named = await Promise.all(debs.map((deb) => command("dpkg-deb", "--field", deb, ...fields)));
  return debianWith(SUITES[release], [...bare, ...wantedBy(named.join("\n"))], command, progress);
}

/** A Debian as a tar, with these packages: made once for each list of them. Needs root. */
export async function debianWith(
  suite: string,
  wanted: readonly string[],
  command: Command,
  progress: (text: string) => void,
): Promise<string> {
  const digest = createHash("sha256")
    .update(JSON.stringify([suite, wanted]))
    .digest("hex")
    .slice(0, 12);
  const file = join(CACHE, `debian-${suite}-${digest}.tar`);
  if (existsSync(file)) return file;
  progress("fetching Debian's packages");
  mkdirSync(CACHE, { recursive: true });
  const partial = `${file}.${process.pid}.partial.tar`;
  try {
    const include = wanted.map((name) => `--include=${name}`);
    await command("mmdebstrap", "--variant=minbase", ...include, suite, partial);
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
  return file;
}

/**
 * What `Depends:` and `Recommends:` name, as apt is asked for it: of alternatives, those that the suite has. Spotloop's own
 * packages are brought. A single field comes without its name.
 */
export function wantedBy(fields: string): string[] {
  const clauses = fields.split("\n").flatMap((line) => line.replace(/^[A-Z][\w-]*: /, "").split(","));
  const names = clauses
    .map((clause) => clause.split("|").map((one) => one.trim().replace(/ .*/, "")))
    .filter(([first = ""]) => first !== "" && first !== "spotloop");
  const asked = names.map((one) => {
    if (one.length === 1) return one[0] ?? "";
    return `?or(${one.map((name) => `?exact-name(${name})`).join(",")})`;
  });
  return [...new Set(asked)].sort();
}
