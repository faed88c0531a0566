import type { ListedProof } from "../../src/player/proofs/proof-archive.ts";
import type { Ledger } from "../chaos/network.ts";

/** All that is known when the last proof is delivered: from the journals, the disk, the network, and the power switch. */
export interface Evidence {
  /** The player's journals of all boots, as far as they got out of the machine: a line each. */
  readonly told: readonly string[];
  readonly proofs: readonly Pick<ListedProof, "requestId" | "kind" | "state">[];
  readonly ledger: Ledger;
  readonly audit: readonly { readonly violation: string; readonly detail: string }[];
  /** When the power went, or the player was ended in the midst of its work, Unix epoch milliseconds. */
  readonly endedAt: readonly number[];
  /** What was wrong with files and databases after each cut. */
  readonly flaws: readonly string[];
}

/** What came of it; each of `violations` is a broken promise. */
export interface Verdicts {
  readonly shown: number;
  readonly counted: number;
  readonly lost: number;
  readonly falseProofs: number;
  readonly duplicates: number;
  readonly broken: number;
  readonly violations: readonly string[];
}

/**
 * What the auditor, who knows of no such ends, says of repeats: each is held against them here. And what is not shown
 * because the power was off is no proof that is missing.
 */
const EXCUSED = new Set(["duplicate-after-success", "low-proof-rate"]);

/** A call that was under way then may be handled so much later on a machine that has more to do. */
const HANDLED_MS = 1_000;

/** Holds the network's ledger against what the machine said and what is on its disk. */
export function judge({ told, proofs, ledger, audit, endedAt, flaws }: Evidence): Verdicts {
  const ended = told.flatMap((line) => endIn(line) ?? []);
  const shown = new Set(ended.flatMap(({ key, failed }) => (failed === null ? [key] : [])));
  const kept = new Map(proofs.map((proof) => [keyOf(proof), proof]));
  const calls = callsOf(ledger);
  const counted = new Set([...calls].flatMap(([key, own]) => (own.some(isCounted) ? [key] : [])));
  const lost = [
    ...[...shown].filter((key) => !kept.has(key)).map((key) => `${key}: shown, and not on the disk`),
    ...[...kept].flatMap(([key, { state }]) => (state === "delivered" ? [] : [`${key}: in the end ${state}`])),
    ...[...kept.keys()].filter((key) => !counted.has(key)).map((key) => `${key}: not counted by the network`),
  ];
  const called = [...calls].flatMap(([key, own]) => (own.length > 0 ? [key] : []));
  const failed = new Map(ended.flatMap(({ key, failed: why }) => (why === null ? [] : [[key, why] as const])));
  const untrue = [
    ...called.filter((key) => !kept.has(key)).map((key) => `${key}: proved, and not on the disk`),
    ...called.filter((key) => failed.has(key)).map((key) => `${key}: proved, and failed: ${failed.get(key)}`),
  ];
  const repeats = [...calls].flatMap(([key, own]) =>
    own.slice(1).map(({ at }, index) => ({ key, at, after: own[index]?.at ?? 0 })),
  );
  const isByEnd = ({ at, after }: { at: number; after: number }) =>
    endedAt.some((end) => end >= after - HANDLED_MS && end <= at);
  const unexplained = repeats
    .filter((repeat) => !isByEnd(repeat))
    .map(({ key }) => `${key}: sent twice, and not ended in between`);
  const broken = [
    ...flaws,
    ...[...failed].flatMap(([key, why]) => (why === "undecodable" ? [`${key}: a broken file was cued`] : [])),
  ];
  const audited = audit.flatMap(({ violation, detail }) => (EXCUSED.has(violation) ? [] : [`${violation}: ${detail}`]));
  return {
    ...{ shown: shown.size, counted: counted.size, lost: lost.length, falseProofs: untrue.length },
    ...{ duplicates: repeats.length, broken: broken.length },
    violations: [...lost, ...untrue, ...unexplained, ...broken, ...audited],
  };
}

/** How an item ended, as a line of the player's journal says it; null for any other line. */
export function endIn(line: string): { readonly key: string; readonly failed: string | null } | null {
  const [, end, fields = ""] = / item (shown|failed) (.*)$/.exec(line) ?? [];
  const [, requestId] = /\brequestId=(\S+)/.exec(fields) ?? [];
  const [, kind] = /\bkind=(news|ad)\b/.exec(fields) ?? [];
  if (requestId === undefined || kind === undefined) return null;
  return { key: `${requestId} ${kind}`, failed: end === "shown" ? null : (/\breason=(\S+)/.exec(fields)?.[1] ?? "?") };
}

function keyOf({ requestId, kind }: { readonly requestId: string; readonly kind: string }): string {
  return `${requestId} ${kind}`;
}

interface Call {
  readonly at: number;
  readonly verdict: string;
}

function callsOf(ledger: Ledger): ReadonlyMap<string, readonly Call[]> {
  return new Map(
    ledger.flatMap(({ requestId, ...items }) =>
      (["news", "ad"] as const).map((kind) => {
        const own = items[kind]?.pops ?? [];
        const calls = own.map(({ at, verdict }) => ({ at: Date.parse(at), verdict }));
        return [keyOf({ requestId, kind }), calls] as const;
      }),
    ),
  );
}

function isCounted({ verdict }: Call): boolean {
  return verdict === "counted";
}
