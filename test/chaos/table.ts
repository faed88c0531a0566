import type { ChaosResult } from "./run.ts";

/** What came of a run, as it is read; the violations, where there are any, below. */
export function chaosTable(result: ChaosResult): string {
  const { kills, seed, killedWhile, shown, proved, duplicates, mostDuplicates, cued, violations } = result;
  const moments = Object.entries(killedWhile).map(([name, count]) => `${count} ${name}`);
  const rows = [
    ["kills", `${kills} (${moments.join(", ")})`],
    ["items shown in full", `${shown}`],
    ["proofs counted by the network", `${proved}`],
    ["proofs lost", `${result.lost}`],
    ["false proofs", `${result.falseProofs}`],
    ["duplicates, each of them by a kill", `${duplicates}, at most ${mostDuplicates} by one kill`],
    ["files cued", `${cued}`],
    ["broken files cued", `${result.brokenCued}`],
    ["databases that fail integrity_check", `${result.unsound}`],
  ];
  const width = Math.max(...rows.map(([name = ""]) => name.length));
  const lines = rows.map(([name = "", value]) => `  ${name.padEnd(width)}  ${value}\n`);
  const wrong =
    violations.length === 0 ? "nothing was broken\n" : `${violations.map((text) => `  ${text}\n`).join("")}`;
  return `seed ${seed}\n${lines.join("")}\n${wrong}`;
}
