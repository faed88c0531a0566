// Makes the videos and pictures among the sample creatives out of the designs in scripts/creatives, and checks that
// every good one, the hand-written pages too, shows the colour code that creatives.json gives it. Run by hand after a
// design or a code was changed: `node scripts/make-creatives.ts [NAME…]`. Needs ffmpeg and Chromium on the machine.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright";
import { badMedia } from "./creatives/bad-media.ts";

interface Creative {
  readonly name: string;
  readonly title: string;
  readonly file: string;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  readonly duration: number;
  readonly framesPerSecond: number | null;
  readonly code: readonly string[];
  readonly strip: { readonly column: number; readonly row: number };
}

interface Sheet {
  readonly palette: Readonly<Record<string, string>>;
  readonly beat: readonly string[];
  readonly creatives: readonly Creative[];
}

const assets = fileURLToPath(new URL("../assets/creatives/", import.meta.url));
const designs = fileURLToPath(new URL("./creatives/", import.meta.url));
/** Designs are drawn on a canvas this wide (4:3 ones on 960) and scaled. */
const CANVAS_WIDTH = 1280;
const GRID = { columns: 16, rows: 9 };
/** How far a colour on screen may be from the one in the palette, in each channel: codecs bend colours a little. */
const MOST_DEVIATION = 14;

/** One thread and no dates or versions in the file: the same pictures give the same bytes. */
const EXACT = ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-threads", "1"];
/** Written into the stream, so that no player has to guess which matrix the colours went through. */
const BT709 = ["-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"].concat([
  "-colorspace",
  "bt709",
  "-color_primaries",
  "bt709",
  "-color_trc",
  "bt709",
  "-color_range",
  "tv",
]);

const sheet: Sheet = JSON.parse(readFileSync(join(assets, "creatives.json"), "utf8"));
const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
for (const [name, make] of Object.entries(badMedia)) if (isWanted(name)) make(join(assets, "bad"), EXACT);
const browser = await chromium.launch({
  executablePath: execFileSync("which", ["chromium"], { encoding: "utf8" }).trim(),
  args: ["--font-render-hinting=none", "--allow-file-access-from-files"],
});
for (const creative of sheet.creatives) {
  if (!isWanted(creative.name)) continue;
  if (creative.mimeType !== "text/html") await make(creative);
  await check(creative);
}
await browser.close();

async function make(creative: Creative): Promise<void> {
  const { page, close } = await opened(browser, creative);
  await page.setContent(pageOf(creative));
  await page.evaluate("document.fonts.ready");
  const frames = framesOf(creative);
  const encoder = ffmpeg([...inputOf(creative), ...encodingOf(creative), join(assets, creative.file)]);
  for (let frame = 0; frame < frames; frame += 1) {
    await page.evaluate(`show(${frame}, ${creative.framesPerSecond ?? 1}, ${frames})`);
    const picture = await page.screenshot({ type: "png" });
    if (!encoder.input.write(picture)) await new Promise((resolve) => encoder.input.once("drain", resolve));
  }
  encoder.input.end();
  await encoder.ended;
  await close();
  console.log(`${creative.name}: ${frames} frame${frames === 1 ? "" : "s"}`);
}

async function opened(browser: Browser, { width, height }: Creative): Promise<{ page: Page; close(): Promise<void> }> {
  const canvasWidth = width / height < 1.5 ? 960 : CANVAS_WIDTH;
  const scale = width / canvasWidth;
  const viewport = { width: canvasWidth, height: Math.round(height / scale) };
  const context = await browser.newContext({ viewport, deviceScaleFactor: scale });
  return { page: await context.newPage(), close: () => context.close() };
}

function framesOf({ framesPerSecond, duration }: Creative): number {
  return framesPerSecond === null ? 1 : (framesPerSecond * duration) / 1000;
}

/** The design with the frame around it: code, beat, label and counter. A design defines `draw(seconds)` if it moves. */
function pageOf(creative: Creative): string {
  const { name, title, width, height, framesPerSecond, code, mimeType } = creative;
  const cells = code.map((colour) => `<i style="background:${sheet.palette[colour]}"></i>`).join("");
  const beats =
    framesPerSecond === null ? "" : `<i class="beat" id="beat-ones"></i><i class="beat" id="beat-threes"></i>`;
  const rate = framesPerSecond === null ? "" : ` · ${framesPerSecond} fps`;
  // The code is two rows of the screen high: two sevenths of a picture that bars above and below leave seven rows.
  const rowsAbove = 7 - 2 * (7 - creative.strip.row);
  const style = `${readFileSync(join(designs, "frame.css"), "utf8")} body { grid-template-rows: ${rowsAbove}fr 2fr; }`;
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>
<main class="${name}">${readFileSync(join(designs, `${name}.html`), "utf8")}</main>
<footer class="${width / height < 1.5 ? "narrow" : ""}">${cells}${beats}
<div class="label"><b>${title.replace("&", "&amp;")}</b><span>${name} · ${mimeType} · ${width}×${height}${rate}</span></div>
<div class="counter" id="counter"></div></footer>
<script>
const beats = ${JSON.stringify(sheet.beat)};
function show(frame, framesPerSecond, frames) {
  globalThis.draw?.(frame / framesPerSecond, frames / framesPerSecond);
  if (frames === 1) return;
  document.getElementById("beat-ones").style.background = beats[frame % 3];
  document.getElementById("beat-threes").style.background = beats[Math.floor(frame / 3) % 3];
  document.getElementById("counter").textContent = String(frame).padStart(3, "0");
}
</script>`;
}

function inputOf({ framesPerSecond }: Creative): string[] {
  return ["-f", "image2pipe", "-framerate", String(framesPerSecond ?? 1), "-c:v", "png", "-i", "-"];
}

function encodingOf({ mimeType, framesPerSecond }: Creative): string[] {
  switch (mimeType) {
    case "video/mp4":
      return [
        ...BT709,
        "-c:v",
        "libx264",
        "-preset",
        "slow",
        "-crf",
        "23",
        "-g",
        String((framesPerSecond ?? 30) * 2),
      ].concat(["-movflags", "+faststart", ...EXACT]);
    case "video/webm":
      return [...BT709, "-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "34", "-deadline", "good", "-cpu-used", "2"].concat([
        "-row-mt",
        "0",
        ...EXACT,
      ]);
    case "image/jpeg":
      return ["-vf", "scale=out_range=pc,format=yuvj444p", "-q:v", "4", ...EXACT];
    case "image/webp":
      return ["-c:v", "libwebp", "-quality", "86", ...EXACT];
    default:
      return ["-pix_fmt", "rgb24", "-compression_level", "100", "-pred", "mixed", ...EXACT];
  }
}

function ffmpeg(args: readonly string[]) {
  const child = spawn("ffmpeg", ["-loglevel", "error", "-y", ...args], { stdio: ["pipe", "inherit", "inherit"] });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`ffmpeg ended with ${code}`))));
  });
  return { input: child.stdin, ended };
}

/** Looks at a creative as an observer of a 16:9 screen does, in the first frame and in the last. */
async function check(creative: Creative): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "creative-"));
  const isPage = creative.mimeType === "text/html";
  const source = isPage ? join(folder, "page.png") : join(assets, creative.file);
  if (isPage) await photograph(join(assets, creative.file), source);
  for (const late of creative.framesPerSecond === null ? [false] : [false, true]) {
    const grid = await observed(source, late ? framesOf(creative) - 1 : 0, join(folder, "grid.rgb"));
    const wrong = creative.code.filter((colour, index) => !shows(grid, creative.strip, index, colour));
    if (wrong.length > 0) throw new Error(`${creative.name} does not show ${wrong.join(", ")} in its code`);
  }
  rmSync(folder, { recursive: true });
  console.log(`${creative.name}: shows ${creative.code.join(" ")}`);
}

async function photograph(file: string, picture: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.goto(`file://${file}`);
  await page.screenshot({ path: picture });
  await page.close();
}

/** The 16x9 pixels of one frame, contained in a 16:9 screen. */
async function observed(source: string, frame: number, out: string): Promise<Buffer> {
  const contain = "scale=1280:720:force_original_aspect_ratio=decrease,pad=1280:720:-1:-1";
  // RGB first: subsampled chroma does not survive being scaled to so few pixels.
  const averaged = `format=rgb24,scale=${GRID.columns}:${GRID.rows}:flags=area`;
  const picked = `select=eq(n\\,${frame}),${contain},${averaged}`;
  const { ended } = ffmpeg(["-i", source, "-vf", picked, "-frames:v", "1", "-f", "rawvideo", out]);
  await ended;
  return readFileSync(out);
}

function shows(grid: Buffer, strip: Creative["strip"], index: number, colour: string): boolean {
  const hex = sheet.palette[colour] ?? "";
  const wanted = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return [0, 1].every((row) => {
    const pixel = ((strip.row + row) * GRID.columns + strip.column + index) * 3;
    return wanted.every((value, channel) => Math.abs((grid[pixel + channel] ?? 0) - value) <= MOST_DEVIATION);
  });
}
