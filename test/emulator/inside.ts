import { virtualClock } from "../../src/emulator/clock.ts";
import { newJournal } from "../../src/emulator/http/journal.ts";
import { mediaFiles } from "../../src/emulator/media/files.ts";
import { type Network, type NetworkConfig, stateOf } from "../../src/emulator/network.ts";
import { serviceApp } from "../../src/emulator/service/app.ts";
import { creativesDir, packagedCreatives } from "../../src/emulator/world/creatives.ts";
import { loadPlaces } from "../../src/emulator/world/places.ts";
import { readWorld } from "../../src/emulator/world/read.ts";
import type { WorldFile } from "../../src/emulator/world/schema.ts";
import { builtInVenueTypes } from "../../src/emulator/world/venue-types.ts";
import { MONDAY_8 } from "./running.ts";

/** A network without sockets, whose state can be looked at as a whole. */
export interface Inside {
  readonly network: Network;
  /** Calls the service; the status and the parsed body. */
  // biome-ignore lint/suspicious/noExplicitAny: what the service answered, looked into by the tests
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>;
  /** Everything that calls can change, to the byte. */
  state(): string;
}

const packaged = packagedCreatives(creativesDir());
const files = mediaFiles(creativesDir());
const [places, tree] = [await loadPlaces(), builtInVenueTypes()];

export function inside(world: WorldFile): Inside {
  const reading = readWorld(world, packaged, tree);
  if (reading.kind === "bad") throw new Error(JSON.stringify(reading.problems));
  const clock = virtualClock(undefined, { mode: "frozen", now: MONDAY_8 });
  const config: NetworkConfig = { world: reading.world, packaged, seed: 1, places, tree };
  const state = stateOf(config, clock.now());
  const network: Network = { ...config, clock, journal: newJournal(), mediaUrl: "http://media", state };
  const app = serviceApp(network, files);
  return {
    network,
    async call(method, path, body) {
      const sent =
        body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const reply = await app.request(
        `http://service${path}`,
        { method, ...sent },
        { incoming: { method, url: path } },
      );
      return { status: reply.status, body: await reply.json() };
    },
    state: () => JSON.stringify(network.state, (_, value) => (value instanceof Map ? [...value] : value)),
  };
}
