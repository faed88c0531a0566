import { createHash } from "node:crypto";

/** How a proof-of-play URL is named in logs and on pages: its host and a short hash, never the URL itself (F11). */
export function popLabel(pop: string): string {
  const hash = createHash("sha256").update(pop).digest("hex").slice(0, 8);
  return `${URL.canParse(pop) ? new URL(pop).host : "not a URL"}#${hash}`;
}
