import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import envPaths from "env-paths";
import { type Answer, ok } from "../../client/answer.ts";
import type { VendorService } from "../../client/vendor-service.ts";
import type { VenueTree, VenueType } from "../../core/venue-type.ts";
import { venueTypesSchema } from "../../wire/venue-type.ts";

/** Venue types may be kept for so long (A19). */
export const KEPT_MS = 24 * 3_600_000;

/**
 * A service's venue types by id, from this user's cache for a day, else from the service; `again`: not from the cache.
 * `whose` names service and organization; only its hash is written down.
 */
export async function cachedTree(
  service: VendorService,
  whose: string,
  signal: AbortSignal,
  again = false,
): Promise<Answer<VenueTree>> {
  const file = fileOf(whose);
  const kept = again ? null : readKept(file);
  if (kept !== null) return ok(treeOf(kept));
  const listed = await service.listVenueTypes(signal);
  if (listed.kind !== "ok") return listed;
  keep(file, listed.value);
  return ok(treeOf(listed.value));
}

function treeOf(types: readonly VenueType[]): VenueTree {
  return new Map(types.map((type) => [type.id, type]));
}

function fileOf(whose: string): string {
  const name = createHash("sha256").update(whose).digest("hex").slice(0, 16);
  return join(envPaths("spotloop", { suffix: "" }).cache, `venue-types-${name}.json`);
}

/** What was kept less than a day ago, or null; a file that cannot be read is as good as none. */
function readKept(file: string): readonly VenueType[] | null {
  try {
    const ageMs = Date.now() - statSync(file).mtimeMs;
    if (ageMs < 0 || ageMs > KEPT_MS) return null;
    return venueTypesSchema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data ?? null;
  } catch {
    return null;
  }
}

/** Where nothing can be kept, the service is asked each time. */
function keep(file: string, types: readonly VenueType[]): void {
  try {
    mkdirSync(join(file, ".."), { recursive: true });
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(types), { mode: 0o600 });
    renameSync(unfinished, file);
  } catch {
    return;
  }
}
