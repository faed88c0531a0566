import type { PlannedSpot, WholeItem } from "../../src/emulator/spot/planned.ts";
import type { LedgerItem } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig } from "../support/player/rig.ts";
import { watchFrames } from "./display-frames.ts";
import type { Picture } from "./picture.ts";
import type { Sample } from "./sample.ts";

/** What the player made of a sample. */
export interface Showing {
  /** The display in the middle of the item, or why there is none. */
  readonly picture: Picture | string;
  /** `shown`, or why it failed, as the log says; null where the log says nothing of it. */
  readonly ending: string | null;
  readonly proved: boolean;
  /** Each line of the log that names it, or a playout of it. */
  readonly log: readonly string[];
}

/** A page comes to rest 1.5 s after it begins; of the pictures taken from then on until it goes, one in the middle. */
const ITEM_MS = 3_000;
const REST_MS = 1_600;
const PICTURE_MS = 2_100;
const UNTIL_MS = 2_800;
/** An item that fails is over at once, one that hangs after some seconds; this only ends what hangs. */
const LIMIT_PER_ITEM_MS = 4 * ITEM_MS;
const START_MS = 60_000;
const LOOK_MS = 100;

export interface PlayOptions {
  readonly width: number;
  readonly height: number;
  readonly signal: AbortSignal;
  /** Hears of each sample that is over. */
  readonly onEnd: (sample: Sample, showing: Showing) => Promise<void>;
  readonly progress: (text: string) => void;
}

/** Plays each sample once as an item on a display of its own, as an ordinary user's process, and takes its picture. */
export async function playSamples(samples: readonly Sample[], options: PlayOptions): Promise<void> {
  const { width, height, signal, onEnd, progress } = options;
  const rig = await openRig({ width, height });
  const frames = await watchFrames(rig.display);
  const pictures = new Map<string, Promise<Picture | string>>();
  const told: Promise<void>[] = [];
  try {
    await rig.emulator.next(spotsOf(samples));
    const player = rig.play(["--config", rig.configure()]);
    const until = Date.now() + START_MS + samples.length * LIMIT_PER_ITEM_MS;
    const waiting = new Set(samples);
    while (waiting.size > 0 && Date.now() < until) {
      signal.throwIfAborted();
      const onAir = await itemOnAir(rig.home);
      if (onAir !== null && !pictures.has(onAir.id)) pictures.set(onAir.id, pictureOf(onAir.since));
      const endings = endingsIn(player.stderr);
      for (const sample of waiting) {
        const ending = endings.get(sample.name);
        if (ending === undefined) continue;
        waiting.delete(sample);
        // Not awaited: a proof takes its time, and the next item is on air.
        told.push(tell(sample, ending));
        progress(`${samples.length - waiting.size} of ${samples.length}`);
      }
      await pause(LOOK_MS);
    }
    for (const sample of waiting) told.push(tell(sample, null));
    await Promise.all(told);

    async function tell(sample: Sample, ending: string | null): Promise<void> {
      const log = linesOf(sample, player.stderr);
      const proved = ending === "shown" && (await provedItem(sample.name));
      const picture = (await pictures.get(sample.name)) ?? "it was never seen on air";
      await onEnd(sample, { picture, ending, proved, log });
      pictures.set(sample.name, Promise.resolve("told"));
    }
  } finally {
    await frames.stop();
    await rig.close();
  }

  /** The display in the middle of the item that came on air at an instant. */
  async function pictureOf(since: number): Promise<Picture | string> {
    const picture = await frames.nearest(since + PICTURE_MS, since + REST_MS, since + UNTIL_MS);
    return picture ?? "no picture was taken in its middle";
  }

  /** A proof is delivered a moment after its item ended. */
  async function provedItem(name: string): Promise<boolean> {
    for (const until = Date.now() + PROOF_MS; ; await pause(LOOK_MS)) {
      const items = (await rig.emulator.ledger()).flatMap(({ news, ad }) => [news, ad]);
      if (items.some((item) => item?.id === name && isCounted(item))) return true;
      if (Date.now() > until) return false;
    }
  }
}

const PROOF_MS = 5_000;

function isCounted({ pops }: LedgerItem): boolean {
  return pops.some(({ verdict }) => verdict === "counted");
}

/** The lines that name a sample, its address, or a playout of it. */
function linesOf({ name, url }: Sample, lines: readonly string[]): readonly string[] {
  const named = lines.filter((line) => `${line} `.includes(`item=${name} `) || line.includes(url));
  const playouts = new Set(named.map((line) => / playout=\S+ /.exec(line)?.[0]));
  return lines.filter((line) => named.includes(line) || playouts.has(/ playout=\S+ /.exec(line)?.[0] ?? ""));
}

async function itemOnAir(home: string): Promise<{ id: string; since: number } | null> {
  const onAir = (await readHealth(home))?.onAir;
  return typeof onAir === "object" ? { id: onAir.id, since: Date.parse(onAir.since) } : null;
}

/** Two samples a spot, the first as news. */
function spotsOf(samples: readonly Sample[]): readonly PlannedSpot[] {
  const spots: PlannedSpot[] = [];
  for (let at = 0; at < samples.length; at += 2) {
    const [news, ad] = [itemOf(samples[at]), itemOf(samples[at + 1])];
    spots.push({ newsFirst: true, billable: ad !== null, news, ad });
  }
  return spots;
}

function itemOf(sample: Sample | undefined): WholeItem | null {
  if (sample === undefined) return null;
  const { name, mimeType, width, height, url } = sample;
  return { id: name, title: name, mimeType, width, height, duration: ITEM_MS, url, newsType: "test" };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(ms, 0)));
}
