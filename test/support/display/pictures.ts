import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startDisplay } from "../../../scripts/setup/display.ts";
import { electronRuntime } from "../../../scripts/setup/electron.ts";
import { CACHE, ROOT } from "../../../scripts/setup/paths.mjs";
import type { Catalogue, Creative } from "../creatives/catalogue.ts";
import { EYE_GRID } from "./recording.ts";

/** What something looks like on a 16:9 display, picture by picture, each of `EYE_GRID` in RGB. */
export interface Film {
  readonly name: string;
  readonly pictures: readonly Buffer[];
  /** Whether a display may show what is between two pictures: pages move at the display's rate, clips at their own. */
  readonly moves: boolean;
  /** Cells that are not looked at. */
  readonly masked: ReadonlySet<number>;
}

export const PICTURE_BYTES = EYE_GRID.columns * EYE_GRID.rows * 3;
export const SLATE = "(slate)";

const CREATIVES = join(ROOT, "assets/creatives");
const SLATE_PAGE = join(ROOT, "renderer/slate/slate.html");
const CAMERA = join(import.meta.dirname, "camera");
/** Half of a page's layout: small enough to be quick, and text is still text. */
const SIZE = { width: 960, height: 540 } as const;
const LAYOUT_WIDTH = 1_920;
/** No sample page is in sight for longer, and so often none of them moves by more than half a cell. */
const FILMED_MS = 9_000;
/** Between two pictures of a page. */
export const PAGE_PICTURE_MS = 50;
/** The camera takes some 15 s on two processors. */
const CAMERA_WITHIN_MS = 300_000;

/**
 * The films of all sample creatives and of the slate. Pictures and clips are decoded by ffmpeg, pages are photographed in
 * the Electron at hand at every step of their animations; kept beside the other things that are made once per machine.
 */
export async function readFilms(catalogue: Catalogue): Promise<readonly Film[]> {
  const folder = join(CACHE, `pictures-${digestOfSources()}`);
  if (!existsSync(folder)) await makePictures(catalogue, folder);
  const read = (file: string) => picturesIn(readFileSync(join(folder, `${file}.rgb`)));
  const creatives = catalogue.creatives.map((creative): Film => {
    const isPage = creative.mimeType === "text/html";
    return { name: creative.name, pictures: read(creative.name), moves: isPage, masked: new Set() };
  });
  const [bare, short] = read(SLATE_FILE) as [Buffer, Buffer, Buffer];
  return [
    ...creatives,
    { name: SLATE, pictures: [bare], moves: false, masked: SLATE_MIDDLE },
    { name: SLATE, pictures: [short], moves: false, masked: SLATE_MIDDLE },
  ];
}

/** The film of a picture or clip, as a display of 960x540 shows it; see `decoded`. */
export function filmOf(creative: Creative, paint?: string): Film {
  return { name: creative.name, pictures: picturesIn(decoded(creative, paint)), moves: false, masked: new Set() };
}

const SLATE_FILE = "slate";

/** Where the mark and a name of any length are: how high they lie depends on the name and the machine's fonts. */
const SLATE_MIDDLE: ReadonlySet<number> = new Set(
  Array.from({ length: EYE_GRID.rows * EYE_GRID.columns }, (_, cell) => cell).filter((cell) => {
    const [column, row] = [cell % EYE_GRID.columns, Math.floor(cell / EYE_GRID.columns)];
    return column >= 3 && column < 29 && row >= 3 && row < 15;
  }),
);
const SLATE_NAMES = ["", "I", "Mmmmmmmmmmmmmmmmmmmmmm"];

/** An order for the camera (`camera/main.js`). */
interface Order {
  readonly url: string;
  readonly layoutWidth: number;
  readonly script: string;
  readonly timesMs: readonly number[];
}

async function makePictures({ creatives }: Catalogue, folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const making = mkdtempSync(join(CACHE, "pictures-"));
  try {
    const pages = creatives.filter(({ mimeType }) => mimeType === "text/html");
    const orders = new Map<string, Order>(pages.flatMap(ordersFor));
    for (const [index, name] of SLATE_NAMES.entries()) {
      const script = `document.getElementById("name").textContent = ${JSON.stringify(name)};`;
      const url = pathToFileURL(SLATE_PAGE).href;
      orders.set(`${SLATE_FILE}-${index}`, { url, layoutWidth: SIZE.width, script, timesMs: [0] });
    }
    const photographs = await photograph(orders, making);
    const joined = (prefix: string) =>
      Buffer.concat([...photographs].flatMap(([name, bytes]) => (name.startsWith(prefix) ? [bytes] : [])));
    for (const { name } of pages) writeFileSync(join(making, `${name}.rgb`), joined(`${name}-`));
    writeFileSync(join(making, `${SLATE_FILE}.rgb`), joined(`${SLATE_FILE}-`));
    for (const creative of creatives) {
      if (!pages.includes(creative)) writeFileSync(join(making, `${creative.name}.rgb`), decoded(creative));
    }
    renameSync(making, folder);
  } catch (error) {
    // Another test file made them meanwhile.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** As a page is before it was told that it is on air, where it tells the difference, and from then on. */
function ordersFor({ name, file, hook }: Creative): [string, Order][] {
  const page = { url: pathToFileURL(join(CREATIVES, file)).href, layoutWidth: LAYOUT_WIDTH };
  const timesMs = Array.from({ length: FILMED_MS / PAGE_PICTURE_MS }, (_, index) => index * PAGE_PICTURE_MS);
  const moving = { ...page, script: "window.BroadSignPlay?.();", timesMs };
  const waiting = { ...page, script: "", timesMs: [0] };
  return [...(hook === undefined ? [] : [[`${name}-0`, waiting] as [string, Order]]), [`${name}-1`, moving]];
}

/** Opens the pages in windows of their own display, and returns what each looked like at its instants. */
async function photograph(orders: ReadonlyMap<string, Order>, folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = [...orders].map(([name, order]) => ({ ...SIZE, ...order, name, out: join(folder, `${name}.bgra`) }));
  const list = join(folder, "orders.json");
  writeFileSync(list, JSON.stringify(files));
  const display = await startDisplay({ width: 2 * SIZE.width, height: Math.ceil(files.length / 2) * SIZE.height });
  const { executable, args } = electronRuntime();
  const profile = join(folder, "camera");
  const home = { HOME: folder, LANG: "C.UTF-8", DISPLAY: display.name, PATH: process.env.PATH };
  try {
    const camera = spawn(executable, [...args, CAMERA, `--user-data-dir=${profile}`, list], {
      ...{ env: home, timeout: CAMERA_WITHIN_MS, stdio: ["ignore", "ignore", "pipe"] },
    });
    let said = "";
    camera.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    const code = await new Promise((resolve) => camera.once("close", resolve));
    if (code !== 0) throw new Error(`the camera ended with ${code}: ${said}`);
  } finally {
    await display.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  const raw = ["-f", "rawvideo", "-pix_fmt", "bgra", "-video_size", `${SIZE.width}x${SIZE.height}`];
  return new Map(
    files.map(({ name, out }) => {
      const pictures = ffmpeg([...raw, "-i", out, "-vf", AVERAGED]);
      rmSync(out);
      return [name, pictures];
    }),
  );
}

const AVERAGED = `scale=${EYE_GRID.columns}:${EYE_GRID.rows}:flags=area`;

/**
 * Every picture of a file, contained in the display, painted over where `paint`, a filter of ffmpeg, says so. RGB first:
 * subsampled colours do not survive so few pixels.
 */
function decoded({ file }: Creative, paint = "null"): Buffer {
  const { width, height } = SIZE;
  const contained = `scale=${width}:${height}:force_original_aspect_ratio=decrease,format=rgb24,pad=${width}:${height}:-1:-1`;
  return ffmpeg(["-i", join(CREATIVES, file), "-vf", `${contained},${paint},${AVERAGED}`, "-fps_mode", "passthrough"]);
}

function ffmpeg(args: readonly string[]): Buffer {
  const output = ["-pix_fmt", "rgb24", "-f", "rawvideo", "-"];
  const run = spawnSync("ffmpeg", ["-loglevel", "error", ...args, ...output], { maxBuffer: 2 ** 28 });
  if (run.status !== 0) throw new Error(`ffmpeg made no pictures: ${run.stderr}`);
  return run.stdout;
}

function picturesIn(bytes: Buffer): readonly Buffer[] {
  const count = bytes.length / PICTURE_BYTES;
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * PICTURE_BYTES, (index + 1) * PICTURE_BYTES),
  );
}

/** Of all that the pictures are made from, this file among it. */
function digestOfSources(): string {
  const hash = createHash("sha256").update(electronRuntime().version);
  const inFolder = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const folders = [CREATIVES, CAMERA, join(ROOT, "renderer/slate")].flatMap(inFolder).sort();
  for (const file of [...folders, join(ROOT, "renderer/screen.css"), import.meta.filename])
    hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}
