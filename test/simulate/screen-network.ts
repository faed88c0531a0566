import { creativesDir } from "../../src/emulator/assets.ts";
import { keepOddPop } from "../../src/emulator/audit/odd-pops.ts";
import { virtualClock } from "../../src/emulator/clock.ts";
import { newJournal } from "../../src/emulator/http/journal.ts";
import { mediaApp } from "../../src/emulator/media/app.ts";
import { mediaFiles } from "../../src/emulator/media/files.ts";
import { type Makings, type Network, screenKey, stateOf } from "../../src/emulator/network.ts";
import { serviceApp } from "../../src/emulator/service/app.ts";
import type { PlannedSpot } from "../../src/emulator/spot/planned.ts";
import { builtInVenueTypes } from "../../src/emulator/venue-types/built-in.ts";
import { packagedCreatives } from "../../src/emulator/world/catalogue.ts";
import { demoWorld } from "../../src/emulator/world/demo.ts";
import { loadPlaces } from "../../src/emulator/world/places.ts";
import { readWorld } from "../../src/emulator/world/read.ts";
import type { MachineClocks, SimulatedTime } from "./time.ts";

export const ORG_TOKEN = "org_demo";
export const SCREEN_ID = "screen_demo";
export const SERVICE_URL = "http://127.0.0.1:8787";
export const MEDIA_URL = "http://127.0.0.1:8788";

/** The emulator's service and media, called without a socket. */
export interface ScreenNetwork {
  readonly network: Network;
  /** `target`: path and query, byte for byte. */
  call(surface: "service" | "media", target: string, headers: Readonly<Record<string, string>>): Promise<Response>;
  /** Exactly this spot next. */
  plan(spot: PlannedSpot): void;
  /** Tells the auditor, as the emulator's own faults do, that something got in the way of a proof's call. */
  spoil(target: string, fault: string): void;
}

/** Opens the emulator's demo world on simulated time, with a folder of creatives. */
export async function openScreenNetwork(
  folder: string,
  seed: number,
  time: SimulatedTime,
  clocks: MachineClocks,
): Promise<ScreenNetwork> {
  const packaged = packagedCreatives(creativesDir());
  const tree = builtInVenueTypes();
  const reading = readWorld(demoWorld(), packaged, tree);
  if (reading.kind === "bad") throw new Error(JSON.stringify(reading.problems));
  const clock = virtualClock({ now: () => time.now(), wall: () => clocks.right() });
  const makings: Makings = { world: reading.world, packaged, seed, tree, places: await loadPlaces() };
  const state = stateOf(makings, clock.now());
  const network: Network = { ...makings, clock, journal: newJournal(), mediaUrl: MEDIA_URL, state };
  network.journal.onAdded((call) => keepOddPop(network.state.oddPops, call));
  const files = mediaFiles(folder);
  const apps = { service: serviceApp(network, files), media: mediaApp(network, files) };
  const urls = { service: SERVICE_URL, media: MEDIA_URL };
  return {
    network,
    async call(surface, target, headers) {
      const env = { incoming: { method: "GET", url: target }, outgoing: { once: () => {} } };
      return apps[surface].fetch(new Request(urls[surface] + target, { headers }), env);
    },
    plan(spot) {
      network.state.planned.set(screenKey(ORG_TOKEN, SCREEN_ID), [spot]);
    },
    spoil(target, fault) {
      const call = { id: 0, at: clock.now(), realAt: 0, listener: "media" as const, method: "GET", path: target };
      const rest = { route: "pop", screenId: SCREEN_ID, status: 0, ms: 0, warnings: [], events: [], nearMiss: null };
      keepOddPop(network.state.oddPops, { ...call, ...rest, fault });
    },
  };
}
