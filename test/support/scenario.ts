import { pino } from "pino";
import { virtualClock } from "../../src/emulator/clock.ts";
import { type Emulator, startEmulator } from "../../src/emulator/main.ts";
import type { WorldFile } from "../../src/emulator/world/schema.ts";
import { type Config, configOf } from "../../src/player/config/config.ts";
import { configFileSchema } from "../../src/player/config/schema.ts";
import { createMetrics } from "../../src/player/health/metrics.ts";
import { type Player, startPlayer } from "../../src/player/player.ts";
import type { PlayingScreen } from "../../src/player/screen/playing-screen.ts";
import { ManualClock } from "./manual-clock.ts";
import { SimulatedStage } from "./simulated-stage.ts";

/** A player and a screen network in one process, on one clock that is turned by hand. */
export interface Scenario {
  readonly clock: ManualClock;
  readonly emulator: Emulator;
  readonly stage: SimulatedStage;
  /** The one that is running now. */
  player(): Player;
  /** Its screen. */
  screen(): PlayingScreen;
  /** Lets virtual time pass in steps, small ones unless told otherwise, real sockets and files keeping up. */
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
/** Real time for loopback sockets and the disk after each step that set something going. */
const REAL_TURNS = 40;

/** What a scenario has otherwise than usual. */
export interface ScenarioChanges {
  readonly clock?: ManualClock;
  /** How long a proof may take, in real time. */
  readonly proofTimeoutSeconds?: number;
  readonly ballastBytes?: number;
  /** The network's world, the demo's unless told otherwise. */
  readonly world?: WorldFile;
  readonly respectHours?: boolean;
  /** Stands between the player and the network; rejects as `fetch` does. */
  readonly meddle?: (url: string) => void;
}

export async function openScenario(folder: string, changes: ScenarioChanges = {}): Promise<Scenario> {
  const clock = changes.clock ?? new ManualClock();
  const emulator = await startEmulator({
    ...{ seed: 1, clock: virtualClock(clock) },
    ...(changes.world === undefined ? {} : { world: changes.world }),
  });
  let cut = false;
  let underWay = 0;
  const network: typeof fetch = async (input, init) => {
    if (cut) throw new TypeError("cut");
    changes.meddle?.(String(input));
    underWay++;
    return fetch(input, init).finally(() => underWay--);
  };
  let stage = new SimulatedStage(clock);
  let player = await start();

  async function start(): Promise<Player> {
    stage = new SimulatedStage(clock);
    const started = await startPlayer({
      config: configFor(emulator, folder, changes),
      clock,
      log: pino({ level: "silent" }),
      metrics: createMetrics(),
      fetch: network,
      dice: () => 0.5,
      spotRetryMs: 0,
      downloadRetryMs: 0,
      ...(changes.ballastBytes === undefined ? {} : { ballastBytes: changes.ballastBytes }),
    });
    const { loop } = started.play(emulator.screenId, stage);
    stage.connect((event) => loop.dispatch(event));
    return started;
  }

  return {
    clock,
    emulator,
    get stage() {
      return stage;
    },
    player: () => player,
    screen: () => screenOf(player),
    async pass(ms, stepMs = STEP_MS) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        await clock.advance(Math.min(stepMs, ms - passed));
        for (let turn = 0; turn < REAL_TURNS && (underWay > 0 || (await isBusy(player))); turn++) await realTurn();
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

/** The player waits for an answer, a download or the disk. */
async function isBusy(player: Player): Promise<boolean> {
  const { cache } = player;
  const { asking, preparation } = screenOf(player).loop.state();
  if (asking.kind === "asked" || preparation !== null) return true;
  const later = new Promise<boolean>((resolve) => setImmediate(() => resolve(true)));
  return Promise.race([cache.quiet().then(() => false), later]);
}

function screenOf({ screens: [screen] }: Player): PlayingScreen {
  if (screen === undefined) throw new Error("no screen plays");
  return screen;
}

function realTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

function configFor(
  { baseUrl, orgToken, screenId }: Emulator,
  folder: string,
  { proofTimeoutSeconds = 10, respectHours = false }: ScenarioChanges,
): Config {
  const openingHours = { respect: respectHours };
  const written = { baseUrl, orgToken, screenId, openingHours, proof: { timeoutSeconds: proofTimeoutSeconds } };
  return configOf(configFileSchema.parse(written), orgToken, folder);
}
