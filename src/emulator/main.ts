import { resolve } from "node:path";
import type { VenueTree } from "../core/inventory/rules.ts";
import { type ViolationJson, violations } from "./audit/audit.ts";
import { keepRejectedPop } from "./audit/evidence.ts";
import { type VirtualClock, virtualClock } from "./clock.ts";
import { controlApp } from "./control/app.ts";
import { type Fork, type ListenerUrls, newForks, urlsBelow } from "./control/snapshots-and-forks.ts";
import { nextSchema } from "./control/spots.ts";
import { activeFaults, joined } from "./faults/choose.ts";
import { type FaultEntry, faultEntrySchema, faultListSchema, MOST_FAULTS } from "./faults/schema.ts";
import { type Call, type CallFilter, type Listener, newJournal } from "./http/journal.ts";
import { type OpenPort, openPort } from "./http/listener.ts";
import { approveCalled, type Decision } from "./inventory/reviews.ts";
import { mediaApp } from "./media/app.ts";
import { type MediaFile, mediaFiles } from "./media/files.ts";
import { type Network, type NetworkConfig, reset, stateOf } from "./network.ts";
import { insisted } from "./problems.ts";
import { serviceApp } from "./service/app.ts";
import { type PlannedSpot, type Planning, planNext } from "./spot/planned.ts";
import { type SpotJson, spotsJson } from "./spot/told-spots.ts";
import { openStateFile, readStateFile } from "./store/file.ts";
import { bringBack, keepIn, keptSeed, type Persistence, restored } from "./store/persistence.ts";
import {
  type Creative,
  type CreativeFiles,
  creativeFilesOf,
  creativesDir,
  packagedCreatives,
  servedFiles,
} from "./world/creatives.ts";
import { demoWorld } from "./world/demo.ts";
import { loadPlaces } from "./world/places.ts";
import { readWorld, WorldError } from "./world/read.ts";
import type { World, WorldFile } from "./world/schema.ts";
import { builtInVenueTypes, readVenueTypes, VenueTypesError } from "./world/venue-types.ts";
import { differences } from "./world/world-file.ts";

/** How an emulator is to run; everything has a default. */
export interface EmulatorOptions {
  /** 0, the default, is any free one. */
  readonly ports?: { readonly [listener in Listener]?: number | undefined };
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** The same seed, calls and virtual time give the same answers, to the byte. Any number when absent. */
  readonly seed?: number;
  /** The built-in demo world when absent. */
  readonly world?: WorldFile;
  /** The folder that files in the world are relative to; the current one when absent. */
  readonly worldDir?: string;
  /** Parsed JSON, a list as the service answers it; the built-in venue types when absent (D1). */
  readonly venueTypes?: unknown;
  /** Follows the machine's when absent, from the world's `clock` on. */
  readonly clock?: VirtualClock;
  /** A file that keeps the state across restarts; what is in it goes before the world. In memory alone when absent. */
  readonly data?: string;
  /** Begin as the world says, whatever the data file has kept; what it has is replaced. */
  readonly reset?: boolean;
  /** The most spots kept, 1 to 5,000,000, the oldest giving way; 48,000 when absent. */
  readonly keepSpots?: number;
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
  /** Of the first organization that has a screen, in the world that the state began as. */
  readonly orgToken: string;
  /** That organization's first screen. */
  readonly screenId: string;
  readonly seed: number;
  readonly clock: VirtualClock;
  /**
   * Where the world differs from the one that the state in the data file began as; that state counts. `null` where there
   * was none.
   */
  readonly kept: readonly string[] | null;
  /**
   * Exactly these spots next on a screen, in order, after those that wait already. `orgToken`: whose screen, where
   * several organizations have one of that id. Throws a `TypeError` where they are none.
   */
  next(screenId: string, spots: readonly PlannedSpot[], orgToken?: string): Planning;
  /** The ledger, oldest spot first, of one screen or of all. */
  spots(screenId?: string, orgToken?: string): SpotJson[];
  /** The journal, oldest call first. */
  calls(filter?: CallFilter): Call[];
  /** Puts these faults in force, in order, in place of those there are; throws when one is none. */
  setFaults(faults: readonly FaultEntry[]): void;
  /** Puts a fault in force after those there are; throws when it is none, or one too many. */
  addFault(fault: FaultEntry): void;
  /** The operator's approval of a location in review or a pending CAR. `orgToken`: whose, where several wait by that id. */
  approve(id: string, orgToken?: string): Decision;
  /** What a network would complain about so far, oldest first; none when the players were honest. */
  audit(): ViolationJson[];
  /** Back to the world, time and seed that it started with. */
  reset(): void;
  /** Ends every connection and resolves when the ports are free. Rejects with a `StoreError` where its state cannot be kept. */
  close(): Promise<void>;
}

/** Starts a screen network. Rejects with a `PortError`, a `WorldError`, a `VenueTypesError` or a `StoreError`. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const rows = options.data === undefined || options.reset ? null : readStateFile(options.data);
  const { host = "127.0.0.1", seed = keptSeed(rows) ?? Math.floor(Math.random() * 2 ** 31) } = options;
  const { config, own } = await configOf(options, seed);
  const clock = options.clock ?? virtualClock(undefined, config.world.clock);
  const fresh = stateOf(config, clock.now());
  const kept = rows === null ? null : restored(rows, fresh, Date.now());
  const file = options.data === undefined ? null : openStateFile(options.data);
  const ports = await openPorts(host, options).catch((error) => {
    file?.close();
    throw error;
  });
  const journal = newJournal(options.onCall);
  const network: Network = { ...config, clock, journal, mediaUrl: ports.media.url, state: fresh };
  if (kept !== null) bringBack(network, kept);
  const persistence = file === null ? null : keepIn(file, network);
  network.journal.onAdded((call) => keepRejectedPop(network.state.rejectedPops, call));
  const files = mediaFiles(creativesDir(), own);
  ports.service.answerWith(serviceApp(network, files));
  ports.media.answerWith(mediaApp(network, files));
  const forks = newForks(network, (fork) => serveFork(fork, ports, files, host));
  ports.control.answerWith(controlApp({ network, files, urls: urlsOf(ports), forks }, host));
  const differing = kept === null ? null : differences(kept.state.began, config.world);
  return emulatorOf(network, ports, persistence, differing);
}

/** Answers the calls of a fork, below its path on each listener. */
function serveFork(
  { network, basePath }: Fork,
  ports: Readonly<Record<Listener, OpenPort>>,
  files: ReadonlyMap<string, MediaFile>,
  host: string,
): () => void {
  network.journal.onAdded((call) => keepRejectedPop(network.state.rejectedPops, call));
  const urls = urlsBelow(urlsOf(ports), basePath);
  const mounted = [
    ports.service.mount(basePath, serviceApp(network, files)),
    ports.media.mount(basePath, mediaApp(network, files)),
    ports.control.mount(basePath, controlApp({ network, files, urls, forks: null }, host)),
  ];
  return () => {
    for (const unmount of mounted) unmount();
  };
}

function urlsOf({ service, media, control }: Readonly<Record<Listener, OpenPort>>): ListenerUrls {
  return { baseUrl: service.url, mediaUrl: media.url, controlUrl: control.url };
}

function emulatorOf(
  network: Network,
  ports: Readonly<Record<Listener, OpenPort>>,
  persistence: Persistence | null,
  kept: Emulator["kept"],
): Emulator {
  return {
    ...urlsOf(ports),
    get orgToken() {
      return firstScreen(network.state.began)[0];
    },
    get screenId() {
      return firstScreen(network.state.began)[1];
    },
    seed: network.seed,
    clock: network.clock,
    kept,
    next: (screen, given, owner) => {
      const { spots } = insisted("what comes next", nextSchema, { spots: given });
      return planNext(network, { screenId: screen, orgToken: owner }, spots);
    },
    spots: (screen, owner) => spotsJson(network.state, network.clock.now(), { screenId: screen, orgToken: owner }),
    calls: (filter) => network.journal.calls(filter),
    setFaults: (faults) => {
      network.state.faults = activeFaults(insisted("faults", faultListSchema, faults), network.clock.now());
    },
    addFault: (fault) => {
      const faults = joined(network.state.faults, insisted("a fault", faultEntrySchema, fault), network.clock.now());
      if (faults === null) throw new Error(`at most ${MOST_FAULTS} faults`);
      network.state.faults = faults;
    },
    approve: (id, owner) => approveCalled(network, id, owner),
    audit: () => violations(network),
    reset: () => reset(network),
    close: async () => {
      await Promise.all(Object.values(ports).map((port) => port.close()));
      persistence?.stop();
    },
  };
}

/** `own`: the files that the world brings, by their path on the media listener. */
async function configOf({ world: file, worldDir = ".", venueTypes, keepSpots }: EmulatorOptions, seed: number) {
  const packaged = packagedCreatives(creativesDir());
  const tree = venueTypes === undefined ? builtInVenueTypes() : validTree(venueTypes);
  const files = await creativeFilesOf(file, resolve(worldDir));
  const world = validWorld(file, packaged, tree, files);
  const config: NetworkConfig = { world, packaged, seed, tree, places: await loadPlaces(), keepSpots };
  return { config, own: servedFiles(files, resolve(worldDir)) };
}

/** The demo world is shown with whatever venue types there are; another one must fit them. */
function validWorld(
  file: WorldFile | undefined,
  packaged: readonly Creative[],
  tree: VenueTree,
  files: CreativeFiles,
): World {
  const reading = readWorld(file ?? demoWorld(), packaged, file === undefined ? null : tree, files);
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
