import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { ask } from "./house-disk.ts";

/** Where a page has its files. */
export interface PagePlace {
  /** The folder that their names are within. */
  readonly folder: string;
  /** The page's own name there, which may be a link's. */
  readonly entrance: string;
  /** The folder of all house content: what a link leads to is in it. */
  readonly root: string;
}

/** On one system or another these lead elsewhere: no page may ask for a name that has them. */
export const UNNAMEABLE = /[\\\0:]/;

/** Where a page's file really is, or `null` where its name is hidden, or a link leads out of all house content. */
export async function within({ folder, root }: PagePlace, name: string): Promise<string | null> {
  const parts = name.split("/");
  if (parts.some((part) => part === "" || part.startsWith(".") || UNNAMEABLE.test(part))) return null;
  try {
    const path = await ask(() => realpath(join(folder, ...parts)));
    return isIn(root, path) ? path : null;
  } catch {
    return null;
  }
}

/** The root of a drive, such as a memory stick's on Windows, ends with what otherwise stands between a folder and its files. */
export function isIn(root: string, path: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** What is in the folder, as far as pages are told apart by it. */
interface Placed {
  readonly id: string;
  readonly page: PagePlace | null;
}

/** A page that was begun, and what it has been given since: what each file was then, null where it asked again. */
interface Begun {
  readonly id: string;
  readonly given: Map<string, Promise<string> | null>;
}

/** More than a page has for one picture. */
const MOST_GIVEN = 200;

/**
 * A page that is alone in the folder stays as it is, so it counts as another one once a file that it was given has changed:
 * its picture of the day, say. A file that it asks for again it follows by itself, and is not begun anew for it.
 */
export class PageEditions {
  /** Under which id each page counts by now, by its id in the folder. */
  readonly #ids = new Map<string, string>();
  /** The last one: what is visible, or about to be. */
  #begun: Begun | null = null;

  /** Takes in that a page is given a file; to be called before it is read. */
  note(id: string, page: PagePlace, name: string): void {
    if (name === page.entrance) this.#begun = { id, given: new Map() };
    else if (this.#begun?.id === id) {
      const { given } = this.#begun;
      if (given.has(name)) given.set(name, null);
      else if (given.size < MOST_GIVEN) given.set(name, markOf(page, name));
    }
  }

  /** What was found in the folder, each page by the id under which it counts now. */
  async of<Entry extends Placed>(found: readonly Entry[]): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (const entry of found) {
      const id = this.#ids.get(entry.id) ?? entry.id;
      const { page } = entry;
      const isAnother = page !== null && this.#begun?.id === id && (await hasChanged(this.#begun, page));
      if (isAnother) this.#ids.set(entry.id, createHash("sha256").update(id).digest("hex").slice(0, id.length));
      entries.push({ ...entry, id: this.#ids.get(entry.id) ?? entry.id });
    }
    for (const id of this.#ids.keys()) if (!found.some((entry) => entry.id === id)) this.#ids.delete(id);
    return entries;
  }
}

/** A page whose file is gone, or on a disk that does not answer, is better than what would come of it if it were begun anew. */
async function hasChanged({ given }: Begun, page: PagePlace): Promise<boolean> {
  for (const [name, mark] of given) {
    const now = mark === null ? "" : await markOf(page, name);
    if (now !== "" && now !== (await mark)) return true;
  }
  return false;
}

/** What changes whenever a page's file does; nothing where that is not there, or cannot be told. */
async function markOf(page: PagePlace, name: string): Promise<string> {
  const path = await within(page, name);
  if (path === null) return "";
  return ask(() => stat(path)).then(
    ({ size, mtimeMs, ctimeMs }) => [size, mtimeMs, ctimeMs].join(),
    () => "",
  );
}
