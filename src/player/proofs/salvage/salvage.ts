import { z } from "zod";
import { type Database, isBroken, openReadOnly, usableFromIn } from "../../stores/database.ts";
import { openPages, type RawRow, rowsOn } from "./sqlite-file.ts";

const text = z.string().min(1);
const instant = z.number();

/** A proof as the file has it, its columns in their order; those of later schemas follow. Nothing else reads like it. */
const salvagedSchema = z.object({
  run_id: text,
  playout_id: text,
  screen_id: text,
  // Empty where the spot came without one (F1).
  request_id: z.string(),
  item_id: z.string(),
  kind: z.enum(["news", "ad"]),
  pop: text,
  shown_wall: instant,
  requested_wall: instant,
  requested_monotonic: instant,
  requested_boot: text,
  service_offset: instant,
  timeline: text,
  due: instant,
  deadline: instant,
  attempts: z.int().nonnegative(),
  state: z.enum(["owed", "delivered", "refused", "expired"]),
  last_answer: z.string().nullable(),
});

const COLUMNS = salvagedSchema.keyof().options;

/** A proof that a broken file still shows as owed, under the id that it had. */
export type Salvaged = z.infer<typeof salvagedSchema> & { readonly id: number };

/**
 * The proofs that a database which was set aside shows as owed: one that a newer version wrote than the one that knows so
 * many migrations is asked for them, of a broken one the bytes are read. Throws `SQLITE_ERROR` where a newer one has them
 * otherwise than this version knows, and the system's errors where the file cannot be opened.
 */
export function owedInKept(path: string, known: number): readonly Salvaged[] {
  return isOfNewer(path, known) ? owedInNewer(path) : salvageOwed(path);
}

/** By the file's bytes: SQLite would throw away the log of one that is broken. */
function isOfNewer(path: string, known: number): boolean {
  const pages = openPages(path);
  const first = pages.read(1);
  pages.close();
  return first !== null && usableFromIn(first) > known;
}

function owedInNewer(path: string): readonly Salvaged[] {
  try {
    const database = openReadOnly(path);
    try {
      return owedIn(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (isBroken(error)) return salvageOwed(path);
    throw error;
  }
}

/**
 * The proofs that a broken database and its log still show as owed. Each page is read for itself, without SQLite and
 * without any index or inner page: so a proof is found wherever its own bytes are whole. The files are left as they are.
 */
function salvageOwed(path: string): readonly Salvaged[] {
  const pages = openPages(path);
  try {
    const found = new Map<number, Salvaged>();
    for (let number = 1; number <= pages.count; number++) {
      for (const row of rowsOn(number, pages)) {
        const proof = proofOf(row);
        // A page that was given up may hold an older copy of a row: what was settled once is settled.
        if (proof !== null && (found.get(row.id)?.state ?? "owed") === "owed") found.set(row.id, proof);
      }
    }
    return [...found.values()].filter(({ state }) => state === "owed");
  } finally {
    pages.close();
  }
}

/** The proofs that a sound database shows as owed, to be put into another. */
export function owedIn(database: Database): readonly Salvaged[] {
  return database.prepare<[], Salvaged>(`select id, ${COLUMNS.join()} from proof where state = 'owed'`).all();
}

/** Puts salvaged proofs into a file, in one commit: under the ids they had, where these are free; those it has it keeps. */
export function restoreOwed(proofs: readonly Salvaged[], database: Database): void {
  const names = COLUMNS.map((name) => `@${name}`);
  const insert = database.prepare(`
    insert into proof (id, ${COLUMNS.join()})
    values (iif(exists (select 1 from proof where id = @id), null, @id), ${names.join()})
    on conflict (run_id, playout_id) do nothing`);
  database.transaction(() => {
    for (const proof of proofs) insert.run(proof);
  })();
}

function proofOf({ id, values }: RawRow): Salvaged | null {
  // The first column is the id itself, and empty.
  if (values.length <= COLUMNS.length || values[0] !== null || typeof values[1] !== "string") return null;
  const columns = COLUMNS.map((name, index) => [name, values[index + 1]]);
  const read = salvagedSchema.safeParse(Object.fromEntries(columns));
  return read.success ? { id, ...read.data } : null;
}
