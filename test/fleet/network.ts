import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { startChild } from "../../scripts/setup/child.ts";
import { ROOT } from "../../scripts/setup/paths.mjs";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import type { WorldFile } from "../../src/emulator/world/schema.ts";
import { samplesIn } from "../support/monitoring.ts";
import { fleetTime, type Pace } from "./pace.ts";

const readySchema = z.object({ baseUrl: z.string(), mediaUrl: z.string(), controlUrl: z.string() });

/** The screen network of a fleet: the emulator's own command, in a process of its own. */
export interface FleetNetwork extends z.infer<typeof readySchema> {
  readonly pid: number;
  /** Makes something go wrong, from now on. */
  addFault(fault: FaultFile): Promise<void>;
  /** Calls that were answered so far on the service and the media listener, by route and status. */
  calls(): Promise<readonly CallCount[]>;
  stop(): Promise<void>;
}

export interface CallCount {
  readonly route: string;
  readonly status: number;
  readonly count: number;
}

export const ORG_TOKEN = "org_fleet";

/** Where a kiosk stands. */
export type Place = "open" | "closed" | "unapproved";

/** A screen of the network. */
export interface PlacedScreen {
  readonly screenId: string;
  readonly place: Place;
}

/** Starts a network with these screens in a folder for its file; its clock goes at a pace. */
export async function startNetwork(
  folder: string,
  screens: readonly PlacedScreen[],
  pace: Pace,
): Promise<FleetNetwork> {
  const world = join(folder, "world.json");
  writeFileSync(world, JSON.stringify(worldOf(screens, pace)));
  const ports = ["--port", "0", "--media-port", "0", "--control-port", "0"];
  const args = [join(ROOT, "dist/cli/emulator-main.js"), ...ports, "--seed", "1", "--world", world];
  const child = startChild(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const { stdout, pid } = child.process;
  if (stdout === null || pid === undefined) throw new Error("the emulator has no output");
  const line = once(createInterface({ input: stdout }), "line").then(([text]) => text);
  const [text, ended] = await Promise.race([line.then((said) => [said, null]), child.ended.then((why) => [null, why])]);
  if (text === null) throw new Error(`the emulator ended: ${ended}`);
  const ready = readySchema.parse(JSON.parse(text));
  const control = async (method: string, path: string, body?: unknown) => {
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const response = await fetch(ready.controlUrl + path, { method, ...sent });
    const said = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${said}`);
    return said;
  };
  const now = new Date(fleetTime(pace)).toISOString();
  await control("PUT", "/control/clock", { mode: "real", now, speed: pace.speed });
  return {
    ...ready,
    pid,
    addFault: async (fault) => void (await control("POST", "/control/faults", fault)),
    calls: async () => callsIn(await control("GET", "/metrics")),
    stop: () => child.stop(),
  };
}

function callsIn(scrape: string): readonly CallCount[] {
  return samplesIn(scrape)
    .filter(({ name, labels }) => name === "spotloop_emulator_calls_total" && labels.listener !== "control")
    .map(({ labels, value }) => ({ route: labels.route ?? "", status: Number(labels.status), count: value }));
}

const HOURS_OF_WEEK = 168;
const HOUR_MS = 3_600_000;

/** A world with all that a screen is shown, and its places. */
function worldOf(screens: readonly PlacedScreen[], pace: Pace): WorldFile {
  const place = { venue_type_id: "101", timezone: "UTC" } as const;
  const always = Array<boolean>(HOURS_OF_WEEK).fill(true);
  const ads = ["ad-coffee", "ad-cycling", "ad-sneakers", "ad-festival", "ad-bakery"];
  const car = { status: "approved", advertiser_name: "A", campaign_name: "A" } as const;
  return {
    organizations: [
      {
        org_token: ORG_TOKEN,
        locations: [
          { ...place, location_id: "loc_open", title: "Open", status: "APPROVED", opening_168: always },
          { ...place, location_id: "loc_closed", title: "Closed", status: "APPROVED", opening_168: hoursNotNow(pace) },
          { ...place, location_id: "loc_unapproved", title: "New", status: "REVIEW", opening_168: always },
        ],
        screens: screens.map(({ screenId, place: at }) => {
          return { screen_id: screenId, title: screenId, venue_type_id: "101", location_id: `loc_${at}` };
        }),
        cars: ads.map((creative) => ({ ...car, car_id: `car_${creative}`, creative })),
        campaigns: ads.map((creative) => {
          return { campaign_id: `cmp_${creative}`, car_id: `car_${creative}`, duration: ITEM_MS };
        }),
      },
    ],
    news: ["news-transit", "news-weather", "news-headlines", "news-sport", "news-culture"].map((creative) => {
      return { creative, duration: ITEM_MS };
    }),
  };
}

/** Two of them make a spot of a quarter of a minute. */
export const ITEM_MS = 7_500;

/** A week that is open for the hour before this one only, so that it opens in six days and more. */
function hoursNotNow({ startedAt }: Pace): boolean[] {
  const before = new Date(startedAt - HOUR_MS);
  const day = (before.getUTCDay() + 6) % 7;
  const open = day * 24 + before.getUTCHours();
  return Array.from({ length: HOURS_OF_WEEK }, (_, hour) => hour === open);
}
