import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BootRecord } from "../../src/core/recovery.ts";
import type { WholeItem } from "../../src/emulator/spot/planned.ts";
import { streamDisplay } from "../support/display/recording.ts";
import { eventually } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig, type Rig } from "../support/player/rig.ts";
import { openBareWindows } from "./bare-window.ts";
import { type ColdStart, judgeStart } from "./cold-frames.ts";
import { CELLS, cellsOf } from "./compare.ts";
import { contained, grab } from "./picture.ts";
import type { Sample } from "./sample.ts";

/** One kill, one start, and what was seen of the first item after it. */
export interface ColdResult {
  readonly sample: Sample;
  readonly start: ColdStart;
}

export interface ColdOptions {
  readonly starts: number;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** Creatives that stand still from their first frame on: pages that are light and heavy to draw, pictures, a clip. */
const STILL: ReadonlySet<string> = new Set([
  ...["background-on-body", "filters", "picture-sizes", "svg-inline", "table-layout", "gradient-radial-and-conic"],
  ...["made-for-1920x1080", "blend-modes", "text-shaped", "columns"],
  ...["jpeg-exif-6", "png-palette", "webp-lossy", "jpeg-4k", "clip-one-frame"],
]);

const DISPLAY = { width: 1280, height: 720 } as const;
const ITEM_MS = 3_000;
/** How long the first item is watched before the kill. */
const WATCH_MS = 1_000;
const START_WITHIN_MS = 60_000;
const FIRST_ITEM_WITHIN_MS = 30_000;
const LOOK_MS = 50;

/** Kills the player with its creatives in the cache and starts it again, watched at 60 frames a second each time. */
export async function watchColdStarts(
  samples: readonly Sample[],
  options: ColdOptions,
): Promise<readonly ColdResult[]> {
  const { starts, signal, progress } = options;
  const still = samples.filter(({ name }) => STILL.has(name));
  const expected = await expectedCells(still, signal);
  const rig = await openRig(DISPLAY);
  try {
    const house = await houseCells(rig);
    progress("filling the cache");
    await fillCache(rig, still);
    const results: ColdResult[] = [];
    for (let index = 0; index < starts; index++) {
      signal.throwIfAborted();
      const sample = still[index % still.length] as Sample;
      const frames = await coldStart(rig, sample);
      const start = judgeStart(frames, { house, item: expected.get(sample) ?? Buffer.alloc(0) });
      results.push({ sample, start });
      progress(`${index + 1} of ${starts}`);
    }
    return results;
  } finally {
    await rig.close();
  }
}

export function isWhole({ start }: ColdResult): boolean {
  return start.kind === "whole";
}

export function coldTable(results: readonly ColdResult[]): string {
  const wrong = results.filter((result) => !isWhole(result));
  const lines = wrong.map(({ sample, start }) =>
    start.kind === "half-drawn"
      ? `${sample.name}: ${start.frames} frames that were not whole, the first with ${percent(start.off)} off`
      : `${sample.name}: never seen whole`,
  );
  return [
    ...lines,
    `${results.length - wrong.length} of ${results.length} cold starts with whole frames only`,
    "",
  ].join("\n");
}

/** What is kept of cold starts: which creative, and what was seen of it. */
export interface ColdFigures {
  readonly starts: readonly ({ readonly name: string } & ColdStart)[];
}

export function coldFigures(results: readonly ColdResult[]): ColdFigures {
  return { starts: results.map(({ sample, start }) => ({ name: sample.name, ...start })) };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

async function expectedCells(still: readonly Sample[], signal: AbortSignal): Promise<ReadonlyMap<Sample, Uint8Array>> {
  const windows = await openBareWindows();
  try {
    const cells = new Map<Sample, Uint8Array>();
    for (const sample of still) {
      signal.throwIfAborted();
      const picture = await windows.picture(0, { name: sample.name, ...sample.bare });
      cells.set(sample, cellsOf(await contained(picture, DISPLAY.width, DISPLAY.height)));
    }
    return cells;
  } finally {
    await windows.close();
  }
}

/** House content as it is shown while no service answers. */
async function houseCells(rig: Rig): Promise<Uint8Array> {
  const player = rig.play(["--config", rig.configure({ baseUrl: "http://127.0.0.1:9" })]);
  const onAir = async () => ((await readHealth(rig.home))?.onAir === "house" ? true : undefined);
  await eventually("house content", onAir, START_WITHIN_MS);
  await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
  const picture = await grab({ display: rig.display.name, x: 0, y: 0, ...DISPLAY });
  await player.stop();
  return cellsOf(picture);
}

async function fillCache(rig: Rig, still: readonly Sample[]): Promise<void> {
  await rig.emulator.next(still.map((sample) => ({ newsFirst: true, news: itemOf(sample), ad: null })));
  const player = rig.play(["--config", rig.configure()]);
  const all = () => (still.every(({ name }) => endingsIn(player.stderr).has(name)) ? true : undefined);
  await eventually("the end of the last creative", all, START_WITHIN_MS + still.length * ITEM_MS * 3);
  await player.stop("SIGKILL");
}

/** What was seen from the start of the player until it was killed, a second after the item came. */
async function coldStart(rig: Rig, sample: Sample): Promise<readonly Buffer[]> {
  await rig.emulator.next([{ newsFirst: true, news: itemOf(sample), ad: null }]);
  const frames: Buffer[] = [];
  const stream = await streamDisplay(
    rig.display.name,
    DISPLAY.width,
    DISPLAY.height,
    (frame) => frames.push(frame),
    CELLS,
  );
  const player = rig.play(["--config", rig.configure()]);
  // An item that does not come is a result too: its frames are judged as they are.
  const until = Date.now() + FIRST_ITEM_WITHIN_MS;
  const isOnAir = async () => {
    const now = (await readHealth(rig.home))?.onAir;
    return typeof now === "object" && now.id === sample.name;
  };
  while (!(await isOnAir()) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
  await stream.stop();
  await player.stop("SIGKILL");
  forgetKill(join(rig.home, "data", "recovery.json"));
  return frames;
}

/** After many kills in a row a player holds house content first, longer each time: each start is to be as after one. */
function forgetKill(bootRecordFile: string): void {
  const record = JSON.parse(readFileSync(bootRecordFile, "utf8")) as BootRecord;
  writeFileSync(bootRecordFile, JSON.stringify({ ...record, restarts: 0 }));
}

function itemOf({ name, mimeType, width, height, url }: Sample): WholeItem {
  return { id: name, title: name, mimeType, width, height, duration: ITEM_MS, url, newsType: "test" };
}
