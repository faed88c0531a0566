import type { ListedProof } from "../../player/proofs/proof-archive.ts";
import type { RefusedProof } from "../../player/proofs/proof-records.ts";
import { csvLine, plain, table, writeOutput } from "../text.ts";

/** The columns of an export, in their order. */
const FIELDS = [
  ...["id", "shownAt", "screenId", "requestId", "itemId", "kind", "state", "attempts", "lastAnswer", "deadlineAt"],
  ...["delayMs", "pop"],
] as const as readonly (keyof ListedProof)[];

export type ExportFormat = "csv" | "jsonl";

/** Writes proofs to standard output as they are read. */
export function writeProofs(proofs: Iterable<ListedProof>, format: ExportFormat): Promise<void> {
  return writeOutput(format === "csv" ? csvOf(proofs) : jsonOf(proofs));
}

function* csvOf(proofs: Iterable<ListedProof>): Generator<string> {
  yield csvLine(FIELDS);
  for (const proof of proofs) yield csvLine(FIELDS.map((field) => proof[field]));
}

function* jsonOf(proofs: Iterable<ListedProof>): Generator<string> {
  for (const proof of proofs) yield `${JSON.stringify(proof)}\n`;
}

/** The list for people, with the screens where there are several. */
export function proofTable(proofs: readonly ListedProof[]): string {
  if (proofs.length === 0) return "no proofs\n";
  const several = proofs.some(({ screenId }) => screenId !== proofs[0]?.screenId);
  const screen = (text: string) => (several ? [text] : []);
  const heading = ["shown (UTC)", "kind", "item", "state", "tries", "last answer", "delay", "request"];
  const rows = proofs.map(({ shownAt, screenId, kind, itemId, state, attempts, lastAnswer, delayMs, requestId }) => {
    const delay = delayMs === null ? "" : seconds(delayMs);
    return [
      shownAt.slice(0, 19).replace("T", " "),
      kind,
      itemId,
      state,
      `${attempts}`,
      lastAnswer ?? "",
      delay,
      requestId,
      ...screen(screenId),
    ].map(plain);
  });
  return `${table([[...heading, ...screen("screen")], ...rows], "", [4, 6]).join("\n")}\n`;
}

/** `17:05:09 ad ad-7 on lobby (HTTP 410)`, by the clocks of a zone. */
export function refusedText({ at, kind, itemId, screenId, status }: RefusedProof, timeZone: string): string {
  const time = new Intl.DateTimeFormat("sv", { timeZone, timeStyle: "medium" }).format(at);
  return `${time} ${kind} ${plain(itemId)} on ${plain(screenId)}${status === null ? "" : ` (HTTP ${status})`}`;
}

/** Milliseconds for people: `85 ms`, `1.2 s`, `12 min`. */
export function seconds(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 120_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
