import { isAscii, isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { open, opendir, readFile, realpath, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Logger } from "pino";
import type { HouseForm, HouseItem } from "../../core/house.ts";
import { codeOf } from "../stores/database.ts";
import { ask, SILENT } from "./house-disk.ts";
import { isIn, PageEditions, type PagePlace, UNNAMEABLE, within } from "./page-files.ts";

/** An item of house content and where it is. */
interface HouseEntry extends HouseItem {
  /** The file that is shown first: the image, the clip or the page. */
  readonly path: string;
  /** `null` for what needs no other files. */
  readonly page: PagePlace | null;
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

/** By the ends of their names. Whether Chromium can decode a certain clip turns out when it is to be shown. */
const FORMS: Readonly<Record<HouseForm, readonly string[]>> = {
  image: [".jpg", ".jpeg", ".jfif", ".png", ".apng", ".webp", ".gif", ".svg", ".avif", ".bmp"],
  video: [".mp4", ".m4v", ".mov", ".webm", ".mkv"],
  page: [".html", ".htm", ".xhtml"],
};

function formOf(name: string): HouseForm | undefined {
  const end = extname(name).toLowerCase();
  return (["image", "video", "page"] as const).find((form) => FORMS[form].includes(end));
}

/** Looks what a folder of house content holds: images, clips, pages and folders with a page. Hidden files are none. */
export async function surveyHouse(folder: string): Promise<HouseSurvey> {
  try {
    const root = await ask(() => realpath(folder));
    const names = await ask(() => namesIn(root));
    const entries: HouseEntry[] = [];
    const skipped: SkippedFile[] = [];
    if (names.length > MOST_HOUSE_FILES)
      skipped.push({ name: "…", why: `of more than ${MOST_HOUSE_FILES} files the rest is not looked at` });
    for (const name of names.slice(0, MOST_HOUSE_FILES)) {
      const found = await examine(root, name);
      if ("why" in found) skipped.push(found);
      else entries.push(found);
    }
    return { entries, skipped, problem: entries.length > 0 ? null : "there is nothing in it to show" };
  } catch (error) {
    const code = codeOf(error) ?? "unknown";
    return { entries: [], skipped: [], problem: PROBLEMS[code] ?? `it cannot be read (${code})` };
  }
}

/** One more than are looked at, where there are more. */
async function namesIn(folder: string, isWanted = (_: string) => true): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (name.startsWith(".") || !isWanted(name)) continue;
    if (names.push(name) > MOST_HOUSE_FILES) break;
  }
  return names;
}

/** A file is followed to where it really is: what lies outside the folder was not put into it. */
async function examine(root: string, name: string): Promise<HouseEntry | SkippedFile> {
  const path = join(root, name);
  try {
    const real = await ask(() => realpath(path));
    if (!isIn(root, real)) return { name, why: "leads out of the folder" };
    const found = await ask(() => stat(real));
    if (found.isDirectory()) return await asPage(root, name, real);
    const form = formOf(name);
    if (form === undefined) return { name, why: "is no image, clip or page" };
    return await entryOf(name, form, real, form === "page" ? { folder: root, entrance: name, root } : null, found);
  } catch (error) {
    if (codeOf(error) === SILENT) throw error;
    if (name.includes("\ufffd")) return { name, why: "has a name that is not UTF-8" };
    return { name, why: `cannot be read (${codeOf(error) ?? "unknown"})` };
  }
}

/** A folder is a page by its index.html, however that is written, or by the only page in it. */
async function asPage(root: string, name: string, folder: string): Promise<HouseEntry | SkippedFile> {
  const pages = await ask(() => namesIn(folder, (one) => formOf(one) === "page"));
  const index = indexOf(pages) ?? (pages.length === 1 ? pages[0] : undefined);
  if (index === undefined) return { name, why: "is a folder without index.html" };
  const real = await ask(() => realpath(join(folder, index)));
  if (!isIn(root, real)) return { name, why: "leads out of the folder" };
  return entryOf(name, "page", real, { folder, entrance: index, root }, await ask(() => stat(real)));
}

/** Which of several it is must not depend on the order in which a disk names them, or the player beside shows another. */
function indexOf(pages: readonly string[]): string | undefined {
  const written = (end: string) => pages.filter((one) => one.toLowerCase() === `index${end}`);
  // Lower case goes first.
  return FORMS.page.flatMap((end) => written(end).sort().reverse())[0];
}

async function entryOf(
  name: string,
  form: HouseForm,
  path: string,
  page: PagePlace | null,
  found: Stats,
): Promise<HouseEntry | SkippedFile> {
  const { size, mtimeMs, ctimeMs, ino } = found;
  if (!found.isFile()) return { name, why: "is no plain file" };
  if (size === 0) return { name, why: "is empty" };
  if (page !== null && UNNAMEABLE.test(page.entrance)) return { name, why: "is a page with \\ or : in its name" };
  // What only its owner may read would else be said to be undecodable.
  await ask(async () => (await open(path)).close());
  const id = createHash("sha256").update([name, ino, size, mtimeMs, ctimeMs].join("\n")).digest("hex").slice(0, 32);
  return { id, name, form, path, page };
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  ENOTDIR: "it is no folder",
  EACCES: "it cannot be read: check who owns it",
  EPERM: "it cannot be read: check who owns it",
  [SILENT]: "its disk, or the share that it is on, does not answer",
};

/** A file of house content, as a page of ours is given it. */
interface HouseFile {
  readonly sizeBytes: number;
  readonly contentType: string;
  /** Its bytes from one to another, both inclusive. */
  readonly bytes: (start: number, end: number) => AsyncIterable<Uint8Array>;
}

/** The operator's folder of house content: what it holds now, and its files by what it was last seen to hold. */
export class HouseFolder {
  readonly #folder: string;
  readonly #log: Logger;
  /** The last two looks: what is visible may have gone since. */
  #entries: ReadonlyMap<string, HouseEntry> = new Map();
  #before: ReadonlyMap<string, HouseEntry> = new Map();
  #problem: string | null = null;
  #said: ReadonlySet<string> = new Set();
  /** The items, by their ids, whose first file could not be had when it was last asked for. */
  readonly #gone = new Set<string>();
  readonly #editions = new PageEditions();

  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#log = log;
  }

  /** What can be shown, in no order. What cannot be is said in the log, once. */
  async look(): Promise<readonly HouseItem[]> {
    const { entries: found, skipped, problem } = await surveyHouse(this.#folder);
    const entries = await this.#editions.of(found);
    this.#before = this.#entries;
    this.#entries = new Map(entries.map((entry) => [entry.id, entry]));
    this.#gone.clear();
    this.#sayProblem(problem);
    this.#saySkipped(skipped);
    return entries.map(({ id, name, form }) => ({ id, name, form }));
  }

  /** The name under which a page of ours asks for an item's first file; `""` where it has only one. */
  entrance({ id }: HouseItem): string {
    return this.#entry(id)?.page?.entrance ?? "";
  }

  /**
   * A file of an item by its name within the item, as it stands in a URL: the item itself, or what its page brings along.
   * `null` for whatever is not there, hidden, or elsewhere.
   */
  async file(id: string, name: string): Promise<HouseFile | null> {
    const entry = this.#entry(id);
    if (entry === undefined) return null;
    const { page } = entry;
    if (page !== null) this.#editions.note(id, page, name);
    const path = page === null ? entry.path : await within(page, name);
    const file = path === null ? null : await fileAt(path, page === null ? entry.name : name);
    if (page === null || name === page.entrance) {
      if (file === null) this.#gone.add(id);
      else this.#gone.delete(id);
    }
    return file;
  }

  /** Whether an item's first file could not be had when it was last asked for. A page is loaded all the same, and is white. */
  isGone({ id }: HouseItem): boolean {
    return this.#entry(id) === undefined || this.#gone.has(id);
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

/** Of the type that its name says, as any server has it: what a link leads to may have no end that tells. */
async function fileAt(path: string, name: string): Promise<HouseFile | null> {
  try {
    const found = await ask(() => stat(path));
    if (!found.isFile()) return null;
    // Loaded only now: most players have no folder, and its tables take longer than all the rest of this.
    const { default: mime } = await import("mime");
    const type = mime.getType(extname(name)) ?? "application/octet-stream";
    const charset = type.startsWith("text/") && (await isOtherwiseUtf8(path, found.size)) ? "; charset=utf-8" : "";
    return { sizeBytes: found.size, contentType: type + charset, bytes: (start, end) => bytesOf(path, start, end) };
  } catch {
    return null;
  }
}

/** Text longer than that is not looked through. */
const LONGEST_TEXT_BYTES = 16 * 1024 * 1024;

/** Whether text is UTF-8 and more than ASCII. Of any other the page itself says what it is, as it would in a browser. */
async function isOtherwiseUtf8(path: string, sizeBytes: number): Promise<boolean> {
  if (sizeBytes > LONGEST_TEXT_BYTES) return true;
  const text = await ask(() => readFile(path));
  return isUtf8(text) && !isAscii(text);
}

const CHUNK_BYTES = 256 * 1024;

async function* bytesOf(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  const file = await ask(() => open(path));
  try {
    for (let at = start; at <= end; ) {
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, end - at + 1));
      const { bytesRead } = await ask(() => file.read(chunk, 0, chunk.length, at));
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await ask(() => file.close()).catch(() => {});
  }
}
