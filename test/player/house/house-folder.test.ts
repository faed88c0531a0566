import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
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
    ["is not there", "it is not there", () => rmSync(folder, { recursive: true })],
    ["is empty", "there is nothing in it to show", () => {}],
  ])("that %s has nothing to show, and says why once", async (_, problem, make) => {
    make();
    expect(await house.look()).toEqual([]);
    expect(await house.look()).toEqual([]);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([`house.dir: ${problem}; the packaged slate is shown`]);
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
