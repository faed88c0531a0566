import { realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import type { Logger } from "pino";
import type { HouseItem } from "../../core/house.ts";
import { type HouseEntry, type SkippedFile, surveyHouse } from "./house-survey.ts";

/** A file of house content, as a page of ours is given it. */
export interface HouseFile {
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
  /** The last two looks: what is in sight may have gone since. */
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
