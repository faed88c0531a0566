import { z } from "zod";
import { type Ledger, NEW_LEDGER } from "../../core/recovery.ts";
import { readSmallFile, writeSmallFile } from "../../player/small-file.ts";

const ledgerSchema = z.object({
  bootId: z.string(),
  restarts: z.int().nonnegative(),
  running: z.boolean(),
  lastTrouble: z.enum(["gpu", "network", "slate", "dark", "uncaught", "crashed"]).nullable(),
  softwareUntil: z.number().nullable(),
});

/** Reads what the runs before left behind; whatever cannot be read counts as nothing. */
export function readLedger(path: string): Ledger {
  return readSmallFile(path, ledgerSchema) ?? NEW_LEDGER;
}

/** Writes a ledger. On a full or broken disk a player plays on, and its next start knows less. */
export function writeLedger(path: string, ledger: Ledger): void {
  try {
    writeSmallFile(path, ledger);
  } catch {
    // Nothing that is in sight depends on it.
  }
}
