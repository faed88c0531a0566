import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, parse } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { HouseFolder, MOST_HOUSE_FILES, surveyHouse } from "../../../src/player/house/house-folder.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

let folder: string;
let lines: string[];
let house: HouseFolder;

beforeEach(() => {
  const parent = temporaryFolder();
  folder = join(parent, "house");
  mkdirSync(folder);
  writeFileSync(join(parent, "secret.jpg"), "secret");
  lines = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
  house = new HouseFolder(folder, log);
});

function put(name: string, content = "x"): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), content);
}

async function named(name: string) {
  const item = (await house.look()).find((one) => one.name === name);
  if (item === undefined) throw new Error(`${name} is not shown`);
  return item;
}

/** No file is closed to root. */
async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  const user = process.geteuid?.() ?? NOBODY;
  if (user === 0) process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    if (user === 0) process.seteuid?.(user);
  }
}

const NOBODY = 65_534;

describe("a folder of house content", () => {
  it("holds images, clips, pages, and folders with a page; hidden files are none, and others are skipped", async () => {
    const files = [
      "a.JPG",
      "b.avif",
      "c.mov",
      "d.htm",
      ".hidden.jpg",
      "i.txt",
      "j/readme.html",
      "j/news.html",
      "k/a.css",
    ];
    const pages = ["e/index.html", "e/other.html", "f/Index.HTM", "f/other.html", "g/only.xhtml", "g/a.css"];
    for (const name of [...files, ...pages]) put(name);
    put("h.png", "");
    const { entries, skipped, problem } = await surveyHouse(folder);
    expect(entries.map(({ name, form, path }) => [name, form, basename(path)]).sort()).toEqual([
      ["a.JPG", "image", "a.JPG"],
      ["b.avif", "image", "b.avif"],
      ["c.mov", "video", "c.mov"],
      ["d.htm", "page", "d.htm"],
      ["e", "page", "index.html"],
      ["f", "page", "Index.HTM"],
      ["g", "page", "only.xhtml"],
    ]);
    expect(skipped.map(({ name, why }) => `${name} ${why}`).sort()).toEqual([
      "h.png is empty",
      "i.txt is no image, clip or page",
      "j is a folder without index.html",
      "k is a folder without index.html",
    ]);
    expect(problem).toBe(null);
  });

  it.each([
    "index.bak.html",
    "index.de.html",
    "index.htm",
    // On Windows that is the same file.
    ...(process.platform === "win32" ? [] : ["Index.HTML"]),
  ])("has a page by its index.html, not by %s beside it", async (other) => {
    for (const [name, files] of Object.entries({ a: [other, "index.html"], b: ["index.html", other] }))
      for (const file of files) put(`${name}/${file}`);
    const { entries } = await surveyHouse(folder);
    expect(entries.map(({ path }) => basename(path))).toEqual(["index.html", "index.html"]);
  });

  it("can be a whole drive, as a memory stick is on Windows", async () => {
    const { skipped } = await surveyHouse(parse(folder).root);
    expect(skipped.map(({ why }) => why)).not.toContain("leads out of the folder");
  });

  it.each([
    ["is not there", "it is not there", () => rmSync(folder, { recursive: true })],
    ["is empty", "there is nothing in it to show", () => {}],
  ])("that %s has nothing to show, and says why once", async (_, problem, make) => {
    make();
    expect(await house.look()).toEqual([]);
    expect(await house.look()).toEqual([]);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([`house.dir: ${problem}; the packaged slate is shown`]);
  });

  it.skipIf(process.platform === "win32")("skips what its owner alone can read, and says so", async () => {
    for (const name of ["a.jpg", "b/index.html"]) put(name);
    for (const name of ["a.jpg", "b/index.html"]) chmodSync(join(folder, name), 0o000);
    for (const one of [folder, dirname(folder)]) chmodSync(one, 0o755);
    const { skipped } = await asNobody(() => surveyHouse(folder));
    const why = "cannot be read (EACCES)";
    expect([...skipped].sort((one, other) => (one.name < other.name ? -1 : 1))).toEqual([
      { name: "a.jpg", why },
      { name: "b", why },
    ]);
  });

  it("says once of each file that it is skipped", async () => {
    put("a.jpg");
    put("b.txt");
    await house.look();
    await house.look();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ file: "b.txt" }]);
  });

  it("is not left by a link, neither to a file nor to a folder nor from a page", async () => {
    put("a.html");
    symlinkSync(join(folder, "..", "secret.jpg"), join(folder, "b.jpg"));
    symlinkSync(join(folder, ".."), join(folder, "c"));
    expect((await house.look()).map(({ name }) => name)).toEqual(["a.html"]);
    expect(await house.file((await named("a.html")).id, "b.jpg")).toBe(null);
  });

  it("counts a file that was replaced as another one", async () => {
    put("a.jpg", "one");
    const before = await named("a.jpg");
    put("a.jpg", "another");
    expect((await named("a.jpg")).id).not.toBe(before.id);
    expect(await house.file(before.id, "")).toMatchObject({ sizeBytes: 7 });
  });

  it("is looked at only so far", async () => {
    for (let index = 0; index <= MOST_HOUSE_FILES; index++) put(`${index}.jpg`);
    expect((await house.look()).length).toBe(MOST_HOUSE_FILES);
    expect(lines.length).toBe(1);
  });
});

describe("a page in the folder", () => {
  it("has the files beside it and below", async () => {
    put("news/index.html");
    put("news/style/page.css", "0123456789");
    const page = await named("news");
    expect(house.entrance(page)).toBe("index.html");
    const file = await house.file(page.id, "style/page.css");
    expect(file?.sizeBytes).toBe(10);
    expect(await text(file?.bytes(2, 5) ?? Readable.from([]))).toBe("2345");
  });

  it.each([
    ["a.html", "<p>plain", "text/html"],
    ["a.html", "<p>ü", "text/html; charset=utf-8"],
    ["a.css", "/* ü */", "text/css; charset=utf-8"],
    ["a.js", Buffer.from("/* ü */", "latin1"), "text/javascript"],
    ["a.json", '"ü"', "application/json"],
    ["a.wasm", "x", "application/wasm"],
    ["a.of-no-kind", "x", "application/octet-stream"],
  ])("is given %s with %j as %s", async (name, content, contentType) => {
    put("page/index.html");
    writeFileSync(join(folder, "page", name), content);
    expect(await house.file((await named("page")).id, name)).toMatchObject({ contentType });
  });

  it.each([
    "../secret.jpg",
    "../../secret.jpg",
    "style/../../a.jpg",
    "/etc/passwd",
    "..",
    ".env",
    "a\0.css",
    "C:\\x.css",
    "",
  ])("has no file %j", async (name) => {
    put("a.jpg");
    put("news/index.html");
    put("news/.env");
    expect(await house.file((await named("news")).id, name)).toBe(null);
  });

  it.each([
    ["campaign", "campaign/index.html", "../shared/page.html"],
    ["campaign", "campaign/index.html", "../shared/page"],
    ["a.html", "a.html", "shared/page.html"],
    ["a.html", "a.html", "..data/page.html"],
    ["campaign", "campaign", "..data/folder"],
  ])("that is a link (%s: %s -> %s) is shown, with the files beside the link", async (name, link, target) => {
    for (const file of ["shared/page.html", "shared/page", "..data/page.html", "..data/folder/index.html"]) put(file);
    mkdirSync(join(folder, link, ".."), { recursive: true });
    symlinkSync(target, join(folder, link));
    put(name === link ? "beside.css" : "campaign/beside.css");
    if (link === "campaign") put("..data/folder/beside.css");
    const page = await named(name);
    const entrance = house.entrance(page);
    expect(await house.file(page.id, entrance)).toMatchObject({ sizeBytes: 1, contentType: "text/html" });
    expect(await house.file(page.id, "beside.css")).toMatchObject({ contentType: "text/css" });
  });

  it.skipIf(process.platform === "win32")("is skipped where no page may ask for its name", async () => {
    for (const name of ["10:30.html", "a\\b.html", "news/index.10:30.html", "10:30.jpg"]) put(name);
    const { entries, skipped } = await surveyHouse(folder);
    expect(entries.map(({ name }) => name)).toEqual(["10:30.jpg"]);
    expect(skipped.map(({ name }) => name).sort()).toEqual(["10:30.html", "a\\b.html", "news"]);
  });

  it("is another one once a file that it was given has changed, or is there, but for what it asks for again", async () => {
    put("news/index.html");
    put("news/style/a.css");
    put("news/today.json");
    const begin = async () => {
      const { id } = await named("news");
      for (const name of ["index.html", "style/a.css", "later.jpg", "today.json", "today.json"])
        await house.file(id, name);
      return id;
    };
    const first = await begin();
    put("news/today.json", "another");
    put("news/beside.css");
    expect([(await named("news")).id, await begin()]).toEqual([first, first]);
    put("news/style/a.css", "another");
    const second = await begin();
    put("news/later.jpg");
    const third = await begin();
    expect(new Set([first, second, third]).size).toBe(3);
    rmSync(join(folder, "news/style/a.css"));
    expect((await named("news")).id).toBe(third);
  });

  it("is followed to what its link leads to by now", async () => {
    for (const version of ["..1", "..2"]) put(`${version}/page.html`, version);
    symlinkSync("..1", join(folder, "..data"));
    symlinkSync("..data/page.html", join(folder, "a.html"));
    const page = await named("a.html");
    rmSync(join(folder, "..data"));
    rmSync(join(folder, "..1"), { recursive: true });
    symlinkSync("..2", join(folder, "..data"));
    const file = await house.file(page.id, house.entrance(page));
    expect(await text(file?.bytes(0, 2) ?? Readable.from([]))).toBe("..2");
  });

  it("has no file by a link that leads out of all house content, and is skipped where it is one itself", async () => {
    put("news/index.html");
    symlinkSync(join(folder, "..", "secret.jpg"), join(folder, "news", "a.jpg"));
    put("campaign/other.css");
    symlinkSync(join(folder, "..", "secret.jpg"), join(folder, "campaign", "index.html"));
    expect(await house.file((await named("news")).id, "a.jpg")).toBe(null);
    expect((await surveyHouse(folder)).skipped).toEqual([{ name: "campaign", why: "leads out of the folder" }]);
  });

  it("that goes, or an id that never was, has no file", async () => {
    put("news/index.html");
    const page = await named("news");
    rmSync(join(folder, "news"), { recursive: true });
    expect(await house.file(page.id, "index.html")).toBe(null);
    expect(await house.file("0".repeat(32), "index.html")).toBe(null);
  });
});
