import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
    for (const name of [
      "a.JPG",
      "b.png",
      "c.webm",
      "d.html",
      "e/index.html",
      ".hidden.jpg",
      "f.txt",
      "g/readme.html",
    ]) {
      put(name);
    }
    put("h.png", "");
    const { entries, skipped, problem } = await surveyHouse(folder);
    expect(entries.map(({ name, form }) => [name, form]).sort()).toEqual([
      ["a.JPG", "image"],
      ["b.png", "image"],
      ["c.webm", "video"],
      ["d.html", "page"],
      ["e", "page"],
    ]);
    expect(skipped.map(({ name, why }) => `${name} ${why}`).sort()).toEqual([
      "f.txt is no image, clip or page",
      "g is a folder without index.html",
      "h.png is empty",
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
  it("has the files beside it and below, by their type", async () => {
    put("news/index.html");
    put("news/style/page.css");
    const page = await named("news");
    expect(house.entrance(page)).toBe("index.html");
    expect(await house.file(page.id, "index.html")).toMatchObject({ contentType: "text/html; charset=utf-8" });
    expect(await house.file(page.id, "style/page.css")).toMatchObject({ contentType: "text/css; charset=utf-8" });
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

  it("that goes, or an id that never was, has no file", async () => {
    put("news/index.html");
    const page = await named("news");
    rmSync(join(folder, "news"), { recursive: true });
    expect(await house.file(page.id, "index.html")).toBe(null);
    expect(await house.file("0".repeat(32), "index.html")).toBe(null);
  });
});
