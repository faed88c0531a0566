import { keepHindrance, keepRejectedPop } from "../../src/emulator/audit/evidence.ts";
import { virtualClock } from "../../src/emulator/clock.ts";
import { newJournal } from "../../src/emulator/http/journal.ts";
import { screenKey } from "../../src/emulator/inventory/inventory.ts";
import { mediaApp } from "../../src/emulator/media/app.ts";
import { mediaFiles } from "../../src/emulator/media/files.ts";
import { type Network, type NetworkConfig, stateOf } from "../../src/emulator/network.ts";
import { serviceApp } from "../../src/emulator/service/app.ts";
import type { PlannedSpot } from "../../src/emulator/spot/planned.ts";
import { creativesDir, packagedCreatives } from "../../src/emulator/world/creatives.ts";
import { demoWorld } from "../../src/emulator/world/demo.ts";
import { loadPlaces } from "../../src/emulator/world/places.ts";
import { readWorld } from "../../src/emulator/world/read.ts";
import { builtInVenueTypes } from "../../src/emulator/world/venue-types.ts";
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
  /** Tells it that something kept a spot, a file or an item from the screen: its request id, URL or proof's path. */
  hinder(what: string): void;
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
  const config: NetworkConfig = { world: reading.world, packaged, seed, tree, places: await loadPlaces() };
  const state = stateOf(config, clock.now());
  const network: Network = { ...config, clock, journal: newJournal(), mediaUrl: MEDIA_URL, state };
  network.journal.onAdded((call) => keepRejectedPop(network.state.rejectedPops, call));
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
    hinder: (what) => keepHindrance(network.state.hindrances, { at: clock.now(), what }),
    spoil(target, fault) {
      const call = { id: 0, at: clock.now(), realAt: 0, listener: "media" as const, method: "GET", path: target };
      const whose = { route: "pop", orgToken: ORG_TOKEN, screenId: SCREEN_ID };
      const rest = { requestId: null, status: 0, ms: 0, warnings: [], events: [], nearMiss: null };
      keepRejectedPop(network.state.rejectedPops, { ...call, ...whose, ...rest, fault });
    },
  };
}
