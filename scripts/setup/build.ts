// Run by every script that runs the product: compiles src and renderer to dist, when anything there has changed.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Ready } from "../ready.mjs";
import { bundlePlayer } from "./bundle.ts";
import { ROOT } from "./paths.mjs";
import { run } from "./run.mjs";
import { Stop } from "./stop.mjs";

const STEP = "Building";
const DIST = `${ROOT}/dist`;
const STAMP = `${DIST}/.built`;

/** Compiles and copies the pages' static files; at once when the sources are the ones that were built last. */
export async function ensureBuild({ say, signal }: Ready): Promise<void> {
  const stamp = fingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp) return;

  const step = say.begin(STEP);
  await rm(STAMP, { force: true });
  const tsc = [`${ROOT}/node_modules/typescript/bin/tsc`, "--build", ...products()];
  const { ok, said } = await run(process.execPath, tsc, { cwd: ROOT, signal });
  if (!ok) throw new Stop(STEP, said, "Mend what the compiler complains about.");
  await removeOrphans();
  await copyStatic();
  await copyPlots();
  await bundlePlayer(DIST);
  await writeFile(STAMP, stamp);
  step.done();
}

/** The projects that make the product: all that the root's tsconfig names but scripts and tests, which run as they are. */
function products(): string[] {
  const { references } = JSON.parse(readFileSync(`${ROOT}/tsconfig.json`, "utf8"));
  const paths: string[] = references.map((reference: { path: string }) => reference.path);
  return paths.filter((path) => path !== "scripts" && path !== "test");
}

/** Where a source's output goes: `src/core/spot.ts` to `dist/core/`, `renderer/slate.html` to `dist/renderer/`. */
export function outputOf(source: string): string {
  return source.replace(/^src[\\/]/, "");
}

/** Of every source's path, size and time of change: reads no file but those that decide how all are compiled and bundled. */
function fingerprint(): string {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", "tsconfig.json", "scripts/setup/bundle.ts"])
    hash.update(readFileSync(`${ROOT}/${file}`));
  for (const path of sources()) {
    const { size, mtimeMs } = statSync(`${ROOT}/${path}`);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function sources(): string[] {
  return ["src", "renderer"].flatMap((folder) => filesIn(folder)).sort();
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(`${ROOT}/${folder}`, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

async function copyStatic(): Promise<void> {
  for (const source of sources().filter((path) => !/(?:\.ts|tsconfig[^\\/]*\.json)$/.test(path))) {
    const target = join(DIST, outputOf(source));
    await mkdir(dirname(target), { recursive: true });
    await cp(`${ROOT}/${source}`, target, { preserveTimestamps: true });
  }
}

/** The dashboard's plots are drawn by uPlot, as published; its licence, which has to go with it, is put on top. */
async function copyPlots(): Promise<void> {
  const [from, to] = [`${ROOT}/node_modules/uplot`, `${DIST}/emulator/dashboard`];
  const [script, licence] = [`${from}/dist/uPlot.iife.min.js`, `${from}/LICENSE`].map((path) =>
    readFileSync(path, "utf8"),
  );
  await writeFile(`${to}/uplot.js`, `/*!\n${licence}*/\n${script}`);
  await cp(`${from}/dist/uPlot.min.css`, `${to}/uplot.css`);
}

/** The compiler leaves the output of a deleted or renamed source behind, and a package would carry it along for ever. */
async function removeOrphans(): Promise<void> {
  const expected = new Set(sources().map((path) => outputOf(path).replace(/\.ts$/, "")));
  for (const path of filesIn("dist")) {
    const made = /^dist[\\/](?!app[\\/])(.+?)\.(?:js|js\.map|d\.ts)$/.exec(path)?.[1];
    if (made !== undefined && !made.startsWith(".") && !expected.has(made) && !expected.has(`${made}.js`))
      await rm(`${ROOT}/${path}`);
  }
}
