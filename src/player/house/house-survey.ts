import { createHash } from "node:crypto";
import { opendir, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import type { HouseForm, HouseItem } from "../../core/house.ts";
import { codeOf } from "../database.ts";

/** An item of house content and where it is. */
export interface HouseEntry extends HouseItem {
  /** The file that is shown first: the image, the clip or the page. */
  readonly path: string;
  /** The folder whose files a page may use; `null` for what needs no other files. */
  readonly root: string | null;
}

/** What a folder holds. */
export interface HouseSurvey {
  readonly entries: readonly HouseEntry[];
  readonly skipped: readonly SkippedFile[];
  /** Why nothing of it can be shown, in words; `null` where something can. */
  readonly problem: string | null;
}

export interface SkippedFile {
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
