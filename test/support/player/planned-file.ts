import { join } from "node:path";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { type IndexConnection, IndexFile } from "../../../src/player/media/media-index.ts";
import { mediaIndexMigrations } from "../../../src/player/media/media-schema.ts";
import { temporaryFolder } from "../machine/temporary-folder.ts";

/** A media index's file that notes by which plans SQLite answers what is asked of it. */
class PlannedFile extends IndexFile {
  readonly #plans = new Set<string>();

  override use<T>(act: (connection: IndexConnection) => T): T {
    return super.use(({ prepare, inOneCommit }) =>
      act({
        inOneCommit,
        prepare: (sql) => {
          const given = Array<null>(sql.split("?").length - 1).fill(null);
          const steps = prepare<null[], { readonly detail: string }>(`explain query plan ${sql}`).all(...given);
          for (const { detail } of steps) this.#plans.add(detail);
          return prepare(sql);
        },
      }),
    );
  }

  /** The steps that read through a whole table, or sort it. */
  throughAll(): readonly string[] {
    return [...this.#plans].filter((step) => /^(SCAN|SEARCH) \w+$|TEMP B-TREE/.test(step));
  }
}

/** Opens one that ends with the test. */
export function plannedFile(): PlannedFile {
  const path = join(temporaryFolder(), "media.db");
  const file = new PlannedFile(path, mediaIndexMigrations, pino({ level: "silent" }));
  onTestFinished(() => file.close());
  return file;
}
