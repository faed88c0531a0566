import type { Outcome } from "./simulation.ts";
import { instantOf } from "./trace.ts";

/** What a simulation came to, as a table for people. */
export function tableOf(outcome: Outcome): string {
  const { totals, machine, failed, faults, days, spots, hash, events, seed } = outcome;
  const rows: (readonly [string, string | number])[] = [
    ["Virtual days", round(days)],
    ["Seed", seed],
    ["Spots given out", spots],
    ["Items shown in full", totals.shown],
    ["Items failed", listed(failed)],
    ["Proofs delivered", totals.delivered],
    ["Proofs refused", totals.refused],
    ["Proofs expired", totals.expired],
    ["Proofs lost with what the disk refused, at a crash", totals.lostWithDisk],
    ["Proofs lost where the file itself was damaged", totals.lostWithDamage],
    ["Proofs sent once more after a crash", totals.repeated],
    ...Object.entries(machine).map(([name, count]) => [capital(name), count] as const),
    ["Faults", Object.values(faults).reduce((sum, count) => sum + count, 0)],
    ...Object.entries(faults).map(([name, count]) => [`  ${name}`, count] as const),
    ["Seconds for a virtual day", round(outcome.realMs / 1000 / days)],
    ["Events", events],
    ["Trace", hash],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join("");
}

/** What went wrong, and how to see it again. */
export function complaintOf({ seed, failure, hash }: Outcome, days: number): string {
  if (failure === null) return "";
  return [
    `The simulation failed with seed ${seed} at ${instantOf(failure.at)} of virtual time (trace ${hash}):`,
    ...failure.complaints.map((complaint) => `  - ${complaint}`),
    "What came before:",
    ...failure.last.map((line) => `  ${line}`),
    `It fails again the same way with: npm run simulate -- --days ${days} --seed ${seed}`,
    "",
  ].join("\n");
}

function listed(counts: Readonly<Record<string, number>>): string {
  const sum = Object.values(counts).reduce((all, count) => all + count, 0);
  const parts = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return `${sum}${parts.length === 0 ? "" : ` (${parts.map(([name, count]) => `${name} ${count}`).join(", ")})`}`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
