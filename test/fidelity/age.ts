import type { PlannedSpot, WholeItem } from "../../src/emulator/spot/planned.ts";
import { median } from "../bench/statistics.ts";
import { GRID, recordDisplay } from "../support/display/recording.ts";
import { eventually } from "../support/machine/processes.ts";
import { openRig } from "../support/player/rig.ts";
import { type AgeSighting, ageSightings } from "./age-code.ts";
import type { Site } from "./site.ts";

/** How old pages were when they were first seen, and how punctual. */
export interface AgeReport {
  readonly planned: number;
  readonly ages: readonly number[];
  readonly medianMs: number;
  readonly maxMs: number;
  /** How much later than planned each page came after the page before it, from the second on. */
  readonly latenessMs: readonly number[];
  readonly maxLatenessMs: number;
}

export interface AgeOptions {
  readonly pages: number;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

const DISPLAY = { width: 1280, height: 720 } as const;
const PAGE_MS = 2_000;
const OTHER_MS = 2_000;
/** The number of different pages: each is new once, and comes out of the cache the other times. */
const DIFFERENT = 20;
const START_MS = 60_000;
/** How much longer than planned it may take before it is given up. */
const SLACK = 2;

/** A page that lasts half a second to load, between pictures and clips, again and again, watched at 60 frames a second. */
export async function measureAges(site: Pick<Site, "here">, options: AgeOptions): Promise<AgeReport> {
  const { pages, signal, progress } = options;
  const rig = await openRig(DISPLAY);
  try {
    await rig.emulator.next(Array.from({ length: pages }, (_, index) => spotAt(site, index)));
    const recording = await recordDisplay(rig.display.name, DISPLAY.width, DISPLAY.height, GRID);
    const player = rig.play(["--config", rig.configure()]);
    const over = () => {
      signal.throwIfAborted();
      const ended = player.stderr.filter((line) => / item (?:shown|failed) /.test(line)).length;
      progress(`${Math.min(Math.ceil(ended / 2), pages)} of ${pages}`);
      return ended >= 2 * pages ? true : undefined;
    };
    await eventually("the last item's end", over, START_MS + pages * (PAGE_MS + OTHER_MS) * SLACK, 500);
    return reportOf(pages, ageSightings(await recording.stop()));
  } finally {
    await rig.close();
  }
}

/** The goals: a page at most one second old (F22), at most half a second in the median, and none later than two frames at 60 Hz. */
export const OLDEST_MS = 1_000;
export const MEDIAN_MS = 500;
export const ON_TIME_MS = 34;

export function isYoung({ planned, ages, medianMs, maxMs, maxLatenessMs }: AgeReport): boolean {
  return ages.length === planned && maxMs <= OLDEST_MS && medianMs <= MEDIAN_MS && maxLatenessMs <= ON_TIME_MS;
}

export function ageTable({ planned, ages, medianMs, maxMs, latenessMs, maxLatenessMs }: AgeReport): string {
  const old = ages.filter((age) => age > OLDEST_MS).length;
  const late = latenessMs.filter((ms) => ms > ON_TIME_MS).length;
  return [
    `Pages seen            ${ages.length} of ${planned}`,
    `Age at first sight    median ${medianMs} ms, max ${maxMs} ms, older than a second: ${old}`,
    `Later than planned    max ${Math.round(maxLatenessMs)} ms, by more than two frames: ${late}`,
    "",
  ].join("\n");
}

function reportOf(planned: number, sightings: readonly AgeSighting[]): AgeReport {
  const ages = sightings.map(({ ageMs }) => ageMs);
  const latenessMs = sightings.slice(1).map(({ startAt }, index) => {
    const sinceMs = startAt - (sightings[index]?.startAt ?? 0);
    return sinceMs - PAGE_MS - OTHER_MS;
  });
  return {
    planned,
    ages,
    medianMs: ages.length === 0 ? Number.NaN : median(ages),
    maxMs: Math.max(...ages),
    latenessMs,
    maxLatenessMs: Math.max(0, ...latenessMs),
  };
}

function spotAt({ here }: Pick<Site, "here">, index: number): PlannedSpot {
  const page = `${here}/timed/age.html?${index % DIFFERENT}`;
  const isClip = index % 2 === 1;
  const other = isClip
    ? item("clip", "video/mp4", `${here}/made/clip-h264-main.mp4`, OTHER_MS)
    : item("picture", "image/jpeg", `${here}/made/jpeg-baseline.jpg`, OTHER_MS);
  return { newsFirst: true, billable: true, news: item(`age-${index}`, "text/html", page, PAGE_MS), ad: other };
}

function item(id: string, mimeType: string, url: string, duration: number): WholeItem {
  return { id, title: id, mimeType, ...DISPLAY, duration, url, newsType: "test" };
}
