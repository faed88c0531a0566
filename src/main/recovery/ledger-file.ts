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

/** Writes a ledger; says whether the disk took it. */
export function writeLedger(path: string, ledger: Ledger): boolean {
  return writeSmallFile(path, ledger);
}
