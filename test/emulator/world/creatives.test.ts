import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { creativesDir } from "../../../src/emulator/world/creatives.ts";
import { WorldError } from "../../../src/emulator/world/read.ts";
import { readCatalogue } from "../../support/creatives/catalogue.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ask, call, json, nextSpot, running, smallWorld } from "../running.ts";

const { creatives, palette, beat } = readCatalogue();

describe("the sample creatives", () => {
  it("are all there, and all together small", () => {
    const sizes = readdirSync(creativesDir(), { recursive: true, encoding: "utf8" }).map((name) => {
      return statSync(join(creativesDir(), name)).size;
    });

    for (const { file } of creatives) expect(statSync(join(creativesDir(), file)).size).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(4 * 1024 * 1024);
  });

  it("have codes of four colours that differ in three places or more", () => {
    const codes = creatives.map(({ code }) => code);

    for (const code of codes) expect(code.filter((colour) => colour in palette)).toHaveLength(4);
    for (const [index, one] of codes.entries()) {
      for (const other of codes.slice(index + 1)) {
        expect(one.filter((colour, place) => colour !== other[place]).length).toBeGreaterThanOrEqual(3);
      }
    }
  });

  it("have colours that are far apart and neither near black nor near white", () => {
    for (const colours of [Object.values(palette), beat]) {
      const rgbs = colours.map(channels);
      for (const rgb of rgbs) {
        expect(Math.max(...rgb)).toBeGreaterThan(120);
        expect(Math.min(...rgb)).toBeLessThan(150);
      }
      for (const [index, one] of rgbs.entries()) {
        for (const other of rgbs.slice(index + 1)) {
          expect(Math.hypot(...one.map((value, channel) => value - (other[channel] ?? 0)))).toBeGreaterThan(95);
        }
      }
    }
  });

  it("of HTML write their code in the page as the list has it", () => {
    for (const { file, mimeType, code } of creatives) {
      if (mimeType !== "text/html") continue;
      const page = readFileSync(join(creativesDir(), file), "utf8");
      const written = [...page.matchAll(/<i style="background:(#[0-9a-f]{6})"><\/i>/g)].map(([, colour]) => colour);
      expect(written).toEqual(code.map((colour) => palette[colour]));
    }
  });
});

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** The segment of a JPEG that says that it is to be turned by 90 degrees: orientation 6 (EXIF 2.3). */
const TURNED = Buffer.from(
  "ffe10022457869660000" + "4d4d002a00000008" + "00010112000300000001000600000000" + "0000",
  "hex",
);

/** A folder of a world with a clip, a picture and a page with a part beside it. */
function folderOfWorld(): string {
  const folder = temporaryFolder();
  copyFileSync(join(creativesDir(), "ad-coffee.mp4"), join(folder, "my clip.mp4"));
  copyFileSync(join(creativesDir(), "ad-bakery.png"), join(folder, "poster.png"));
  mkdirSync(join(folder, "page"));
  writeFileSync(join(folder, "page", "index.html"), '<link rel="stylesheet" href="style.css">');
  writeFileSync(join(folder, "page", "style.css"), "body { color: red }");
  writeFileSync(join(folder, "page", ".env"), "secret");
  writeFileSync(join(folder, "notes.txt"), "Buy milk.");
  writeFileSync(join(folder, "broken.mp4"), "nothing that plays");
  writeFileSync(join(folder, "empty.png"), "");
  return folder;
}

/** What is said of a world with these creatives; nothing where it begins. */
async function problems(...creatives: object[]): Promise<string[]> {
  const world = { ...smallWorld(), creatives: creatives as [] };
  const begun = running({ world, worldDir: folderOfWorld() });
  return begun.then(
    () => [],
    (error) => {
      if (!(error instanceof WorldError)) throw error;
      return error.problems.map(({ path, message }) => `${path}: ${message}`);
    },
  );
}

describe("a creative that is a file beside the world", () => {
  it("is shown with the media type, size and length that are read from it", async () => {
    const creatives = [
      { name: "clip", file: "my clip.mp4" },
      { name: "poster", file: "poster.png", title: "Poster", duration: 4000 },
    ];
    const emulator = await running({ world: { ...smallWorld(), creatives }, worldDir: folderOfWorld() });
    emulator.next("screen_a", [{ news: "clip", ad: "poster" }]);

    const { news, ad } = await nextSpot(emulator, "org_a", "screen_a");

    expect(news).toMatchObject({
      id: "clip",
      title: "clip",
      mimeType: "video/mp4",
      width: 1280,
      height: 720,
      duration: 5000,
    });
    expect(ad).toMatchObject({ title: "Poster", mimeType: "image/png", width: 960, height: 720, duration: 4000 });
    expect(news.url).toBe(`${emulator.mediaUrl}/creatives/world/my%20clip.mp4`);
    const media = await call(emulator, news.url);
    expect([media.status, media.headers["content-type"]]).toEqual([200, "video/mp4"]);
    expect((await call(emulator, ad.url)).status).toBe(200);
    expect(emulator.spots()).toMatchObject([{ news: { media: [{ complete: true }] } }]);
  });

  it("has its size and digest in a CAR, and is struck by faults of its type, whatever its name", async () => {
    const creatives = [{ name: "clip", file: "my clip.mp4" }];
    const car = { car_id: "car_clip", creative: "clip", advertiser_name: "A", campaign_name: "C" };
    const organizations = smallWorld().organizations.map((one) => ({ ...one, cars: [...(one.cars ?? []), car] }));
    const emulator = await running({ world: { ...smallWorld(), creatives, organizations }, worldDir: folderOfWorld() });
    const { item } = json(await ask(emulator.baseUrl, "/vendor/org_a/cars/car_clip"));
    emulator.setFaults([{ match: { mimeType: "video/*" }, do: { status: 503 } }]);

    expect(item.size).toBe(statSync(join(creativesDir(), "ad-coffee.mp4")).size);
    expect(item.md5).toMatch(/^[0-9a-f]{32}$/);
    expect((await call(emulator, item.url)).status).toBe(503);
  });

  it("may be a page, which finds what lies in its folder and nothing else", async () => {
    const creatives = [{ name: "page", file: "page/index.html", width: 1080, height: 1920 }];
    const emulator = await running({ world: { ...smallWorld(), creatives }, worldDir: folderOfWorld() });
    emulator.next("screen_a", [{ news: "page" }]);
    const { news } = await nextSpot(emulator, "org_a", "screen_a");
    const status = async (path: string) => (await call(emulator, new URL(path, news.url).href)).status;

    expect(news).toMatchObject({ mimeType: "text/html", width: 1080, height: 1920, duration: 10_000 });
    expect([await status("index.html"), await status("style.css")]).toEqual([200, 200]);
    expect([await status(".env"), await status("../notes.txt"), await status("../poster.png")]).toEqual([
      404, 404, 404,
    ]);
  });

  it("is served whole as it is now when somebody works on it meanwhile", async () => {
    const creatives = [{ name: "page", file: "page/index.html" }];
    const worldDir = folderOfWorld();
    const emulator = await running({ world: { ...smallWorld(), creatives }, worldDir });
    const path = "/creatives/world/page/style.css";
    const before = await ask(emulator.mediaUrl, path);
    const style = "body { color: darkolivegreen; background: papayawhip }";

    writeFileSync(join(worldDir, "page", "style.css"), style);

    const after = await ask(emulator.mediaUrl, path, { headers: { "if-none-match": String(before.headers.etag) } });
    expect([after.status, after.body.toString()]).toEqual([200, style]);
    expect(after.headers["content-length"]).toBe(String(style.length));
  });

  it("is as wide as it is shown when its file says that it is turned (EXIF, F24)", async () => {
    const worldDir = folderOfWorld();
    const picture = readFileSync(join(creativesDir(), "news-headlines.jpg"));
    const { width, height } = creatives.find(({ file }) => file === "news-headlines.jpg") ?? {};
    writeFileSync(join(worldDir, "turned.jpg"), Buffer.concat([picture.subarray(0, 2), TURNED, picture.subarray(2)]));
    const emulator = await running({
      world: { ...smallWorld(), creatives: [{ name: "turned", file: "turned.jpg" }] },
      worldDir,
    });
    emulator.next("screen_a", [{ ad: "turned" }]);

    const { ad } = await nextSpot(emulator, "org_a", "screen_a");

    expect(width).not.toBe(height);
    expect([ad.width, ad.height]).toEqual([height, width]);
  });

  it("may be a page of modules, which browsers run under a type of script alone", async () => {
    const worldDir = folderOfWorld();
    writeFileSync(join(worldDir, "page", "main.mjs"), "document.title = 'begun';");
    const creatives = [{ name: "page", file: "page/index.html" }];
    const emulator = await running({ world: { ...smallWorld(), creatives }, worldDir });

    const { headers } = await call(emulator, "/creatives/world/page/main.mjs");

    expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
  });

  const odd = ["dé'jà & vu+.png", "%41.png", "..dots.png", ".hidden.png"];
  const oddInPosix = process.platform === "win32" ? [] : ["100% #1?.png", "a\\b;c=d.png"];
  it.each([...odd, ...oddInPosix])("may be called %s", async (file) => {
    const worldDir = folderOfWorld();
    copyFileSync(join(worldDir, "poster.png"), join(worldDir, file));
    const emulator = await running({ world: { ...smallWorld(), creatives: [{ name: "odd", file }] }, worldDir });
    emulator.next("screen_a", [{ news: null, ad: "odd" }]);
    const { ad } = await nextSpot(emulator, "org_a", "screen_a");

    const media = await call(emulator, new URL(ad.url).href);

    expect([media.status, ad.width]).toEqual([200, 960]);
    expect(emulator.spots()).toMatchObject([{ ad: { media: [{ complete: true }] } }]);
  });

  it.each([
    ["nowhere.png", "there is no file"],
    ["notes.txt", "is not a video"],
    ["page", "there is no file"],
    ["broken.mp4", "cannot be read as video/mp4"],
    ["empty.png", "cannot be read as image/png"],
    ["../elsewhere.png", "must be a path below the folder of the world"],
    ["/etc/passwd", "must be a path below the folder of the world"],
  ])("is refused when the world is read: %s", async (file, problem) => {
    const found = await problems({ name: "own", file });

    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^creatives\[0\]\.file: /);
    expect(found[0]).toContain(problem);
  });
});

describe("a creative with a URL", () => {
  const own = { name: "own", title: "Own", mimeType: "image/png", width: 1, height: 1, duration: 1000 };

  it.each(["https://cdn.example/a.png", "http://127.0.0.1:9/a.png?x=1", "creatives/ad-bakery.png"])(
    "may be at %s",
    async (url) => {
      expect(await problems({ ...own, url })).toEqual([]);
    },
  );

  it.each(["x.png", "ftp://cdn.example/a.png", "file:///tmp/a.png", "creatives/nowhere.png", "http://"])(
    "may not be at %s",
    async (url) => {
      const problem = "creatives[0].url: must be an http or https URL; for a file beside the world say file";
      expect(await problems({ ...own, url })).toEqual([problem]);
    },
  );

  it("has to say everything, and is either a file or a URL", async () => {
    expect(await problems({ name: "own", url: "https://x/a.png" })).toEqual(
      ["title", "mimeType", "width", "height", "duration"].map(
        (field) => `creatives[0].${field}: is required with a url; of a file it is read`,
      ),
    );
    const either = "creatives[0].file: say either file, a path beside the world, or url";
    expect(await problems({ ...own, url: "https://x/a.png", file: "poster.png" })).toEqual([either]);
    expect(await problems({ name: "own" })).toEqual([either]);
  });
});
