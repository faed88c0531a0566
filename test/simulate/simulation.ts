import { join } from "node:path";
import type { Instant } from "../../src/core/spot.ts";
import { Books } from "./books.ts";
import { Chance } from "./chance.ts";
import { Checks } from "./checks.ts";
import { makeCreatives, type SimulatedCreative } from "./creatives.ts";
import { simulateDice } from "./dice.ts";
import { SimulatedDisk } from "./disk.ts";
import { Machine } from "./machine.ts";
import { blowsOf, DAY_MS, HOUR_MS } from "./plan.ts";
import { Programme } from "./programme.ts";
import { quiet } from "./quiet.ts";
import { MAX_ITEM_BYTES } from "./run.ts";
import { MEDIA_URL, openScreenNetwork, type ScreenNetwork } from "./screen-network.ts";
import { MachineClocks, SimulatedTime } from "./time.ts";
import { simulateTimers } from "./timers.ts";
import { Trace } from "./trace.ts";
import { Wire } from "./wire.ts";

/** How a simulation is to run. */
export interface SimulationOptions {
  readonly days: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
  /** Told of the progress, once for each virtual day. */
  readonly onDay?: (outcome: Outcome) => void;
  /** Told of each event, as a line. */
  readonly onEvent?: (line: string) => void;
}

/** What a simulation found. */
export interface Outcome {
  readonly seed: number;
  /** Virtual time that passed, in days. */
  readonly days: number;
  readonly hash: string;
  readonly events: number;
  readonly totals: Books["totals"];
  readonly failed: Readonly<Record<string, number>>;
  readonly machine: Machine["counts"];
  readonly faults: Readonly<Record<string, number>>;
  readonly spots: number;
  readonly realMs: number;
  /** What was found wrong, with when and what came before; null for nothing. */
  readonly failure: Failure | null;
}

export interface Failure {
  readonly at: Instant;
  readonly complaints: readonly string[];
  readonly last: readonly string[];
}

/** 2026-03-01T00:00:00Z. */
const EPOCH = Date.UTC(2026, 2, 1);

/** Lets a player live through so many virtual days, and watches it. */
export async function simulate(options: SimulationOptions): Promise<Outcome> {
  const simulation = await Simulation.open(options);
  try {
    return await simulation.live();
  } finally {
    await simulation.close();
  }
}

/** Of a part of a page the page, of everything else itself. */
function itemOf(creatives: readonly SimulatedCreative[]): (url: string) => string {
  const pages = creatives.flatMap(({ item, subResources }) =>
    subResources.map(({ name }) => [`${MEDIA_URL}/creatives/${name}`, `${MEDIA_URL}/${item.url}`] as const),
  );
  const byPart = new Map<string, string>(pages);
  return (url) => byPart.get(url) ?? url;
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #chance: Chance;
  readonly #time: SimulatedTime;
  readonly #trace: Trace;
  readonly #books = new Books();
  readonly #disk: SimulatedDisk;
  readonly #machine: Machine;
  readonly #programme: Programme;
  readonly #checks: Checks;
  readonly #faults = new Map<string, number>();
  readonly #begunAt = performance.now();
  readonly #restore: () => void;
  #stray: string[] = [];

  static async open(options: SimulationOptions): Promise<Simulation> {
    // The player loads it when it first wants it, and how long that takes is not the seed's to say.
    await import("../../src/client/vendor-client.ts");
    const time = new SimulatedTime();
    const clocks = new MachineClocks(time, EPOCH);
    const chance = new Chance(options.seed);
    const disk = new SimulatedDisk();
    const folder = join(disk.root, "creatives");
    const creatives = makeCreatives(folder, chance);
    const screens = await openScreenNetwork(folder, options.seed, time, clocks);
    return new Simulation(options, { time, clocks, chance, disk, creatives, screens });
  }

  private constructor(
    options: SimulationOptions,
    world: {
      time: SimulatedTime;
      clocks: MachineClocks;
      chance: Chance;
      disk: SimulatedDisk;
      creatives: readonly SimulatedCreative[];
      screens: ScreenNetwork;
    },
  ) {
    const { time, clocks, chance, disk, creatives, screens } = world;
    this.#options = options;
    this.#trace = new Trace(options.onEvent);
    this.#time = time;
    this.#chance = chance;
    this.#disk = disk;
    this.#programme = new Programme(chance, creatives, screens);
    const shared = { time, chance, clocks, trace: this.#trace, books: this.#books };
    const onFault = (name: string) => void this.#faults.set(name, (this.#faults.get(name) ?? 0) + 1);
    const wire = new Wire({
      ...shared,
      ...{ screens, onFault, maxItemBytes: MAX_ITEM_BYTES },
      itemOf: itemOf(creatives),
      isChecked: (url) => this.#programme.isChecked(url),
      beforeSpot: () => this.#programme.plan(),
      onMoment: (moment) => this.#machine.onMoment(moment),
    });
    const byUrl = new Map(creatives.map((creative) => [`${MEDIA_URL}/${creative.item.url}`, creative]));
    const hinder = (pop: string) => screens.hinder(pop.slice(MEDIA_URL.length));
    this.#machine = new Machine({ ...shared, wire, disk, creatives: byUrl, onFault, onDeckTrouble: hinder });
    this.#checks = new Checks({ ...shared, wire, disk, screens, machine: this.#machine });
    this.#books.onExcused = (pop) => screens.spoil(pop.slice(MEDIA_URL.length), "crash");
    this.#books.onHindered = hinder;
    this.#books.onBlocked = (url) => screens.hinder(url);
    this.#books.onShown = (offer) => this.#machine.checkOwed(offer);
    const restores = [simulateTimers(time), simulateDice(time, chance)];
    this.#restore = () => restores.forEach((restore) => void restore());
    process.on("unhandledRejection", this.#onStray);
    process.on("uncaughtException", this.#onStray);
  }

  readonly #onStray = (error: unknown): void => {
    this.#stray.push(error instanceof Error ? (error.stack ?? String(error)) : String(error));
  };

  async live(): Promise<Outcome> {
    const end = this.#options.days * DAY_MS;
    await this.#machine.start();
    for (let hour = 0; hour * HOUR_MS < end; hour++) {
      this.#planHour(hour);
      const failure = await this.#liveUntil(Math.min(end, (hour + 1) * HOUR_MS));
      if (failure !== null) return this.#outcome(failure);
      if (hour % 24 === 23) this.#options.onDay?.(this.#outcome(null));
    }
    return this.#outcome(null);
  }

  async close(): Promise<void> {
    const { run } = this.#machine;
    run?.vanish();
    await run?.bury();
    process.off("unhandledRejection", this.#onStray);
    process.off("uncaughtException", this.#onStray);
    this.#restore();
    this.#disk.close();
  }

  async #liveUntil(end: Instant): Promise<Failure | null> {
    for (let more = true; more; ) {
      more = await this.#step(end);
      this.#books.stepEnded(this.#time.now());
      this.#checks.afterStep();
      const failure = this.#failure();
      if (failure !== null) return failure;
      this.#options.signal?.throwIfAborted();
    }
    this.#checks.afterHour();
    return this.#failure();
  }

  /** On to the next alarm, and until all that it set going has been carried out; false where there is none. */
  async #step(end: Instant): Promise<boolean> {
    try {
      const more = this.#time.step(end);
      await quiet();
      await this.#machine.afterStep();
      return more;
    } catch (error) {
      this.#onStray(error);
      return false;
    }
  }

  #failure(): Failure | null {
    const complaints = [...this.#books.complaints, ...this.#stray.map((stack) => `the player threw: ${stack}`)];
    return complaints.length === 0 ? null : { at: this.#time.now(), complaints, last: this.#trace.last() };
  }

  #planHour(hour: number): void {
    const right = EPOCH + hour * HOUR_MS;
    for (const { at, blow } of blowsOf(hour, this.#chance, this.#disk.canFail, right)) {
      this.#time.alarm(at, () => this.#machine.strike(blow));
    }
  }

  #outcome(failure: Failure | null): Outcome {
    return {
      seed: this.#options.seed,
      days: this.#time.now() / DAY_MS,
      hash: this.#trace.hash(),
      events: this.#trace.count,
      totals: this.#books.totals,
      failed: Object.fromEntries(this.#books.failed),
      machine: this.#machine.counts,
      faults: Object.fromEntries([...this.#faults].sort()),
      spots: this.#programme.spots,
      realMs: performance.now() - this.#begunAt,
      failure,
    };
  }
}
