import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RESTART_AFTER_MS } from "../../scripts/setup/restarts.ts";
import { type Catalogue, readCatalogue } from "../support/creatives/catalogue.ts";
import { itemsInTurn } from "../support/creatives/running-order.ts";
import { openEye } from "../support/display/eye.ts";
import { streamDisplay } from "../support/display/recording.ts";
import { SightLog } from "../support/display/sightings.ts";
import { watchStalls } from "../support/display/stalls.ts";
import { eventually, type LedgerSpot, type Running } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";
import { type Footprint, footprintOf } from "./footprint.ts";
import { programmeAt } from "./programme.ts";
import { pieceOf, type SoakPiece } from "./report.ts";
import { compare, type ProvedItem } from "./seen.ts";

/** How a soak is to run. */
export interface Soak {
  readonly hours: number;
  readonly speed: number;
  /** Ends it sooner, with what was watched until then. */
  readonly signal: AbortSignal;
  /** Told now and then how far it is. */
  readonly onProgress: (text: string) => void;
}

const HOUR_MS = 3_600_000;
const SAMPLE_MS = 10_000;
/** The proof of the last item that was seen to its end may be on its way when the watch ends. */
const LAST_PROOFS_MS = 3_000;
/** How much longer a short soak may take until each creative has come once: a machine that stands still begins late. */
const ROUND_WITHIN_MS = 30_000;
/** Many players that are started at once take minutes for it. */
const FIRST_SPOT_WITHIN_MS = 300_000;

/** Plays spots on real Electron for so many hours, watched from outside, and says what that was like. */
export async function soak({ hours, speed, signal, onProgress }: Soak): Promise<SoakPiece> {
  const catalogue = readCatalogue();
  const { world, durationsMs } = programmeAt(speed);
  const rig = await openRig({
    ...{ width: 960, height: 540 },
    emulate(folder) {
      const path = join(folder, "world.json");
      writeFileSync(path, JSON.stringify(world));
      return ["--world", path];
    },
  });
  const over = new AbortController();
  try {
    const ledger = new Map<string, LedgerSpot>();
    const sights = new SightLog(await openEye());
    const { name, width, height } = rig.display;
    const watch = await streamDisplay(name, width, height, (frame, at, since) => sights.take(frame, at, since));
    const [begunAt, begunAtMs] = [new Date(), performance.now()];
    const passed = () => performance.now() - begunAtMs;
    const goesOnUntil = (atMs: number) => !signal.aborted && passed() < atMs;
    const supervised = supervise(rig, passed, over.signal);
    const stalls = watchStalls(supervised.player(), rig.display);
    const samples: Footprint[] = [];
    await eventually("the first spot", async () => (await rig.emulator.ledger())[0], FIRST_SPOT_WITHIN_MS);
    for (let turn = 1; goesOnUntil(hours * HOUR_MS); turn++) {
      const nextAt = Math.min(turn * SAMPLE_MS, hours * HOUR_MS);
      await pause(nextAt - passed(), signal);
      samples.push(footprintOf(supervised.player().pid, join(rig.home, "data"), passed()));
      if (turn % 60 === 0) await readLedger(rig, ledger);
      onProgress(`${(passed() / HOUR_MS).toFixed(2)} h, ${sights.changes} changes seen`);
    }
    const isRoundOver = async () => {
      await readLedger(rig, ledger);
      const proved = provedIn(ledger, ledger, catalogue, durationsMs);
      return new Set(proved.map(({ creative }) => creative)).size === durationsMs.size;
    };
    for (const until = passed() + ROUND_WITHIN_MS; goesOnUntil(until) && !(await isRoundOver()); ) {
      await pause(SAMPLE_MS / 10, signal);
    }
    const stalled = await stalls.stop();
    await watch.stop();
    await readLedger(rig, ledger);
    const inTime = new Map(ledger);
    await sleep(LAST_PROOFS_MS);
    await readLedger(rig, ledger);
    over.abort();
    await supervised.player().stop();
    const seen = compare(sights.sightings(), provedIn(ledger, inTime, catalogue, durationsMs));
    const { restartsAtMs, log } = supervised;
    const rotation = [...durationsMs.keys()];
    return pieceOf({ seen, samples, stalls: stalled, restartsAtMs, log: log(), begunAt, rotation });
  } finally {
    over.abort();
    await rig.close();
  }
}

/** Waits so long, or until the soak is ended. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.max(0, ms), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Keeps a player running until it is over, as a kiosk's supervisor does. */
function supervise(rig: Rig, passed: () => number, over: AbortSignal) {
  const config = rig.configure();
  const restartsAtMs: number[] = [];
  const players: Running[] = [];
  const start = (): Running => {
    const player = rig.play(["--config", config]);
    players.push(player);
    void player.ended.then(async () => {
      await sleep(RESTART_AFTER_MS);
      if (over.aborted) return;
      restartsAtMs.push(passed());
      running = start();
    });
    return player;
  };
  let running = start();
  return {
    restartsAtMs,
    log: () => players.flatMap(({ stderr }) => stderr),
    player: () => running,
  };
}

/** The network forgets its oldest spots in the end, so what is known of them is kept here. */
async function readLedger({ emulator }: Rig, into: Map<string, LedgerSpot>): Promise<void> {
  for (const spot of await emulator.ledger()) into.set(spot.requestId, spot);
}

/** What the network counted, in the order in which it was to be shown; late is what it had not counted `inTime` yet. */
function provedIn(
  ledger: Ledger,
  inTime: Ledger,
  { creatives }: Catalogue,
  durationsMs: ReadonlyMap<string, number>,
): readonly ProvedItem[] {
  return [...ledger.values()].flatMap((spot) => {
    const before = inTime.get(spot.requestId);
    return itemsInTurn(spot).flatMap((item, turn) => {
      if (!isCounted(item)) return [];
      const creative = creatives.find(({ file }) => item.url.endsWith(`/${file}`))?.name ?? item.url;
      const durationMs = durationsMs.get(creative) ?? Number.NaN;
      return [{ creative, durationMs, isLate: before === undefined || !isCounted(itemsInTurn(before)[turn]) }];
    });
  });
}

type Ledger = ReadonlyMap<string, LedgerSpot>;
type LedgerItem = LedgerSpot["news"];

function isCounted(item: LedgerItem | undefined): item is NonNullable<LedgerItem> {
  return item?.pops.some(({ verdict }) => verdict === "counted") ?? false;
}
