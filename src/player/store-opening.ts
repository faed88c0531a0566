import type { Logger } from "pino";
import { type Database, type DatabaseOptions, openDatabase } from "./database.ts";

/** A store that cannot be used; the message says which, why, and what can be done. */
export class StoreUnusable extends Error {
  override readonly name = "StoreUnusable";
}

/** Opens one of the player's stores, or throws `StoreUnusable`. A broken one is set aside, with a line in the log. */
export function openStore(
  path: string,
  durability: DatabaseOptions["durability"],
  migrations: DatabaseOptions["migrations"],
  log: Logger,
): Database {
  const opening = openDatabase({ path, durability, migrations });
  switch (opening.kind) {
    case "open":
      if (opening.quarantined !== null) log.error({ path, kept: opening.quarantined }, "a broken store was set aside");
      return opening.database;
    case "newer":
      throw new StoreUnusable(
        `${path} was written by a newer version of Spotloop (schema ${opening.found}, this one knows ${opening.known}): ` +
          "install that version again, or move the file away",
      );
    case "unusable":
      throw new StoreUnusable(`${path} cannot be opened (${opening.code}): check the disk and who may write there`);
  }
}
