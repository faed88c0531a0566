import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { sum } from "../bench/statistics.ts";
import { atOnce } from "../figures/at-once.ts";
import type { Verdicts } from "./judge.ts";
import { type ChaosOptions, type ChaosResult, runChaos } from "./run.ts";

/** More kills go to players with another data folder and another screen network: what each has to look through stays short. */
const KILLS_A_PART = 500;

/** The kills in parts of a seed each, the first of them the one that is given. */
export function partsOf(kills: number, seed: number): readonly { readonly kills: number; readonly seed: number }[] {
  return Array.from({ length: Math.ceil(kills / KILLS_A_PART) }, (_, index) => ({
    kills: Math.min(KILLS_A_PART, kills - index * KILLS_A_PART),
    seed: seed + index,
  }));
}

/** Kills as many players at once as it is told, and adds up what came of it. Where one part fails, the others end. */
export async function runInParts(options: ChaosOptions & { readonly atOnce: number }): Promise<ChaosResult> {
  const { kills, seed, folder, progress } = options;
  const parts = partsOf(kills, seed);
  const results: ChaosResult[] = [];
  const next = parts.values();
  await atOnce(Math.min(options.atOnce, parts.length), options.signal, async (signal) => {
    // All take the next from one line.
    for (const part of next) {
      const own = join(folder, `seed-${part.seed}`);
      mkdirSync(own);
      const tell = (text: string) => progress(`seed ${part.seed}, ${text}`);
      results.push(await runChaos({ ...part, folder: own, signal, progress: tell }));
    }
  });
  return { ...addUp(results), seed };
}

/** What came of parts taken together; each violation says in which seed's. */
export function addUp(parts: readonly ChaosResult[]): Omit<ChaosResult, "seed"> {
  const total = (of: (part: ChaosResult) => number) => sum(parts.map(of));
  const moments = [...new Set(parts.flatMap(({ killedWhile }) => Object.keys(killedWhile)))];
  const verdicts: Verdicts = {
    ...{ shown: total(({ shown }) => shown), proved: total(({ proved }) => proved) },
    ...{ lost: total(({ lost }) => lost), falseProofs: total(({ falseProofs }) => falseProofs) },
    duplicates: total(({ duplicates }) => duplicates),
    mostDuplicates: Math.max(0, ...parts.map(({ mostDuplicates }) => mostDuplicates)),
    ...{ cued: total(({ cued }) => cued), brokenCued: total(({ brokenCued }) => brokenCued) },
    unsound: total(({ unsound }) => unsound),
    violations: parts.flatMap(({ seed, violations }) => violations.map((text) => `seed ${seed}: ${text}`)),
  };
  const killedWhile = Object.fromEntries(moments.map((name) => [name, total((part) => part.killedWhile[name] ?? 0)]));
  return { kills: total(({ kills }) => kills), killedWhile, ...verdicts };
}
