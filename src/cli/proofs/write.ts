import { once } from "node:events";
import type { ListedProof } from "../../player/proofs/proof-archive.ts";
import { table } from "../text.ts";

/** The columns of an export, in their order. */
const FIELDS = [
  ...["id", "shownAt", "screenId", "requestId", "itemId", "kind", "state", "attempts", "lastAnswer", "deadlineAt"],
  ...["delayMs", "pop"],
] as const as readonly (keyof ListedProof)[];

export type ExportFormat = "csv" | "jsonl";

/** Writes proofs as they are read, no faster than they are taken; whoever takes no more, as `head` does, gets no more. */
export async function writeProofs(proofs: Iterable<ListedProof>, format: ExportFormat): Promise<void> {
  const { stdout } = process;
  stdout.on("error", ignoreClosed);
  if (format === "csv") stdout.write(`${FIELDS.join()}\r\n`);
  for (const proof of proofs) {
    if (stdout.destroyed || stdout.errored !== null) return;
    if (stdout.write(format === "csv" ? csvLine(proof) : `${JSON.stringify(proof)}\n`)) continue;
    await Promise.race([once(stdout, "drain"), once(stdout, "close")]).catch(ignoreClosed);
  }
}

function ignoreClosed(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EPIPE")) throw error;
}

/** RFC 4180. A cell that a spreadsheet would take for a formula is told to be text. */
function csvLine(proof: ListedProof): string {
  const cells = FIELDS.map((field) => {
    const text = String(proof[field] ?? "");
    const safe = /^[=+\-@\t\r]/.test(text) && typeof proof[field] === "string" ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join()}\r\n`;
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
    ];
  });
  return `${table([[...heading, ...screen("screen")], ...rows], "", [4, 6]).join("\n")}\n`;
}

/** Milliseconds for people: `85 ms`, `1.2 s`, `12 min`. */
export function seconds(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 120_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
