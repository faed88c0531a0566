import type { VenueTree } from "../core/venue-type.ts";
import { creativesDir } from "./assets.ts";
import { keepOddPop } from "./audit/odd-pops.ts";
import { type VirtualClock, virtualClock } from "./clock.ts";
import { controlApp } from "./control/app.ts";
import { type ViolationAccount, violations } from "./control/audit.ts";
import { type Planning, planNext } from "./control/next.ts";
import { accounts, type SpotAccount } from "./control/spots.ts";
import { activeFault } from "./faults/choose.ts";
import { type FaultEntry, faultListSchema } from "./faults/list.ts";
import { type Call, type CallFilter, type Listener, newJournal } from "./http/journal.ts";
import { type OpenPort, openPort } from "./http/listener.ts";
import { mediaApp } from "./media/app.ts";
import { mediaFiles } from "./media/files.ts";
import { type Makings, type Network, reset, stateOf } from "./network.ts";
import { serviceApp } from "./service/app.ts";
import type { PlannedSpot } from "./spot/planned.ts";
import { openStateFile, readStateFile } from "./store/file.ts";
import { type Keeping, keepIn } from "./store/keeping.ts";
import { keptSeed, restored } from "./store/restoring.ts";
import { builtInVenueTypes } from "./venue-types/built-in.ts";
import { readVenueTypes, VenueTypesError } from "./venue-types/read.ts";
import { type Creative, packagedCreatives } from "./world/catalogue.ts";
import { demoWorld } from "./world/demo.ts";
import { loadPlaces } from "./world/places.ts";
import { readWorld, WorldError } from "./world/read.ts";
import type { World, WorldFile } from "./world/schema.ts";

/** How an emulator is to run; everything has a default. */
export interface EmulatorOptions {
  /** 0, the default, is any free one. */
  readonly ports?: { readonly [listener in Listener]?: number | undefined };
  /** The address to listen on; 127.0.0.1 unless told otherwise. */
  readonly host?: string;
  /** The same seed, calls and virtual time give the same answers, to the byte. Any number when absent. */
  readonly seed?: number;
  /** The built-in demo world when absent. */
  readonly world?: WorldFile;
  /** Parsed JSON, a list as the service answers it; the built-in venue types when absent (D1). */
  readonly venueTypes?: unknown;
  /** Follows the machine's when absent, from the world's `clock` on. */
  readonly clock?: VirtualClock;
  /** A file that keeps the state across restarts; what is in it goes before the world. In memory alone when absent. */
  readonly data?: string;
  /** Whether the process is the emulator's alone: its global `Request` and `Response` are replaced by lighter ones then. */
  readonly ownProcess?: boolean;
  /** Told of every call on every listener, once it has been answered. */
  readonly onCall?: (call: Call) => void;
}

/** A running emulator. URLs are without a trailing slash. */
export interface Emulator {
  readonly baseUrl: string;
  readonly mediaUrl: string;
  readonly controlUrl: string;
  /** Of the first organization in the world that has a screen. */
  readonly orgToken: string;
  /** That organization's first screen. */
  readonly screenId: string;
  readonly seed: number;
  readonly clock: VirtualClock;
  /** Exactly these spots next on a screen, in order, after those that wait already. */
  next(screenId: string, spots: readonly PlannedSpot[]): Planning;
  /** The ledger, oldest spot first, of one screen or of all. */
  spots(screenId?: string): SpotAccount[];
  /** The journal, oldest call first. */
  calls(filter?: CallFilter): Call[];
  /** Puts these faults in force, in order, in place of those there are; throws when one is none. */
  setFaults(faults: readonly FaultEntry[]): void;
  /** What a network would complain about so far, oldest first; none when the players were honest. */
  audit(): ViolationAccount[];
  /** Back to the world, time and seed that it started with. */
  reset(): void;
  /** Ends every connection and resolves when the ports are free. */
  close(): Promise<void>;
}

/** Starts a screen network. Rejects with a `PortError`, a `WorldError`, a `VenueTypesError` or a `StoreError`. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const rows = options.data === undefined ? null : readStateFile(options.data);
  const { host = "127.0.0.1", seed = keptSeed(rows) ?? Math.floor(Math.random() * 2 ** 31) } = options;
  const makings = await makingsOf(options, seed);
  const clock = options.clock ?? virtualClock(undefined, makings.world.clock);
  const fresh = stateOf(makings, clock.now());
  const kept = rows === null ? null : restored(rows, fresh, Date.now());
  const file = options.data === undefined ? null : openStateFile(options.data);
  const ports = await openPorts(host, options).catch((error) => {
    file?.close();
    throw error;
  });
  const journal = newJournal(options.onCall);
  const network: Network = { ...makings, clock, journal, mediaUrl: ports.media.url, state: kept?.state ?? fresh };
  if (kept !== null) {
    clock.set(kept.clock);
    journal.restore(kept.journal);
  }
  const keeping = file === null ? null : keepIn(file, network);
  network.journal.onAdded((call) => keepOddPop(network.state.oddPops, call));
  const files = mediaFiles(creativesDir());
  const service = serviceApp(network, files);
  ports.service.answerWith(service);
  ports.media.answerWith(mediaApp(network, files));
  ports.control.answerWith(controlApp({ network, service, files }, host));
  return emulatorOf(network, ports, keeping);
}

function emulatorOf(network: Network, ports: Readonly<Record<Listener, OpenPort>>, keeping: Keeping | null): Emulator {
  const [orgToken, screenId] = firstScreen(network.world);
  return {
    baseUrl: ports.service.url,
    mediaUrl: ports.media.url,
    controlUrl: ports.control.url,
    orgToken,
    screenId,
    seed: network.seed,
    clock: network.clock,
    next: (screen, spots) => planNext(network, screen, spots),
    spots: (screen) => accounts(network.state.ledger, network.clock.now(), screen),
    calls: (filter) => network.journal.calls(filter),
    setFaults: (faults) => {
      network.state.faults = faultListSchema.parse(faults).map(activeFault);
    },
    audit: () => violations(network),
    reset: () => reset(network),
    close: async () => {
      await Promise.all(Object.values(ports).map((port) => port.close()));
      keeping?.stop();
    },
  };
}

async function makingsOf({ world, venueTypes }: EmulatorOptions, seed: number): Promise<Makings> {
  const packaged = packagedCreatives(creativesDir());
  const tree = venueTypes === undefined ? builtInVenueTypes() : validTree(venueTypes);
  return { world: validWorld(world, packaged, tree), packaged, seed, tree, places: await loadPlaces() };
}

/** The demo world is shown with whatever venue types there are; another one must fit them. */
function validWorld(file: WorldFile | undefined, packaged: readonly Creative[], tree: VenueTree): World {
  const reading = readWorld(file ?? demoWorld(), packaged, file === undefined ? null : tree);
  if (reading.kind === "world") return reading.world;
  throw new WorldError(reading.problems);
}

function validTree(content: unknown): VenueTree {
  const reading = readVenueTypes(content);
  if (reading.kind === "tree") return reading.tree;
  throw new VenueTypesError(reading.problems);
}

/** Opens all three ports, or none. */
async function openPorts(
  host: string,
  { ports = {}, ownProcess = false }: EmulatorOptions,
): Promise<Record<Listener, OpenPort>> {
  const open: OpenPort[] = [];
  const opened = async (listener: Listener) => {
    const port = await openPort(listener, host, ports[listener] ?? 0, ownProcess);
    open.push(port);
    return port;
  };
  try {
    return { service: await opened("service"), media: await opened("media"), control: await opened("control") };
  } catch (error) {
    await Promise.all(open.map((port) => port.close()));
    throw error;
  }
}

function firstScreen(world: World): [orgToken: string, screenId: string] {
  for (const { org_token, screens } of world.organizations) {
    if (screens[0] !== undefined) return [org_token, screens[0].screen_id];
  }
  throw new Error("a world without a screen passed its check");
}
