import { creativesDir } from "./assets.ts";
import { type VirtualClock, virtualClock } from "./clock.ts";
import { controlApp } from "./control/app.ts";
import { type Planning, planNext } from "./control/next.ts";
import { accounts, type SpotAccount } from "./control/spots.ts";
import { type Call, type CallFilter, type Listener, newJournal } from "./http/journal.ts";
import { type OpenPort, openPort } from "./http/listener.ts";
import { mediaApp } from "./media/app.ts";
import { mediaFiles } from "./media/files.ts";
import { type Network, reset, stateOf } from "./network.ts";
import { serviceApp } from "./service/app.ts";
import type { PlannedSpot } from "./spot/planned.ts";
import { packagedCreatives } from "./world/catalogue.ts";
import { demoWorld } from "./world/demo.ts";
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
  /** Follows the machine's when absent, from the world's `clock` on. */
  readonly clock?: VirtualClock;
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
  /** Back to the world, time and seed that it started with. */
  reset(): void;
  /** Ends every connection and resolves when the ports are free. */
  close(): Promise<void>;
}

/** Starts a screen network. Rejects with a `PortError` or a `WorldError`. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { host = "127.0.0.1", seed = Math.floor(Math.random() * 2 ** 31) } = options;
  const packaged = packagedCreatives(creativesDir());
  const world = validWorld(options.world ?? demoWorld(), packaged);
  const clock = options.clock ?? virtualClock(undefined, world.clock);
  const ports = await openPorts(host, options.ports ?? {});
  const network: Network = {
    world,
    packaged,
    seed,
    clock,
    journal: newJournal(options.onCall),
    mediaUrl: ports.media.url,
    state: stateOf(world, packaged, seed),
  };
  const service = serviceApp(network);
  ports.service.answerWith(service);
  ports.media.answerWith(mediaApp(network, mediaFiles(creativesDir())));
  ports.control.answerWith(controlApp(network, service, host));
  return emulatorOf(network, ports);
}

function emulatorOf(network: Network, ports: Readonly<Record<Listener, OpenPort>>): Emulator {
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
    reset: () => reset(network),
    close: async () => void (await Promise.all(Object.values(ports).map((port) => port.close()))),
  };
}

function validWorld(file: WorldFile, packaged: ReturnType<typeof packagedCreatives>): World {
  const reading = readWorld(file, packaged);
  if (reading.kind === "world") return reading.world;
  throw new WorldError(reading.problems);
}

/** Opens all three ports, or none. */
async function openPorts(
  host: string,
  ports: NonNullable<EmulatorOptions["ports"]>,
): Promise<Record<Listener, OpenPort>> {
  const open: OpenPort[] = [];
  const opened = async (listener: Listener) => {
    const port = await openPort(listener, host, ports[listener] ?? 0);
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
