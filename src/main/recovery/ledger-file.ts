import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { z } from "zod";
import { type Ledger, NEW_LEDGER } from "../../core/recovery.ts";

const ledgerSchema = z.object({
  bootId: z.string(),
  restarts: z.int().nonnegative(),
  running: z.boolean(),
  lastTrouble: z.enum(["gpu", "network", "slate", "dark", "uncaught", "crashed"]).nullable(),
  softwareUntil: z.number().nullable(),
});

/** Reads what the runs before left behind; whatever cannot be read counts as nothing. */
export function readLedger(path: string): Ledger {
  try {
    return ledgerSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return NEW_LEDGER;
  }
}

/**
 * Writes a ledger whole, on the disk when this returns. Says whether it could: on a full or broken disk a player plays
 * on, and its next start knows less.
 */
export function writeLedger(path: string, ledger: Ledger): boolean {
  try {
    const file = openSync(`${path}.new`, "w", 0o600);
    try {
      writeSync(file, JSON.stringify(ledger));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(`${path}.new`, path);
    return true;
  } catch {
    return false;
  }
}
