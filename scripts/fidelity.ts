// Run by `npm run fidelity`: creatives in the player beside a bare window of the same Electron. `--age` reads how old pages
// are when they are first seen, `--cold` looks for frames that are not whole after kills and cold starts.
import { resolve } from "node:path";
import { ageTable, isYoung, measureAges } from "../test/fidelity/age.ts";
import { coldFigures, coldTable, isWhole, watchColdStarts } from "../test/fidelity/cold.ts";
import { corpus } from "../test/fidelity/corpus.ts";
import { makeMedia } from "../test/fidelity/make-media.ts";
import { runFidelity } from "../test/fidelity/run.ts";
import { isRight } from "../test/fidelity/sample.ts";
import { openSite, type Site } from "../test/fidelity/site.ts";
import { fidelityFigures, fidelityTable } from "../test/fidelity/table.ts";
import { beginRun, type RunningRun } from "../test/figures/run.ts";
import type { Ready } from "./ready.mjs";
import { readArguments } from "./setup/arguments.ts";
import { CALLED_FROM } from "./setup/paths.mjs";
import { prepareElectron } from "./setup/prepare.ts";
import { Stop } from "./setup/stop.mjs";

const STEP = "Starting the comparison";
const USAGE =
  "npm run fidelity -- [PATTERN…] [--short] [--keep DIR] [--display WIDTHxHEIGHT] [--json FILE] | --age PAGES | --cold STARTS";
const OPTIONS = {
  short: { type: "boolean" },
  keep: { type: "string" },
  display: { type: "string", default: "1280x720" },
  age: { type: "string" },
  cold: { type: "string" },
  json: { type: "string" },
} as const;

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const { values, positionals } = readArguments(
    args,
    { options: OPTIONS, allowPositionals: true },
    { step: STEP, usage: USAGE },
  );
  const [pages, starts] = [countOf(values.age), countOf(values.cold)];
  const size = sizeOf(values.display);
  const fromHere = (path: string | undefined) => (path === undefined ? null : resolve(CALLED_FROM, path));
  const keep = fromHere(values.keep);
  const runtime = await prepareElectron(["display", "watching"], ready);
  const measured = beginRun("fidelity", args, runtime, fromHere(values.json));
  const making = ready.say.begin("Making pictures and clips");
  const made = await makeMedia(ready.signal, making.progress);
  making.done();
  const site = await openSite(made);
  try {
    if (pages !== null) return await age(site, pages, ready, measured);
    if (starts !== null) return await cold(site, starts, ready, measured);
    const samples = corpus(site)
      .filter(({ isInShort }) => isInShort || values.short !== true)
      .filter(({ name }) => positionals.length === 0 || positionals.some((pattern) => name.includes(pattern)));
    if (samples.length === 0) throw new Stop(STEP, `No creative is named like ${positionals.join(", ")}.`, USAGE);
    const step = ready.say.begin(`Comparing ${samples.length} creatives on Electron ${runtime.version}`);
    const results = await runFidelity(samples, { ...size, keep, signal: ready.signal, progress: step.progress });
    step.done();
    process.stdout.write(`\n${fidelityTable(results)}`);
    const isWhole = values.short !== true && positionals.length === 0;
    measured.write(isWhole ? "fidelity" : "fidelity-part", fidelityFigures(results));
    return results.every(isRight) ? 0 : 1;
  } finally {
    await site.close();
  }
}

async function age(site: Site, pages: number, { say, signal }: Ready, measured: RunningRun): Promise<number> {
  const step = say.begin(`Reading the age of ${pages} pages`);
  const report = await measureAges(site, { pages, signal, progress: step.progress });
  step.done();
  process.stdout.write(`\n${ageTable(report)}`);
  measured.write("fidelity-age", report);
  return isYoung(report) ? 0 : 1;
}

async function cold(site: Site, starts: number, { say, signal }: Ready, measured: RunningRun): Promise<number> {
  const step = say.begin(`Watching ${starts} cold starts`);
  const results = await watchColdStarts(corpus(site), { starts, signal, progress: step.progress });
  step.done();
  process.stdout.write(`\n${coldTable(results)}`);
  measured.write("fidelity-cold", coldFigures(results));
  return results.every(isWhole) ? 0 : 1;
}

/** An age needs two pages to tell lateness, and a run of a thousand takes an hour. */
function countOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new Stop(STEP, `"${text}" is no number from 1 to 999.`, USAGE);
  return Number(text);
}

function sizeOf(text: string): { readonly width: number; readonly height: number } {
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(text) ?? [];
  if (width === undefined) throw new Stop(STEP, `"${text}" is no size.`, USAGE);
  return { width: Number(width), height: Number(height) };
}
