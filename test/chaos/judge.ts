import { LATE_PAINT_MS } from "../../src/core/loop/state.ts";
import type { ListedProof } from "../../src/player/proofs/proof-archive.ts";
import type { Ledger } from "./network.ts";
import type { Told } from "./told.ts";

/** All that is known after the last kill: from the players, their store, the network, and the killer. */
export interface Evidence {
  readonly told: readonly Told[];
  readonly proofs: readonly ListedProof[];
  readonly ledger: Ledger;
  readonly audit: readonly { readonly violation: string; readonly detail: string }[];
  readonly killedAt: readonly number[];
  /** What `integrity_check` said of each database after each kill, where it was not "ok". */
  readonly unsound: readonly string[];
}

/** What came of it; each of `violations` is a broken promise. */
export interface Verdicts {
  readonly shown: number;
  readonly proved: number;
  readonly lost: number;
  readonly falseProofs: number;
  readonly duplicates: number;
  /** By one kill. */
  readonly mostDuplicates: number;
  readonly cued: number;
  readonly brokenCued: number;
  readonly unsound: number;
  readonly violations: readonly string[];
}

/** What the auditor, who knows of no kills, says of repeats: each is held against the kills here. */
const REPEATED = "duplicate-after-success";

export function judge(evidence: Evidence): Verdicts {
  const { told, proofs, audit, killedAt, unsound } = evidence;
  const calls = callsOf(evidence.ledger);
  const keyOf = ({ requestId, kind }: { requestId: string; kind: string }) => `${requestId} ${kind}`;
  const shown = new Set(told.flatMap((entry) => (entry.what === "shown" ? [keyOf(entry)] : [])));
  const kept = new Map(proofs.map((proof) => [keyOf(proof), proof]));
  const endsAt = new Map(
    told.flatMap((entry) => (entry.what === "painted" ? [[keyOf(entry), entry.at + entry.durationMs] as const] : [])),
  );
  const lost = [
    ...[...shown].filter((key) => !kept.has(key)).map((key) => `${key}: shown, and not in the store`),
    ...[...kept].flatMap(([key, { state }]) => (state === "delivered" ? [] : [`${key}: in the end ${state}`])),
    ...[...kept.keys()].filter((key) => !isCounted(calls.get(key))).map((key) => `${key}: not counted by the network`),
  ];
  const unearned = [...calls].flatMap(([key, [first]]) => {
    if (first === undefined) return [];
    if (!kept.has(key)) return [`${key}: proved, and never owed`];
    const end = endsAt.get(key);
    if (end === undefined) return [`${key}: proved, and never on the stage`];
    return first.at >= end - LATE_PAINT_MS - CLOCKS_MS
      ? []
      : [`${key}: proved ${end - first.at} ms before it had been shown in full`];
  });
  const repeats = [...calls].flatMap(([key, own]) =>
    own.slice(1).map(({ at }, index) => ({ key, at, after: own[index]?.at ?? 0 })),
  );
  const byKill = repeats.map(({ at, after }) =>
    killedAt.find((killed) => killed >= after - HANDLED_MS && killed <= at),
  );
  const unexplained = repeats.filter((_, index) => byKill[index] === undefined).map(({ key }) => `${key}: sent twice`);
  const counts = killedAt.map((killed) => byKill.filter((by) => by === killed).length);
  const tooMany = counts.flatMap((count, index) => (count > 1 ? [`${count} duplicates by kill ${index + 1}`] : []));
  const cued = told.flatMap((entry) => (entry.what === "cued" ? [entry.whole] : []));
  const broken = cued.filter((whole) => !whole).map(() => "a broken file was cued");
  const audited = audit.flatMap(({ violation, detail }) => (violation === REPEATED ? [] : [`${violation}: ${detail}`]));
  return {
    ...{ shown: shown.size, proved: [...calls.values()].filter(isCounted).length },
    ...{ lost: lost.length, falseProofs: unearned.length, duplicates: repeats.length },
    ...{
      mostDuplicates: Math.max(0, ...counts),
      cued: cued.length,
      brokenCued: broken.length,
      unsound: unsound.length,
    },
    violations: [...lost, ...unearned, ...unexplained, ...tooMany, ...broken, ...unsound, ...audited],
  };
}

interface Call {
  readonly at: number;
  readonly verdict: string;
}

// The end of an item is planned: one whose first frame came up to `LATE_PAINT_MS` late is so much shorter.

/** Two processes of one machine read one clock, to the millisecond. */
const CLOCKS_MS = 2;

/** A call that was under way when its player was killed is handled so much later on a machine that has more to do. */
const HANDLED_MS = 250;

function callsOf(ledger: Ledger): ReadonlyMap<string, readonly Call[]> {
  return new Map(
    ledger.flatMap(({ requestId, ...items }) =>
      (["news", "ad"] as const).map((kind) => {
        const pops = items[kind]?.pops ?? [];
        return [`${requestId} ${kind}`, pops.map(({ at, verdict }) => ({ at: Date.parse(at), verdict }))] as const;
      }),
    ),
  );
}

function isCounted(calls: readonly Call[] | undefined): boolean {
  return calls?.some(({ verdict }) => verdict === "counted") ?? false;
}
