// Run after Electron is there: an Electron older than Node-API 10 cannot load the binary that better-sqlite3 ships.
import { existsSync, readFileSync, statSync } from "node:fs";
import { copyFile, cp, mkdir, rename, rm } from "node:fs/promises";
import { delimiter, dirname } from "node:path";
import type { Ready } from "../ready.mjs";
import type { Runtime } from "./electron.ts";
import { CACHE, ROOT } from "./paths.mjs";
import { run } from "./run.mjs";
import type { Step } from "./steps.mjs";
import { Stop } from "./stop.mjs";
import { ensureSystem } from "./system.ts";

const STEP = "Building better-sqlite3 for this Electron";
const PACKAGE = `${ROOT}/node_modules/better-sqlite3`;
/** better-sqlite3 prefers this one to the binary that it ships. */
const PREFERRED = `${PACKAGE}/build/Release/better_sqlite3.node`;
/** The first Electron whose Node (22.14) has Node-API 10. */
const FIRST_WITH_NODE_API_10 = 35;

/** Builds it from source once, keeps it, and puts it where better-sqlite3 looks; a newer Electron gets the shipped one. */
export async function ensureSqlite(runtime: Runtime, ready: Ready): Promise<void> {
  const { version } = JSON.parse(readFileSync(`${PACKAGE}/package.json`, "utf8"));
  const built = `${CACHE}/better-sqlite3-${version}.node`;
  const inPlace = isSame(built, PREFERRED);
  if (needsBuild(runtime.version) === inPlace) return;
  if (inPlace) return rm(`${PACKAGE}/build`, { recursive: true });
  if (!existsSync(built)) await build(built, ready);
  await mkdir(dirname(PREFERRED), { recursive: true });
  await copyFile(built, `${PREFERRED}.partial`);
  await rename(`${PREFERRED}.partial`, PREFERRED);
}

export function needsBuild(electronVersion: string): boolean {
  return Number.parseInt(electronVersion, 10) < FIRST_WITH_NODE_API_10;
}

/** By size: both are only ever written whole. */
function isSame(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && statSync(one).size === statSync(other).size;
}

async function build(built: string, { say, signal }: Ready): Promise<void> {
  await ensureSystem(["compiling"], { say, signal });
  const step = say.begin(`${STEP} (a few minutes)`);
  const work = `${built}.partial`;
  await rm(work, { recursive: true, force: true });
  try {
    await cp(PACKAGE, work, {
      recursive: true,
      filter: (path) => !/better-sqlite3\/(?:build|prebuilds)(?:\/|$)/.test(path),
    });
    await compile(work, step, signal);
    const binary = `${work}/build/Release/better_sqlite3.node`;
    await prove(binary, signal);
    await rename(binary, built);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  step.done("ready");
}

/**
 * Built as "experimental" Node-API, which an older Node accepts and which leaves out the parts that only a newer one has.
 * The headers are those of the Node that runs this: it has come with them.
 */
async function compile(folder: string, step: Step, signal: AbortSignal): Promise<void> {
  const headers = dirname(dirname(process.execPath));
  const args = ["rebuild", "--release", "--force_build=1", "--jobs=max"];
  if (existsSync(`${headers}/include/node/node_api.h`)) args.push(`--nodedir=${headers}`);
  const startedAt = performance.now();
  const timer = setInterval(() => step.progress(`${Math.round((performance.now() - startedAt) / 1000)} s`), 1_000);
  const { ok, said } = await run(process.execPath, [`${ROOT}/node_modules/node-gyp/bin/node-gyp.js`, ...args], {
    cwd: folder,
    signal,
    env: {
      ...process.env,
      CXXFLAGS: EXPERIMENTAL,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    },
  }).finally(() => clearInterval(timer));
  if (!ok) throw new Stop(STEP, said, "It needs python3, make and g++ (C++20): see what is wrong with them above.");
}

const EXPERIMENTAL =
  "-UNAPI_VERSION -DNAPI_VERSION=2147483647 -DNAPI_EXPERIMENTAL -DNODE_API_EXPERIMENTAL_NOGC_ENV_OPT_OUT -w";

/** A binary that cannot be loaded kills the whole process: better a child's. */
async function prove(binary: string, signal: AbortSignal): Promise<void> {
  const code = `new (require("better-sqlite3"))(":memory:", { nativeBinding: process.argv[1] }).prepare("select 1").get()`;
  const { ok, said } = await run(process.execPath, ["--eval", code, binary], { cwd: ROOT, signal });
  if (!ok) throw new Stop(STEP, `What was built does not work: ${said}`, `Run \`npm ci\`, then say the same again.`);
}
