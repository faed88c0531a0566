import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BareWindows, LANES, openBareWindows } from "./bare-window.ts";
import { compare } from "./compare.ts";
import { contained, type Picture, writeBeside } from "./picture.ts";
import { playSamples, type Showing } from "./player-pictures.ts";
import { isLate, judge, type Outcome, type Result, type Sample } from "./sample.ts";

export interface FidelityOptions {
  /** Of the player's display. */
  readonly width: number;
  readonly height: number;
  /**
   * Where both pictures of each sample are kept side by side, the bare window's on the left, and the log of what was not
   * shown; null for nowhere.
   */
  readonly keep: string | null;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** Shows each sample in a bare window and in the player, and compares what a passer-by sees. In the samples' order. */
export async function runFidelity(samples: readonly Sample[], options: FidelityOptions): Promise<readonly Result[]> {
  const { width, height, keep, signal, progress } = options;
  if (keep !== null) mkdirSync(keep, { recursive: true });
  const expected = await barePictures(samples, options);
  const outcomes = new Map<Sample, Outcome>();
  const onEnd = async (sample: Sample, showing: Showing) => {
    const bare = expected.get(sample);
    if (bare === undefined) throw new Error(`no picture of ${sample.name} in a bare window`);
    const outcome = outcomeOf(sample, showing, bare);
    outcomes.set(sample, outcome);
    if (keep !== null && showing.ending !== "shown") {
      writeFileSync(join(keep, `${sample.name}.log`), showing.log.map((line) => `${line}\n`).join(""));
    }
    if (keep !== null && typeof showing.picture !== "string") {
      await writeBeside(join(keep, `${sample.name}.png`), bare, showing.picture);
    }
    if (!isLate(outcome)) expected.delete(sample);
  };
  const play = (some: readonly Sample[]) =>
    playSamples(some, { width, height, signal, onEnd, progress: (text) => progress(`player: ${text}`) });
  await play(samples);
  const late = [...expected.keys()];
  if (late.length > 0) {
    console.warn(`came too late to be compared, so shown once more: ${late.map(({ name }) => name).join(", ")}`);
    await play(late);
  }
  return samples.map((sample) => ({
    sample,
    outcome: outcomes.get(sample) ?? { kind: "missed", why: "it was never planned" },
  }));
}

function outcomeOf({ fails }: Sample, { picture, ending, proved, log }: Showing, bare: Picture): Outcome {
  if (ending !== "shown") {
    const expected = fails !== null && log.some((line) => line.includes(fails));
    return { kind: "not-shown", reason: ending ?? "never came", expected, log };
  }
  if (typeof picture === "string") return { kind: "missed", why: picture };
  return judge(compare(bare, picture), proved);
}

/** Pages as large as a lane are shown in lanes beside each other, the others one after the other. */
async function barePictures(
  samples: readonly Sample[],
  { width, height, signal, progress }: FidelityOptions,
): Promise<Map<Sample, Picture>> {
  const windows = await openBareWindows();
  const pictures = new Map<Sample, Picture>();
  const take = async (lane: number, sample: Sample) => {
    signal.throwIfAborted();
    pictures.set(sample, await pictureIn(windows, lane, sample));
    progress(`bare window: ${pictures.size} of ${samples.length}`);
  };
  const pictureIn = async (from: BareWindows, lane: number, { name, bare }: Sample) =>
    contained(await from.picture(lane, { name, ...bare }), width, height);
  try {
    const small = samples.filter(({ bare }) => bare.width <= 1280 && bare.height <= 720);
    const queue = [...small];
    const lane = async (number: number) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await take(number, next);
    };
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
    for (const sample of samples) if (!small.includes(sample)) await take(0, sample);
    return pictures;
  } finally {
    await windows.close();
  }
}
