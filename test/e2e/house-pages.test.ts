import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HouseFolderOnDisk } from "../support/creatives/house.ts";
import { type Frames, GRID, type Recording, recordDisplay } from "../support/display/recording.ts";
import { eventually } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

/** What a page is made of: what is in its body, and the files beside it. */
type Page = readonly [body: string, files?: Readonly<Record<string, string | Buffer>>];

const latin1 = (text: string) => Buffer.from(text, "latin1");
const sample = (name: string) => readFileSync(new URL(`../../assets/creatives/${name}`, import.meta.url));
const FONT = readFileSync(
  new URL("../../node_modules/@fontsource/bebas-neue/files/bebas-neue-latin-400-normal.woff2", import.meta.url),
);
/** The smallest module that there is (WebAssembly Core 5.5.16). */
const WASM = Buffer.from("0061736d01000000", "hex");
/** A second of silence: 8,000 samples of one byte (RIFF, WAVE). */
const WAV = Buffer.concat([
  latin1("RIFF\x64\x1f\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x40\x1f\0\0"),
  Buffer.alloc(8_000, 128),
]);
const ODD = ["scene.glb", "map.geojson", "captions.vtt", "app.webmanifest", "no-ending", "data.yaml", "app.js.map"];
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10"/></svg>';

/** Pages as programs and people make them for a browser that reads them from a disk. Each says itself whether it works. */
const PAGES: Readonly<Record<string, Page>> = {
  "local storage": ["<script>localStorage.a = 1; sessionStorage.a = 1; works(localStorage.a)</script>"],
  IndexedDB: ['<script>indexedDB.open("a").onsuccess = works</script>'],
  "a worker": ['<script>new Worker("w.js").onmessage = works</script>', { "w.js": "postMessage(1)" }],
  "pixels of an image": [
    '<script>i = new Image(); i.src = "i.jpg"; i.onload = () => { c = document.createElement("canvas").getContext("2d");' +
      " c.drawImage(i, 0, 0); works(c.getImageData(0, 0, 1, 1).data.length) }</script>",
    { "i.jpg": sample("news-headlines.jpg") },
  ],
  "a clip that is sought in": [
    "<video id=v src=v.mp4 muted></video><script>v.onloadeddata = () => { v.currentTime = 3 };" +
      " v.onseeked = () => works(v.currentTime === 3)</script>",
    { "v.mp4": sample("ad-coffee.mp4") },
  ],
  "a sound": ["<audio id=a src=a.wav></audio><script>a.oncanplaythrough = works</script>", { "a.wav": WAV }],
  WebAssembly: ['<script>WebAssembly.instantiateStreaming(fetch("m.wasm")).then(works)</script>', { "m.wasm": WASM }],
  "a frame that it looks into": [
    '<iframe id=f src=sub/x.htm></iframe><script>f.onload = () => works(f.contentDocument.body.textContent === "in")</script>',
    { "sub/x.htm": "in" },
  ],
  "an SVG as an object": ["<object id=o data=a.svg></object><script>o.onload = works</script>", { "a.svg": SVG }],
  "a base": ['<base href="/sub/"><script src=s.js></script><script>works(S)</script>', { "sub/s.js": "S = 1" }],
  "modules and a font": [
    "<style>@font-face { font-family: f; src: url(f.woff2) }</style><script type=module>" +
      'import { a } from "./m.mjs"; works(a && (await document.fonts.load("9px f")).length)</script>',
    { "m.mjs": "export const a = 1", "f.woff2": FONT },
  ],
  "files of other kinds": [
    `<script>Promise.all(${JSON.stringify(ODD)}.map((one) => fetch(one).then(({ ok }) => ok || no())))` +
      ".then(works); function no() { throw 0 }</script>",
    Object.fromEntries(ODD.map((name) => [name, "x"])),
  ],
  "a file whose name is written as it is": [
    "<script src='5 % off.js'></script><script>works(A)</script>",
    { "5 % off.js": "A = 1" },
  ],
  "files with odd names": [
    "<script src='s%20p%20%C3%A4%2B%26.js'></script><script src='100%25.js?v=3'></script><script>works(A && B)</script>",
    { "s p ä+&.js": "A = 1", "100%.js": "B = 1" },
  ],
  "a script in its page's encoding": [
    '<script charset=iso-8859-1 src=l.js></script><script>works(T === "\\u00fc")</script>',
    { "l.js": latin1('T = "ü"') },
  ],
  "a script in UTF-8": ['<script src=u.js></script><script>works(T === "\\u00fc")</script>', { "u.js": 'T = "ü"' }],
  "nowhere else to go": [
    '<script>works(1); setTimeout(() => { location = "http://192.0.2.1/" }, 300)</script><iframe src="http://192.0.2.1/"></iframe>',
  ],
};

/** How whole pages are written down: their bytes, in which `body` stands. */
const WRITTEN: Readonly<Record<string, (body: string) => Buffer>> = {
  "ISO-8859-1, as it says": (body) => latin1(`<!doctype html><meta charset=iso-8859-1>${body}`),
  "Windows-1252, and does not say so": (body) => latin1(`<!doctype html>${body}`),
  "UTF-16": (body) => Buffer.from(`\ufeff<!doctype html>${body}`, "utf16le"),
  "UTF-8, and does not say so": (body) => Buffer.from(`<!doctype html>${body}`),
};
const UMLAUT = '<b id=b>ü</b><script>works(b.textContent === "\\u00fc")</script>';

const NAMES = [...Object.keys(PAGES), ...Object.keys(WRITTEN)];
const SECONDS = 1.5;

/** White until it works: the left half becomes green. The right half tells which one it is. */
function prelude(index: number): string {
  const shade = `rgb(${index * SHADE}, 0, 0)`;
  return (
    `<style>body { margin: 0 } #left, #right { position: fixed; top: 0; bottom: 0; width: 50% } #right { right: 0; background: ${shade} }` +
    " :not(div, body, html) { max-width: 9px; max-height: 9px }</style><div id=left></div><div id=right></div>" +
    '<script>function works(so) { if (so) document.getElementById("left").style.background = "#0f0" }</script>'
  );
}

/** Steps of red that a recording keeps apart. */
const SHADE = 10;

let rig: Rig;
let seen: ReadonlySet<string>;

beforeAll(async () => {
  rig = await openRig({ width: 640, height: 360 });
  const house = new HouseFolderOnDisk(rig.home);
  Object.entries(PAGES).forEach(([, [body, files = {}]], index) => {
    const folder = String(index + 1);
    house.write(`${folder}/index.html`, `<!doctype html><meta charset=utf-8>${prelude(index)}${body}`);
    for (const [name, content] of Object.entries(files)) house.write(`${folder}/${name}`, content);
  });
  Object.values(WRITTEN).forEach((write, index) => {
    const place = Object.keys(PAGES).length + index;
    house.write(`${place + 1}.html`, write(prelude(place) + UMLAUT));
  });
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height, GRID);
  rig.play([
    "--config",
    rig.configure({ baseUrl: "http://nowhere.invalid", house: { dir: "house", seconds: SECONDS } }),
  ]);
  await eventually("a lap", async () => (lapped(recording) ? true : undefined), 90_000);
  seen = workingIn(await recording.stop());
}, 120_000);

afterAll(() => rig?.close());

/** Whether the first page was seen again after the last. */
function lapped(recording: Recording): boolean {
  const places = recording.frames().frames.map(placeIn);
  const last = places.lastIndexOf(NAMES.length - 1);
  return last >= 0 && places.indexOf(0, last) >= 0;
}

/** Those that worked by the end of their turn, and were there still: another page follows. */
function workingIn(recorded: Frames): ReadonlySet<string> {
  const turns = turnsIn(recorded);
  const followed = turns.filter((_, index) => (turns[index + 1]?.place ?? -1) >= 0);
  const working = followed.filter(({ last }) => colourAt(last, 4) === "0,255,0");
  return new Set(working.map(({ place }) => NAMES[place] ?? "no page of these"));
}

/** Which page a frame shows, or -1: by the right half, which has no green and no blue. */
function placeIn(frame: Buffer): number {
  const [red = 0, green = 0, blue = 0] = colourAt(frame, 12).split(",").map(Number);
  return green > 2 || blue > 2 ? -1 : Math.round(red / SHADE);
}

function colourAt(frame: Buffer, column: number): string {
  const at = (4 * GRID.columns + column) * 3;
  return [...frame.subarray(at, at + 3)].join(",");
}

describe("a page in the operator's folder", () => {
  it.each(Object.keys(PAGES))("has %s", (name) => {
    expect(seen).toContain(name);
  });

  it.each(Object.keys(WRITTEN))("may be written in %s", (name) => {
    expect(seen).toContain(name);
  });
});

describe("a page that changes its address while it is shown, after another page", () => {
  it("stays for its whole turn", async () => {
    const alone = await openRig({ width: 640, height: 360 });
    try {
      const house = new HouseFolderOnDisk(alone.home);
      const goOn = 'location.hash = "menu"; setTimeout(() => history.pushState({}, "", "?page=2"), 500)';
      for (const place of [1, 2])
        house.write(`${place}/index.html`, `<!doctype html>${prelude(place)}<script>${goOn}</script>`);
      const recording = await recordDisplay(alone.display.name, alone.display.width, alone.display.height, GRID);
      const settings = { baseUrl: "http://nowhere.invalid", house: { dir: "house", seconds: TURN_MS / 1000 } };
      alone.play(["--config", alone.configure(settings)]);
      const turns = () => turnsIn(recording.frames());
      await eventually(
        "its turn",
        () => turns().find(({ place }, index) => place === 2 && index < turns().length - 1),
        60_000,
      );
      for (const { place, lengthMs } of turnsIn(await recording.stop()).slice(0, -1))
        if (place > 0) expect(lengthMs).toBeGreaterThan(TURN_MS - 500);
    } finally {
      await alone.close();
    }
  });
});

/** A page that does not answer for eight seconds is taken away. */
const TURN_MS = 9_500;

/** A page in sight. */
interface Turn {
  /** -1 where there was none. */
  readonly place: number;
  readonly lengthMs: number;
  readonly last: Buffer;
}

/** One after the other; the last may be under way. */
function turnsIn({ frames, instants }: Frames): readonly Turn[] {
  const places = frames.map(placeIn);
  const starts = [...places.keys()].filter((index) => index === 0 || places[index] !== places[index - 1]);
  return starts.map((start, turn) => {
    const next = starts[turn + 1] ?? frames.length;
    const lengthMs = (instants[Math.min(next, frames.length - 1)] ?? 0) - (instants[start] ?? 0);
    return { place: places[start] ?? -1, lengthMs, last: frames[next - 1] ?? Buffer.alloc(0) };
  });
}
