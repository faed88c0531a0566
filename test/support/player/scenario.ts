import { type Logger, pino } from "pino";

import { readOpening } from "../../../src/core/opening-hours.ts";
import type { Playout, PlayoutOutcome } from "../../../src/core/spot.ts";
import { virtualClock } from "../../../src/emulator/clock.ts";
import { type Emulator, startEmulator } from "../../../src/emulator/main.ts";
import { demoWorld } from "../../../src/emulator/world/demo.ts";
import type { WorldFile } from "../../../src/emulator/world/schema.ts";
import { type Config, configOf } from "../../../src/player/config/config.ts";
import { type ConfigFile, configFileSchema } from "../../../src/player/config/schema.ts";
import { createMetrics, type Metrics } from "../../../src/player/health/metrics.ts";
import { fetchGuardedBy } from "../../../src/player/network/routed-requests.ts";
import { DIRECT, requestsBy, type Uplink } from "../../../src/player/network/uplink.ts";
import { type Player, startPlayer } from "../../../src/player/player.ts";
import type { PlayingScreen } from "../../../src/player/screen/playing-screen.ts";

import { ManualClock } from "./manual-clock.ts";
import { type Direction, SimulatedStage } from "./simulated-stage.ts";

/** A player and a screen network in one process, on one clock that is turned by hand. */
export interface Scenario {
  readonly clock: ManualClock;
  readonly emulator: Emulator;
  readonly stage: SimulatedStage;
  /** The one that is running now. */
  player(): Player;
  /** What it counts. */
  metrics(): Metrics;
  /** Its screen. */
  screen(): PlayingScreen;
  /** Lets virtual time pass, from alarm to alarm where all is idle and else in steps, real sockets and files keeping up. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** The player stops without a word and a new one starts on the same folder. */
  restart(): Promise<void>;
  /** The machine goes off without a word, for so long, and starts again: another boot, another player, the same folder. */
  /** `beforeStart`: what changes in the world while the machine is off. */
  reboot(offMs: number, beforeStart?: () => void): Promise<void>;
  /** Makes every request of the player fail, or lets them through again. */
  cutNetwork(cut: boolean): void;
  close(): Promise<void>;
}

const STEP_MS = 50;
/** Real time for loopback sockets and the disk after each step that set something going, and for an answer to be read. */
const REAL_TURNS = 40;
const HUNG_MS = 10_000;

/** What a scenario has otherwise than usual. */
export interface ScenarioChanges {
  readonly clock?: ManualClock;
  /** Requests that nobody answers: given up after a while of virtual time, and not waited for in real time. */
  readonly isHung?: (url: string) => boolean;
  readonly ballastBytes?: number;
  /** The network's world, the demo's by default. */
  readonly world?: WorldFile;
  readonly respectHours?: boolean;
  /** Stands between the player and the network; rejects as `fetch` does, or answers in the network's place. */
  readonly meddle?: (url: string) => Response | undefined;
  /** Done with the network before the player starts. */
  readonly prepare?: (emulator: Emulator) => Promise<void>;
  /** The way to the network, asked for at each start of the player; straight by default. */
  readonly way?: () => { readonly baseUrl: string; readonly uplink: Uplink };
  /** What the configuration says beside the service, the screen and its hours. */
  readonly config?: Partial<Record<keyof ConfigFile, object>>;
  /** By default it logs nothing. */
  readonly log?: Logger;
  /** How the decks of the player that is running behave; by default well. */
  readonly directed?: (player: () => Player) => Direction;
  /** Hears the end of each playout. */
  readonly onSettled?: (playout: Playout, outcome: PlayoutOutcome) => void;
  /** Whether anybody can see the screen from the start of each run; they can by default. */
  readonly isSeen?: () => boolean;
}

export async function openScenario(folder: string, changes: ScenarioChanges = {}): Promise<Scenario> {
  const clock = changes.clock ?? new ManualClock();
  const emulator = await startEmulator({
    ...{ seed: 1, clock: virtualClock(clock) },
    ...(changes.world === undefined ? {} : { world: changes.world }),
  });
  await changes.prepare?.(emulator);
  let cut = false;
  let underWay = 0;
  let turnsSinceAnswer = 0;
  const meddled = (send: typeof fetch): typeof fetch => {
    return async (input, init) => {
      if (cut) throw new TypeError("cut");
      const instead = changes.meddle?.(String(input));
      if (instead) return instead;
      if (changes.isHung?.(String(input))) return hung(send, input, init);
      underWay++;
      return send(input, init).finally(() => {
        underWay--;
        turnsSinceAnswer = 0;
      });
    };
  };
  /** Goes out for real, and fails as `fetch` does when its time is over. */
  const hung: (send: typeof fetch, ...request: Parameters<typeof fetch>) => Promise<Response> = (send, input, init) => {
    const overdue = new AbortController();
    const timeout = new DOMException("timed out", "TimeoutError");
    const callOff = clock.alarm(clock.now() + HUNG_MS, () => overdue.abort(timeout));
    const signals = [overdue.signal, ...(init?.signal ? [init.signal] : [])];
    return send(input, { ...init, signal: AbortSignal.any(signals) }).finally(callOff);
  };
  // The system's own answer would come at an instant that no manual clock knows.
  const resolve = async () => [];
  let stage = new SimulatedStage(clock);
  let metrics = createMetrics();
  let player = await start();

  async function start(): Promise<Player> {
    stage = new SimulatedStage(
      clock,
      changes.directed?.(() => player),
    );
    metrics = createMetrics();
    const config = configFor(emulator, folder, changes);
    const { uplink } = config.network;
    const { fetch, exactGet } = requestsBy(uplink, new URL(config.baseUrl).hostname);
    const started = await startPlayer({
      config,
      clock,
      log: changes.log ?? pino({ level: "silent" }),
      metrics,
      fetch: meddled(fetch),
      exactGet,
      ...(changes.way === undefined
        ? {}
        : { openMediaFetch: (policy) => meddled(fetchGuardedBy(policy, uplink, resolve)) }),
      resolve,
      random: () => 0.5,
      spotRetryMs: 0,
      downloadRetryMs: 0,
      ...(changes.ballastBytes === undefined ? {} : { ballastBytes: changes.ballastBytes }),
    });
    const { loop } = started.play(emulator.screenId, stage, {
      hiddenReasons: (changes.isSeen?.() ?? true) ? [] : ["covered"],
      ...(changes.onSettled === undefined ? {} : { onSettled: changes.onSettled }),
    });
    stage.connect((event) => loop.dispatch(event));
    return started;
  }

  /** Gives real time to what the player waits for; false where it waits still. */
  async function becomesIdle(): Promise<boolean> {
    for (let turn = 0; turn < REAL_TURNS; turn++) {
      // A request that nothing is under way of, long after the last answer, waits for virtual time.
      if (underWay === 0 && !(await isBusy(player, turnsSinceAnswer < REAL_TURNS))) return true;
      await realTurn();
      turnsSinceAnswer++;
    }
    return false;
  }

  return {
    clock,
    emulator,
    get stage() {
      return stage;
    },
    player: () => player,
    metrics: () => metrics,
    screen: () => screenOf(player),
    async pass(ms, stepMs = STEP_MS) {
      let isIdle = false;
      for (let left = ms; left > 0; ) {
        const step = Math.min(left, isIdle ? Math.max(stepMs, clock.untilAlarm()) : stepMs);
        await clock.advance(step);
        left -= step;
        isIdle = await becomesIdle();
      }
    },
    async restart() {
      await player.stop();
      player = await start();
    },
    async reboot(offMs, beforeStart) {
      await player.stop();
      clock.reboot(offMs);
      beforeStart?.();
      player = await start();
    },
    cutNetwork(now) {
      cut = now;
    },
    async close() {
      await player.stop();
      await emulator.close();
    },
  };
}

/** The player reads an answer that it asked for, or waits for a download or the disk. */
async function isBusy(player: Player, reads: boolean): Promise<boolean> {
  const { cache, proofs } = player;
  const { request, queue } = screenOf(player).loop.state();
  if ((reads && request.kind === "sent") || queue.some(({ progress }) => progress === "fetching")) return true;
  const later = new Promise<boolean>((resolve) => setImmediate(() => resolve(true)));
  const flushed = new Promise<void>((resolve) => proofs.whenFlushed(resolve));
  return Promise.race([Promise.all([cache.quiet(), flushed]).then(() => false), later]);
}

function screenOf({ screens: [screen] }: Player): PlayingScreen {
  if (screen === undefined) throw new Error("no screen plays");
  return screen;
}

function realTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

function configFor(
  emulator: Emulator,
  folder: string,
  { respectHours = false, way, config = {} }: ScenarioChanges,
): Config {
  const { orgToken, screenId } = emulator;
  const { baseUrl, uplink } = way?.() ?? { baseUrl: emulator.baseUrl, uplink: DIRECT };
  const openingHours = { respect: respectHours };
  const written = { baseUrl, orgToken, screenId, openingHours, ...config };
  return configOf(configFileSchema.parse(written), orgToken, folder, uplink);
}

/** The demo's world, with the screen that is played at a place that is open at these hours. */
export function worldOpen(hours: string): WorldFile {
  const world = demoWorld();
  for (const { locations = [] } of world.organizations) {
    for (const location of locations) if (location.location_id === "loc_harbour") location.opening_168 = hoursOf(hours);
  }
  return world;
}

/** Hours as people write them. */
export function hoursOf(hours: string): boolean[] {
  const reading = readOpening(hours);
  if (reading.kind === "unreadable") throw new Error(reading.problems.join());
  return [...reading.hours];
}
