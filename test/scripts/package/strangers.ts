import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { npm } from "../../../scripts/setup/packages.mjs";

export const ROOT = join(import.meta.dirname, "..", "..", "..");
/** Somebody else's project, which has both packages and nothing of ours beside them. */
export const PROJECT = mkdtempSync(join(tmpdir(), "spotloop-strangers-"));
export const { version, dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
export const tarball = (name: string) => join(ROOT, "dist", "packages", `spotloop-${name}-${version}.tgz`);

/** Packs both, and puts them into the project. */
export function makeProject(): void {
  execFileSync(process.execPath, ["scripts/ready.mjs", "package", "--client", "--emulator"], {
    cwd: ROOT,
    stdio: "pipe",
  });
  writeFileSync(join(PROJECT, "package.json"), JSON.stringify({ private: true, type: "module" }));
  if (!installedByNpm()) installedByHand();
  for (const tool of ["vitest", "expect", "@types/node"]) link(tool);
}

export function removeProject(): void {
  rmSync(PROJECT, { recursive: true, force: true, maxRetries: 10 });
}

/** Only where npm's cache has all that they depend on: nothing is downloaded for a test. */
function installedByNpm(): boolean {
  const [command, ...first] = npm();
  const install = ["install", "--offline", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync(command, [...first, ...install, tarball("client"), tarball("emulator")], {
    cwd: PROJECT,
  });
  return status === 0;
}

/** Unpacks them where npm would, and links what they say they depend on to the checkout's. */
function installedByHand(): void {
  console.log("npm's cache lacks what the packages depend on: it is linked from the checkout");
  rmSync(join(PROJECT, "node_modules"), { recursive: true, force: true });
  for (const name of ["client", "emulator"]) {
    const folder = join(PROJECT, "node_modules", "@spotloop", name);
    mkdirSync(folder, { recursive: true });
    execFileSync("tar", ["xzf", tarball(name), "-C", folder, "--strip-components=1"]);
    for (const needed of Object.keys(manifest(name).dependencies)) link(needed);
  }
}

export function link(name: string): void {
  const path = join(PROJECT, "node_modules", name);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules", name), path, "junction");
}

export function manifest(name: string) {
  return JSON.parse(readFileSync(join(PROJECT, "node_modules", "@spotloop", name, "package.json"), "utf8"));
}

/** Paths in a package, without npm's own `package/` before them. */
export function packed(name: string): readonly string[] {
  const listed = execFileSync("tar", ["tzf", tarball(name)], { encoding: "utf8" });
  return listed
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
}

/** The blocks of a page that are in a language, in order. */
export function blocks(page: string, language: string): readonly string[] {
  const text = readFileSync(join(ROOT, "docs", page), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, code = ""]) => code);
}

/** Runs a file in the project; what it printed, and its exit code. */
export function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: PROJECT,
    encoding: "utf8",
    env: { PATH: process.env.PATH, ...env },
  });
  return { code: status, out: stdout, err: stderr };
}

/** The same beside a server in this process, which would not answer while it is waited for. */
export async function runBeside(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ out: string; err: string }> {
  const options = { cwd: PROJECT, env: { PATH: process.env.PATH, ...env } };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args], options);
  return { out: stdout, err: stderr };
}

export function write(name: string, text: string): string {
  const file = join(PROJECT, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
