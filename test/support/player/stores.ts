import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type ListedProof, ProofArchive } from "../../../src/player/proofs/proof-archive.ts";
import { RecordArchive } from "../../../src/player/record/record-archive.ts";
import type { StoredRow } from "../../../src/player/record/record-row.ts";
import { codeOf, openShared } from "../../../src/player/stores/database.ts";
import { recordFlaws } from "./record-flaws.ts";

const DATABASES = ["proofs.db", "media.db"];

/**
 * What is wrong with the databases of a data folder, each flaw after its file's name. Looks at copies in `scratch`: opening
 * the files themselves would mend what the player is to find.
 */
export function flawsIn(dataDir: string, scratch: string): string[] {
  return DATABASES.filter((name) => existsSync(join(dataDir, name))).flatMap((name) => {
    const copy = join(scratch, `copy-${name}`);
    for (const suffix of ["", "-wal"]) {
      rmSync(copy + suffix, { force: true });
      if (existsSync(join(dataDir, name + suffix))) copyFileSync(join(dataDir, name + suffix), copy + suffix);
    }
    const said = integrityOf(copy);
    const flaws = said !== "ok" ? [said] : name === "proofs.db" ? recordFlaws(copy) : [];
    return flaws.map((flaw) => `${name}: ${flaw}`);
  });
}

function integrityOf(path: string): string {
  try {
    const database = openShared(path);
    const said = String(database.pragma("integrity_check", { simple: true }));
    database.close();
    return said;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

/** The rows of these types in a data folder's playout record, the oldest first. */
export function recordRowsIn(dataDir: string, ...types: readonly StoredRow["type"][]): StoredRow[] {
  const archive = new RecordArchive(join(dataDir, "proofs.db"));
  try {
    const { span } = archive.extent() ?? {};
    return span === undefined ? [] : [...archive.rows(span)].filter(({ type }) => types.includes(type));
  } finally {
    archive.close();
  }
}

/** All proofs of a data folder, in whatever state. */
export function proofsIn(dataDir: string): ListedProof[] {
  const archive = new ProofArchive(join(dataDir, "proofs.db"));
  const proofs = [...archive.list({ state: null, kind: null, day: null, screenId: null })];
  archive.close();
  return proofs;
}
