import { createHash } from "node:crypto";
import { opendir, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import type { Logger } from "pino";
import type { HouseForm, HouseItem } from "../../core/house.ts";
import { codeOf } from "../stores/database.ts";

/** An item of house content and where it is. */
interface HouseEntry extends HouseItem {
  /** The file that is shown first: the image, the clip or the page. */
  readonly path: string;
  /** The folder whose files a page may use; `null` for what needs no other files. */
  readonly root: string | null;
}

/** What a folder holds. */
interface HouseSurvey {
  readonly entries: readonly HouseEntry[];
  readonly skipped: readonly SkippedFile[];
  /** Why nothing of it can be shown, in words; `null` where something can. */
  readonly problem: string | null;
}

interface SkippedFile {
  readonly name: string;
  readonly why: string;
}

/** Nobody watches more; and a folder that is somebody's whole disk must not be read through at each turn. */
export const MOST_HOUSE_FILES = 500;

const FORMS: Readonly<Record<string, HouseForm>> = {
  ".jpg": "image",
  ".jpeg": "image",
  ".png": "image",
  ".webp": "image",
  ".gif": "image",
  ".svg": "image",
  ".mp4": "video",
  ".webm": "video",
  ".html": "page",
  ".htm": "page",
};

/** A folder is a page when this is in it. */
const INDEX = "index.html";

/** Looks what a folder of house content holds: images, clips, pages and folders with a page. Hidden files are none. */
export async function surveyHouse(folder: string): Promise<HouseSurvey> {
  try {
    const root = await realpath(folder);
    const { names, more } = await namesIn(root);
    const entries: HouseEntry[] = [];
    const skipped: SkippedFile[] = more
      ? [{ name: "…", why: `of more than ${MOST_HOUSE_FILES} files the rest is not looked at` }]
      : [];
    for (const name of names) {
      const found = await examine(root, name);
      if ("why" in found) skipped.push(found);
      else entries.push(found);
    }
    return { entries, skipped, problem: entries.length > 0 ? null : "there is nothing in it to show" };
  } catch (error) {
    return { entries: [], skipped: [], problem: problemOf(codeOf(error)) };
  }
}

async function namesIn(folder: string): Promise<{ names: readonly string[]; more: boolean }> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (name.startsWith(".")) continue;
    if (names.length === MOST_HOUSE_FILES) return { names, more: true };
    names.push(name);
  }
  return { names, more: false };
}

/** A file is followed to where it really is: what lies outside the folder was not put into it. */
async function examine(root: string, name: string): Promise<HouseEntry | SkippedFile> {
  const path = join(root, name);
  try {
    const real = await realpath(path);
    if (!real.startsWith(root + sep)) return { name, why: "leads out of the folder" };
    if ((await stat(real)).isDirectory()) return await asPage(root, name, real);
    const form = FORMS[extname(name).toLowerCase()];
    if (form === undefined) return { name, why: "is no image, clip or page" };
    return await entryOf(name, form, real, form === "page" ? root : null);
  } catch (error) {
    return { name, why: `cannot be read (${codeOf(error) ?? "unknown"})` };
  }
}

async function asPage(root: string, name: string, folder: string): Promise<HouseEntry | SkippedFile> {
  try {
    const index = await realpath(join(folder, INDEX));
    if (!index.startsWith(root + sep)) return { name, why: "leads out of the folder" };
    return await entryOf(name, "page", index, folder);
  } catch {
    return { name, why: `is a folder without ${INDEX}` };
  }
}

async function entryOf(
  name: string,
  form: HouseForm,
  path: string,
  root: string | null,
): Promise<HouseEntry | SkippedFile> {
  const found = await stat(path);
  const { size, mtimeMs, ctimeMs, ino } = found;
  if (!found.isFile()) return { name, why: "is no plain file" };
  if (size === 0) return { name, why: "is empty" };
  const id = createHash("sha256").update([name, ino, size, mtimeMs, ctimeMs].join("\n")).digest("hex").slice(0, 32);
  return { id, name, form, path, root };
}

function problemOf(code: string | null): string {
  if (code === "ENOENT") return "it is not there";
  if (code === "ENOTDIR") return "it is no folder";
  if (code === "EACCES" || code === "EPERM") return "it cannot be read: check who owns it";
  return `it cannot be read (${code ?? "unknown"})`;
}

/** A file of house content, as a page of ours is given it. */
interface HouseFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly contentType: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".xml": "application/xml",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".avif": "image/avif",
  ".svg": "image/svg+xml",
  ".ico": "image/x-icon",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".mp3": "audio/mpeg",
  ".ogg": "audio/ogg",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".ttf": "font/ttf",
  ".otf": "font/otf",
};

/** The operator's folder of house content: what it holds now, and its files by what it was last seen to hold. */
export class HouseFolder {
  readonly #folder: string;
  readonly #log: Logger;
  /** The last two looks: what is visible may have gone since. */
  #entries: ReadonlyMap<string, HouseEntry> = new Map();
  #before: ReadonlyMap<string, HouseEntry> = new Map();
  #problem: string | null = null;
  #said: ReadonlySet<string> = new Set();

  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#log = log;
  }

  /** What can be shown, in no order. What cannot be is said in the log, once. */
  async look(): Promise<readonly HouseItem[]> {
    const { entries, skipped, problem } = await surveyHouse(this.#folder);
    this.#before = this.#entries;
    this.#entries = new Map(entries.map((entry) => [entry.id, entry]));
    this.#sayProblem(problem);
    this.#saySkipped(skipped);
    return entries.map(({ id, name, form }) => ({ id, name, form }));
  }

  /** The name under which a page of ours asks for an item's first file; `""` where it has only one. */
  entrance({ id }: HouseItem): string {
    const entry = this.#entry(id);
    return entry === undefined || entry.root === null ? "" : entry.path.slice(entry.root.length + 1);
  }

  /**
   * A file of an item by its name within the item, as it stands in a URL: the item itself, or what its page brings along.
   * `null` for whatever is not there, hidden, or elsewhere.
   */
  async file(id: string, name: string): Promise<HouseFile | null> {
    const entry = this.#entry(id);
    if (entry === undefined) return null;
    const path = entry.root === null ? entry.path : await within(entry.root, name);
    return path === null ? null : fileAt(path);
  }

  #entry(id: string): HouseEntry | undefined {
    return this.#entries.get(id) ?? this.#before.get(id);
  }

  #sayProblem(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    if (problem === null) this.#log.info({ dir: this.#folder }, "house content found");
    else this.#log.warn({ dir: this.#folder }, `house.dir: ${problem}; the packaged slate is shown`);
  }

  #saySkipped(skipped: readonly SkippedFile[]): void {
    const now = new Set(skipped.map(({ name, why }) => `${name} ${why}`));
    const news = skipped.filter(({ name, why }) => !this.#said.has(`${name} ${why}`));
    for (const { name, why } of news.slice(0, MOST_SAID)) this.#log.warn({ file: name }, `house.dir: skipped: ${why}`);
    this.#said = now;
  }
}

/** A folder of hundreds of other things needs no line for each. */
const MOST_SAID = 20;

/** Where a page's file really is, or `null` where that is not in the page's folder or hidden. */
async function within(root: string, name: string): Promise<string | null> {
  const parts = name.split("/");
  if (parts.some((part) => part === "" || part.startsWith(".") || /[\\\0:]/.test(part))) return null;
  try {
    const [from, path] = await Promise.all([realpath(root), realpath(join(root, ...parts))]);
    return path.startsWith(from + sep) ? path : null;
  } catch {
    return null;
  }
}

async function fileAt(path: string): Promise<HouseFile | null> {
  const contentType = TYPES[extname(path).toLowerCase()];
  if (contentType === undefined) return null;
  try {
    const found = await stat(path);
    return found.isFile() ? { path, sizeBytes: found.size, contentType } : null;
  } catch {
    return null;
  }
}
