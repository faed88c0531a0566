import { readdirSync, readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { WorldProblem } from "../problems.ts";
import { knownKeys } from "../problems.ts";

/**
 * The folder of the packaged creatives. Three levels up from here in the sources, in the build and inside an app archive
 * alike; the path is never resolved on disk, since inside an archive only opening and reading work.
 */
export function creativesDir(): string {
  return fileURLToPath(new URL("../../../assets/creatives/", import.meta.url));
}

/** A creative that worlds can name. `url` is absolute or relative to the media listener; `duration` in milliseconds. */
const creativeSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must be 1 to 64 of a-z 0-9 -"),
  title: z.string().min(1),
  mimeType: z.string().min(1),
  width: z.int().positive(),
  height: z.int().positive(),
  duration: z.int().positive(),
  newsType: z.string().nullable().default(null),
  url: z.string().min(1),
});

/** `flaw`: what is bad about one that is there to try players with; absent in all others. */
export type Creative = z.infer<typeof creativeSchema> & { readonly flaw?: string };

/** Where in the media listener's paths the packaged creatives are. */
export const CREATIVES_PATH = "/creatives/";

/** Reads the list of packaged creatives in a folder, `creatives.json`, good and bad; throws when it is not one. */
export function packagedCreatives(dir: string): Creative[] {
  const list: unknown = JSON.parse(readFileSync(join(dir, "creatives.json"), "utf8"));
  const { creatives, bad } = packagedSchema.parse(list);
  return [...creatives, ...bad].map(({ file, ...creative }) => ({ ...creative, url: CREATIVES_PATH.slice(1) + file }));
}

const packagedCreativeSchema = z.object({
  ...creativeSchema.omit({ url: true }).shape,
  file: z.string().min(1),
});

/** What is there for observers of the screen (codes, beats) is not the emulator's business and left out. */
const packagedSchema = z.object({
  creatives: z.array(packagedCreativeSchema),
  bad: z.array(packagedCreativeSchema.extend({ flaw: z.string().min(1) })),
});

/** What a file that a world brings is. `durationMs` is `null` for what has no length of its own. */
type CreativeFile =
  | {
      readonly kind: "creative";
      readonly mimeType: string;
      readonly width: number;
      readonly height: number;
      readonly durationMs: number | null;
    }
  | { readonly kind: "unusable"; readonly problem: string };

const { title, mimeType, width, height, duration, url } = creativeSchema.shape;

/**
 * A creative as a world brings it: with a `file` beside the world, of which what is left out is read, or with an http(s)
 * `url`, of which everything has to be said.
 */
export const ownCreativeSchema = knownKeys({
  ...creativeSchema.shape,
  title: title.optional(),
  mimeType: mimeType.optional(),
  width: width.optional(),
  height: height.optional(),
  duration: duration.optional(),
  url: url.optional(),
  file: z.string().min(1).optional(),
}).superRefine((creative, context) => {
  const complain = (field: string, message: string) => {
    context.addIssue({ code: "custom", path: [field], message });
  };
  if ((creative.url === undefined) === (creative.file === undefined)) {
    complain("file", "say either file, a path beside the world, or url");
  } else if (creative.url !== undefined) {
    for (const field of ["title", "mimeType", "width", "height", "duration"] as const) {
      if (creative[field] === undefined) complain(field, "is required with a url; of a file it is read");
    }
  }
});
type OwnCreative = z.infer<typeof ownCreativeSchema>;

/** The files that a world's creatives name, by those names, and what each is. */
export type CreativeFiles = ReadonlyMap<string, CreativeFile>;

/** Where below the creatives' path the files of a world are. */
const OWN_PATH = `${CREATIVES_PATH}world/`;
/** A page has no size of its own; this is what most are made for. */
const PAGE = { width: 1920, height: 1080, durationMs: null };
const SHOWN = "a video (mp4, webm), a picture (jpg, png, webp, gif, avif, svg) or a page (html)";
/** How long what has no length of its own is shown unless the world says. */
const USUAL_DURATION_MS = 10_000;
/** The most files that a world and the folders of its pages may have. */
const MOST_FILES = 10_000;

const namingSchema = z.object({ creatives: z.array(z.object({ file: z.string() }).catch({ file: "" })).catch([]) });

/** Looks at every file that a world names, `folder` being the world's own; reads whatever can be read of a bad world. */
export async function creativeFilesOf(content: unknown, folder: string): Promise<CreativeFiles> {
  const naming = namingSchema.safeParse(content);
  const names = new Set(naming.data?.creatives.map(({ file }) => file).filter((file) => file !== ""));
  const looked = [...names].slice(0, MOST_FILES).map(async (name) => [name, await look(name, folder)] as const);
  return new Map(await Promise.all(looked));
}

/** Makes a creative whole, or says what is wrong with it. `packaged`: URLs of the files that are there anyway. */
export function resolvedCreative(
  { file, url, ...own }: OwnCreative,
  path: string,
  files: CreativeFiles,
  packaged: ReadonlySet<string>,
): Creative | WorldProblem {
  if (file === undefined) {
    const whole = creativeSchema.parse({ ...own, url });
    if (packaged.has(whole.url) || /^https?:\/\/[^/]/i.test(whole.url)) return whole;
    return { path: `${path}.url`, message: "must be an http or https URL; for a file beside the world say file" };
  }
  const found = files.get(file) ?? { kind: "unusable", problem: `there is no file ${file}` };
  if (found.kind === "unusable") return { path: `${path}.file`, message: found.problem };
  const { kind: _, durationMs, ...facts } = found;
  const read = { title: own.name, ...facts, duration: durationMs ?? USUAL_DURATION_MS };
  const said = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return creativeSchema.parse({ ...read, ...said, url: urlOf(file) });
}

/**
 * The files that the media listener has for a world, by their path there: those that it names, and what lies in the
 * folder of a page, unless that is the world's own, where there may be anything.
 */
export function servedFiles(files: CreativeFiles, folder: string): ReadonlyMap<string, string> {
  const served = new Map<string, string>();
  for (const [name, file] of files) {
    if (file.kind === "unusable") continue;
    const path = join(folder, name);
    const isAlone = file.mimeType !== "text/html" || dirname(join(".", name)) === ".";
    for (const each of isAlone ? [path] : below(dirname(path))) {
      served.set(OWN_PATH + relative(folder, each).split(sep).join("/"), each);
    }
  }
  return served;
}

async function look(name: string, folder: string): Promise<CreativeFile> {
  const path = join(folder, name);
  const isBelow = !/^\.\.(?:[/\\]|$)/.test(relative(folder, path)) && !/^(?:[/\\]|[A-Za-z]:)/.test(name);
  if (isBelow) return readCreativeFile(path);
  return { kind: "unusable", problem: "must be a path below the folder of the world" };
}

/** Relative to the media listener, as those of packaged creatives are. */
function urlOf(file: string): string {
  const steps = join(".", file).split(sep).map(encodeURIComponent);
  return OWN_PATH.slice(1) + steps.join("/");
}

/** What is hidden, and what is only linked to, stays where it is. */
function below(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files
    .filter(
      (path) =>
        !relative(folder, path)
          .split(sep)
          .some((step) => step.startsWith(".")),
    )
    .slice(0, MOST_FILES);
}

/** Reads media type, size and length of a creative from its file. */
async function readCreativeFile(path: string): Promise<CreativeFile> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) return unusable(`there is no file ${path}`);
  const mimeType = contentTypeOf(path).split(";", 1)[0] ?? "";
  try {
    if (mimeType === "text/html") return { kind: "creative", mimeType, ...PAGE };
    if (mimeType.startsWith("video/")) return { kind: "creative", mimeType, ...(await videoFacts(path)) };
    if (mimeType.startsWith("image/")) return { kind: "creative", mimeType, ...(await pictureFacts(path)) };
  } catch (error) {
    return unusable(`${path} cannot be read as ${mimeType}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return unusable(`${path} is not ${SHOWN}`);
}

/** The readers are loaded only for worlds that bring files. */
async function videoFacts(path: string) {
  const { FilePathSource, Input, MP4, WEBM } = await import("mediabunny");
  const input = new Input({ source: new FilePathSource(path), formats: [MP4, WEBM] });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (track === null) throw new Error("there is no picture in it");
    const durationMs = Math.round((await input.computeDuration()) * 1000);
    if (durationMs <= 0) throw new Error("it has no length");
    return { width: track.displayWidth, height: track.displayHeight, durationMs };
  } finally {
    input.dispose();
  }
}

/** EXIF 2.3: from this orientation on, rows are shown as columns. */
const FIRST_ON_ITS_SIDE = 5;

async function pictureFacts(path: string) {
  const { imageSizeFromFile } = await import("image-size/fromFile");
  const { width, height, orientation = 1 } = await imageSizeFromFile(path);
  const stored = { width: Math.round(width), height: Math.round(height), durationMs: null };
  return orientation < FIRST_ON_ITS_SIDE ? stored : { ...stored, width: stored.height, height: stored.width };
}

function unusable(problem: string): CreativeFile {
  return { kind: "unusable", problem };
}

/** The `Content-Type` of a file by its name's ending. */
export function contentTypeOf(path: string): string {
  return CONTENT_TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".avif": "image/avif",
  ".svg": "image/svg+xml",
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  // Under any other type a browser refuses a module.
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".woff2": "font/woff2",
  ".md": "text/plain; charset=utf-8",
};
