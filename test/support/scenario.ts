import { join } from "node:path";
import { pino } from "pino";
import { virtualClock } from "../../src/emulator/clock.ts";
import { type Emulator, startEmulator } from "../../src/emulator/main.ts";
import type { Config } from "../../src/player/config/config.ts";
import { configFileSchema } from "../../src/player/config/schema.ts";
import { createMetrics } from "../../src/player/metrics.ts";
import { type Player, startPlayer } from "../../src/player/player.ts";
import { ManualClock } from "./manual-clock.ts";
import { SimulatedStage } from "./simulated-stage.ts";

/** A player and a screen network in one process, on one clock that is turned by hand. */
export interface Scenario {
  readonly clock: ManualClock;
  readonly emulator: Emulator;
  readonly stage: SimulatedStage;
  /** The one that is running now. */
  player(): Player;
  /** Lets virtual time pass in small steps, real sockets and files keeping up. */
  pass(ms: number): Promise<void>;
  /** The player stops without a word and a new one starts on the same folder. */
  restart(): Promise<void>;
  /** Makes every request of the player fail, or lets them through again. */
  cutNetwork(cut: boolean): void;
  close(): Promise<void>;
}

const STEP_MS = 50;
/** Real time for loopback sockets and the disk after each step that set something going. */
const REAL_TURNS = 40;

export async function openScenario(folder: string): Promise<Scenario> {
  const clock = new ManualClock();
  const emulator = await startEmulator({ seed: 1, clock: virtualClock(clock) });
  let cut = false;
  let underWay = 0;
  const network: typeof fetch = async (input, init) => {
    if (cut) throw new TypeError("cut");
    underWay++;
    return fetch(input, init).finally(() => underWay--);
  };
  let stage = new SimulatedStage(clock);
  let player = await start();

  async function start(): Promise<Player> {
    stage = new SimulatedStage(clock);
    const started = await startPlayer({
      config: configFor(emulator, folder),
      clock,
      log: pino({ level: "silent" }),
      metrics: createMetrics(),
      fetch: network,
      stage,
      dice: () => 0.5,
      spotRetryMs: 0,
    });
    stage.connect((event) => started.loop.dispatch(event));
    return started;
  }

  return {
    clock,
    emulator,
    get stage() {
      return stage;
    },
    player: () => player,
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        await clock.advance(Math.min(STEP_MS, ms - passed));
        for (let turn = 0; turn < REAL_TURNS && (underWay > 0 || isBusy(player, stage)); turn++) await realTurn();
      }
    },
    async restart() {
      await player.stop();
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

/** The player waits for an answer, a download or a file that is to be cued. */
function isBusy(player: Player, stage: SimulatedStage): boolean {
  const { asking, preparation, line } = player.loop.state();
  const [head] = line;
  return asking.kind === "asked" || preparation !== null || (head?.deck === "cued" && !stage.has(head.playout));
}

function realTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

function configFor({ baseUrl, orgToken, screenId }: Emulator, folder: string): Config {
  const { $schema: _, orgTokenFile: __, ...rest } = configFileSchema.parse({ baseUrl, orgToken, screenId });
  return { ...rest, orgToken, dataDir: folder, log: { ...rest.log, dir: join(folder, "logs") } };
}
