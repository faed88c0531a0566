import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { app, type WebContents, WebContentsView } from "electron";
import type { FailureReason } from "../../core/spot.ts";
import { killProcess } from "../../player/run-program.ts";
import type { DeckContent } from "./deck-content.ts";

/** A clip whose next frame is due, and that presents none for this many turns, is stalled: 2 s. */
const STALLED_TURNS = 2;
/** A page that has not answered for this many turns hangs: 3 s. */
const HUNG_ON_AIR_TURNS = 3;

/** Watches a deck on air, and says so once when it stalls or hangs. The function it returns ends the watch. */
export function watchProgress(
  content: DeckContent,
  moving: boolean,
  onFailed: (reason: FailureReason, detail: string) => void,
): () => void {
  let frames = -1;
  let stillTurns = 0;

  async function ask(): Promise<boolean> {
    const progress = await content.progress().catch(() => null);
    // Without an answer the page is gone: its deck says so itself.
    if (progress === null) return false;
    const moved = !moving || progress.still || progress.framesPresented !== frames;
    frames = progress.framesPresented;
    stillTurns = moved ? 0 : stillTurns + 1;
    if (stillTurns < STALLED_TURNS) return true;
    onFailed("stalled", `no new frame for ${STALLED_TURNS * TURN_MS} ms`);
    return false;
  }

  return watchAnswers(ask, HUNG_ON_AIR_TURNS, () =>
    onFailed("hung", `no answer for ${HUNG_ON_AIR_TURNS * TURN_MS} ms`),
  );
}

/** One that has not answered for this many turns hangs. Decent pages are busy for a while when they begin: 4 s. */
const HUNG_LOADING_TURNS = 4;

/**
 * Watches a page from its loading until it is taken, and says so once when it hangs: it would hang each time, so that is
 * held against it, unlike slow servers. The function it returns ends the watch.
 */
export function watchLoading(contents: WebContents, onHung: (detail: string) => void): () => void {
  async function ask(): Promise<boolean> {
    if (contents.isDestroyed()) return false;
    try {
      // Unlike `executeJavaScript` of the contents this does not wait for the end of loading. A page cannot change what a
      // literal means.
      await contents.mainFrame.executeJavaScript("0");
    } catch {
      // The page is gone, or between two documents: its deck hears of the one, the next turn asks after the other.
    }
    return true;
  }

  return watchAnswers(ask, HUNG_LOADING_TURNS, () => {
    if (!contents.isDestroyed()) onHung(`no answer for ${HUNG_LOADING_TURNS * TURN_MS} ms before it was due`);
  });
}

/** How often a page is asked. */
const TURN_MS = 1_000;

/**
 * Asks a page each second, not before it has answered the last time, and says so once when it has not answered for so
 * many turns: Chromium itself notices a page that hangs only when somebody types. Turns are counted, not time, so that a
 * main process that was held up itself does not take its own delay for the page's. `ask` resolves with whether to go on
 * asking. The function it returns ends the watch.
 */
function watchAnswers(ask: () => Promise<boolean>, mostSilentTurns: number, onSilent: () => void): () => void {
  let asking = false;
  let silentTurns = 0;
  const stop = () => clearInterval(timer);

  const timer = setInterval(() => {
    silentTurns = asking ? silentTurns + 1 : 0;
    if (silentTurns >= mostSilentTurns) {
      stop();
      onSilent();
    } else if (!asking) void turn();
  }, TURN_MS);

  async function turn(): Promise<void> {
    asking = true;
    const goesOn = await ask();
    asking = false;
    if (!goesOn) stop();
  }

  return stop;
}

/**
 * The most memory that one page may take: several times what decent creatives do, and little enough that a machine of 4 GB can
 * bear two of them. V8's own limit is four times as high, and knows nothing of array buffers.
 */
const MOST_MEMORY_BYTES = 1024 ** 3;

/** Pages were seen to take more than 1 GB a second. */
const READING_MS = 250;

interface Watched {
  readonly contents: WebContents;
  /** What the GPU process took when the page came: it keeps the pictures and textures of all pages. */
  readonly graphicsBefore: number;
  readonly onTooMuch: (detail: string) => void;
}

/** All pages that are watched, the latest first: asking after the processes costs the same for one as for many. */
let watched: readonly Watched[] = [];
let timer: NodeJS.Timeout | undefined;

/**
 * Watches how much memory a page takes in all its processes, frames of other origins included, and by how much the GPU
 * process has grown since it came, and says so once it is too much. The function it returns ends it.
 */
export function watchMemory(contents: WebContents, onTooMuch: (detail: string) => void): () => void {
  const one = { contents, graphicsBefore: memoryByProcess().graphics, onTooMuch };
  watched = [one, ...watched];
  timer ??= setInterval(look, READING_MS);
  return () => unwatch(one);
}

function look(): void {
  const memory = memoryByProcess();
  let isGraphicsBlamed = false;
  for (const one of watched) {
    if (one.contents.isDestroyed()) {
      unwatch(one);
      continue;
    }
    const own = processesOf(one.contents).reduce((sum, pid) => sum + (memory.byPid.get(pid) ?? 0), 0);
    // One page is to blame for what the GPU process took: the latest of those since which it was too much.
    const graphics: number = isGraphicsBlamed ? 0 : memory.graphics - one.graphicsBefore;
    if (Math.max(own, graphics) <= MOST_MEMORY_BYTES) continue;
    isGraphicsBlamed ||= graphics > MOST_MEMORY_BYTES;
    unwatch(one);
    one.onTooMuch(`${megabytes(own)}, and ${megabytes(Math.max(0, graphics))} for its graphics`);
  }
}

interface Memory {
  readonly byPid: ReadonlyMap<number, number>;
  readonly graphics: number;
}

function memoryByProcess(): Memory {
  const metrics = app
    .getAppMetrics()
    .map(({ pid, type, memory }) => ({ pid, type, bytes: memory.workingSetSize * 1024 }));
  const graphics = metrics.find(({ type }) => type === "GPU")?.bytes ?? 0;
  return { byPid: new Map(metrics.map(({ pid, bytes }) => [pid, bytes])), graphics };
}

/**
 * The processes of a page's frames. A frame whose process has just gone is in process 0, or throws when it is asked: then
 * there are none.
 */
function processesOf(contents: WebContents): readonly number[] {
  try {
    const pids = contents.mainFrame.framesInSubtree.map(({ osProcessId }) => osProcessId);
    return [...new Set(pids)].filter((pid) => pid > 0);
  } catch {
    return [];
  }
}

/** Closes a page and kills its processes: one that hangs or takes all memory would hold up the next item for as long as it lives. */
export function endPage(contents: WebContents): void {
  const pids = processesOf(contents);
  if (!contents.isDestroyed()) contents.close({ waitForBeforeUnload: false });
  for (const pid of pids) killProcess(pid);
}

/** Sound that plays for so long has come to the machine's device. */
const HEARD_S = 0.2;
const HEARD = `new Promise((resolve) => {
  const audio = new AudioContext();
  const look = () => (audio.currentTime > ${HEARD_S} ? resolve() : setTimeout(look, 50));
  look();
})`;
const HEARD_WITHIN_MS = 5_000;

/** Whether the machine's sound is stuck: a page that plays silence does not get on with it, or waits for ever to begin. */
export async function isSoundStuck(): Promise<boolean> {
  const webPreferences = { sandbox: true, partition: "sound", autoplayPolicy: "no-user-gesture-required" } as const;
  const { webContents } = new WebContentsView({ webPreferences });
  const heard = webContents.loadURL("about:blank").then(() => webContents.executeJavaScript(HEARD));
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, HEARD_WITHIN_MS, true));
  const isStuck = await Promise.race([heard.then(() => false), late]).catch(() => false);
  endPage(webContents);
  return isStuck;
}

/**
 * Ends Chromium's audio service, which may wait for a device for ever, and pages and clips with it. The next one is begun when
 * there is something to hear.
 */
export function endAudioService(): void {
  for (const { serviceName, pid } of app.getAppMetrics()) {
    if (serviceName === "audio.mojom.AudioService") killProcess(pid);
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`;
}

function unwatch(one: Watched): void {
  watched = watched.filter((other) => other !== one);
  if (watched.length > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/**
 * A tenth of the processor time that each thread of the player, its graphics or a clip gets while both want it
 * (sched(7), nice values): enough to load beside a clip that takes all there is.
 */
const BEHIND = 10;

/** A page may start a process for each origin that it embeds, at any time. */
const LOOK_MS = 250;

/**
 * Puts all that a page runs behind the player until the page is gone. A page that began 64 workers without rest held the
 * screen for a minute: each time the player had something to do, it waited for all of them.
 */
export function putBehind(contents: WebContents): void {
  const look = () => {
    for (const pid of processesOf(contents)) for (const thread of threadsOf(pid)) setBehind(thread);
  };
  const timer = setInterval(look, LOOK_MS);
  contents.on("did-frame-navigate", look);
  contents.once("destroyed", () => clearInterval(timer));
}

/** Linux keeps a priority for each thread, and a thread begins with that of the one that started it. */
function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}

function setBehind(thread: number): void {
  try {
    setPriority(thread, BEHIND);
  } catch {
    // It has ended in the meantime, or its own priority is lower still.
  }
}
