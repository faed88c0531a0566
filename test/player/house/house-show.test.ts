import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import type { HouseItem } from "../../../src/core/house.ts";
import { HouseFolder } from "../../../src/player/house/house-folder.ts";
import { type HouseShow, type HouseStage, startHouseShow } from "../../../src/player/house/house-show.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

type End = Awaited<ReturnType<HouseStage["over"]>>;

/** A slate without a page: what is shown is there at once, unless it is broken. As a frame does, it loads any answer. */
class FakeHouseStage implements HouseStage {
  readonly seen: string[] = [];
  readonly broken = new Set<string>();
  readonly #folder: HouseFolder;
  #cued = "";
  end: (how: End) => void = () => {};
  #over: Promise<End> = Promise.resolve("replaced");

  constructor(folder: HouseFolder) {
    this.#folder = folder;
  }

  async cue(item: HouseItem): Promise<number | null> {
    await this.#folder.file(item.id, this.#folder.entrance(item));
    if (this.broken.has(item.name)) throw new Error("undecodable");
    this.#cued = item.name;
    return item.form === "video" ? 5_000 : null;
  }

  async take(): Promise<void> {
    this.seen.push(this.#cued);
    this.end("replaced");
    this.#over = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  over = (): Promise<End> => this.#over;
  clear = (): void => void this.seen.push("(clear)");
  pause = (): void => void this.seen.push("(pause)");
  resume = (): void => void this.seen.push("(resume)");
}

let clock: ManualClock;
let folder: string;
let house: HouseFolder;
let stage: FakeHouseStage;
let lines: string[];

beforeEach(() => {
  clock = new ManualClock();
  folder = temporaryFolder();
  lines = [];
  house = new HouseFolder(folder, log);
  stage = new FakeHouseStage(house);
});

const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line).file) });

function show(...names: string[]): HouseShow {
  for (const name of names) writeFileSync(join(folder, name), name);
  return startHouseShow({ folder: house, stage, clock, stayMs: 10_000, log });
}

/** The folder is looked at on the real disk. */
async function seen(...names: string[]): Promise<void> {
  await expect.poll(() => stage.seen).toEqual(names);
  await clock.settle();
}

describe("house content from a folder", () => {
  it("is shown in turn, a clip until it has ended", async () => {
    show("a.jpg", "b.mp4", "c.html");
    await seen("a.jpg");
    await clock.advance(10_000);
    await seen("a.jpg", "b.mp4");
    stage.end("ended");
    await seen("a.jpg", "b.mp4", "c.html");
  });

  it("begins a clip that is alone again at each end, and only then", async () => {
    show("a.mp4");
    await seen("a.mp4");
    stage.end("ended");
    await seen("a.mp4", "a.mp4");
    await clock.advance(4_000);
    expect(stage.seen).toEqual(["a.mp4", "a.mp4"]);
  });

  it("goes on when the visible item breaks, and names what cannot be shown", async () => {
    stage.broken.add("b.jpg");
    show("a.html", "b.jpg", "c.jpg");
    await seen("a.html");
    stage.end("broken");
    await seen("a.html", "c.jpg");
    expect(lines).toEqual(["b.jpg"]);
  });

  it("does not show a page that has gone since the folder was looked at", async () => {
    show("a.html", "b.html", "c.html");
    await seen("a.html");
    rmSync(join(folder, "b.html"));
    stage.end("broken");
    await seen("a.html", "c.html");
    expect(lines).toEqual(["b.html"]);
  });

  it("stands still while a deck lies above", async () => {
    const running = show("a.jpg", "b.jpg");
    await seen("a.jpg");
    running.dispatch({ kind: "covered" });
    await clock.advance(60_000);
    running.dispatch({ kind: "uncovered" });
    await clock.advance(9_000);
    expect(stage.seen).toEqual(["a.jpg", "(pause)", "(resume)"]);
    await clock.advance(1_000);
    await seen("a.jpg", "(pause)", "(resume)", "b.jpg");
  });
});
