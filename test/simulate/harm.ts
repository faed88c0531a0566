import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Chance } from "./chance.ts";
import { damageDatabase } from "./disk.ts";

/** What came to harm in a data folder while nobody used it, as far as the books care. */
export interface Harm {
  readonly proofs: ReturnType<typeof damageDatabase> | null;
  /** What was remembered of creatives that failed is gone. */
  readonly strikes: boolean;
}

const DAMAGES = { "proofs.db": 0.08, "media.db": 0.08, "media.db gone": 0.04, "sender.lock": 0.04, orphans: 0.15 };

/** Does to a data folder what power cuts and worn disks do, now and then. */
export function harm(folder: string, chance: Chance, when: string, onFault: (name: string) => void): Harm {
  let found: Harm = { proofs: null, strikes: false };
  for (const [name, rate] of Object.entries(DAMAGES)) {
    const question = `${name} ${when}`;
    if (!chance.happens(rate, question)) continue;
    onFault(`damaged ${name}`);
    if (name === "proofs.db") found = { ...found, proofs: damagedProofs(folder, chance, question) };
    else damage(folder, name);
    if (name.startsWith("media.db")) found = { ...found, strikes: true };
  }
  return found;
}

function damagedProofs(folder: string, chance: Chance, question: string): Harm["proofs"] {
  const path = join(folder, "proofs.db");
  return existsSync(path) ? damageDatabase(path, chance, question) : null;
}

function damage(folder: string, name: string): void {
  const path = (file: string) => join(folder, file);
  switch (name) {
    case "media.db":
    case "sender.lock":
      writeFileSync(path(name), Buffer.alloc(5_000, 0x5a));
      return;
    case "media.db gone":
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path(`media.db${suffix}`), { force: true });
      return;
    case "orphans":
      if (!existsSync(path("media/v1"))) return;
      writeFileSync(path("media/v1/0123456789abcdef.part"), "half");
      writeFileSync(path(`media/v1/${"0".repeat(64)}`), "nobody's");
  }
}
