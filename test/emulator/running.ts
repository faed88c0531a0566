import { type IncomingHttpHeaders, request } from "node:http";
import { onTestFinished } from "vitest";
import { virtualClock } from "../../src/emulator/clock.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../src/emulator/main.ts";
import type { WorldFile } from "../../src/emulator/world/schema.ts";

/** A Monday morning at which the emulators of these tests stand still. */
export const MONDAY_8 = Date.parse("2026-03-02T08:00:00.000Z");

/** An emulator with a frozen clock on free ports, gone when the test is. */
export async function running(options: EmulatorOptions = {}): Promise<Emulator> {
  const clock = virtualClock(undefined, { mode: "frozen", now: MONDAY_8 });
  const emulator = await startEmulator({ seed: 1, clock, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** Asks over a socket of its own for exactly this path, which no URL parser has touched. */
export function ask(origin: string, path: string, { method = "GET", headers = {}, body }: Asked = {}): Promise<Reply> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    asked.on("error", reject);
    asked.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  });
}

/** The JSON in a reply. */
export function json(reply: Reply) {
  return JSON.parse(reply.body.toString("utf8"));
}

/** Asks the service for a screen's next spot and returns the `data` of a 200. */
export async function nextSpot({ baseUrl }: Emulator, orgToken = "org_demo", screenId = "screen_demo") {
  const reply = await ask(baseUrl, `/v3/vendor/${orgToken}/1/rt_ad/${screenId}`);
  if (reply.status !== 200) throw new Error(`the spot request was answered ${reply.status}`);
  return json(reply).data;
}

/** Path and query of an absolute URL, to the byte. */
export function pathIn(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, "");
}

/** Calls a URL of the media listener as it was given out. */
export function call({ mediaUrl }: Emulator, url: string, asked?: Asked): Promise<Reply> {
  return ask(mediaUrl, pathIn(url), asked);
}

type Organization = WorldFile["organizations"][number];
type Location = NonNullable<Organization["locations"]>[number];
type Screen = NonNullable<Organization["screens"]>[number];

/** A world of one approved location with one screen, one news item and one paid ad, changed as given. */
export function smallWorld(location: Partial<Location> = {}, screen: Partial<Screen> = {}): WorldFile {
  return {
    organizations: [
      {
        org_token: "org_a",
        locations: [{ location_id: "loc_a", title: "Foyer", status: "APPROVED", ...location }],
        screens: [{ screen_id: "screen_a", title: "Wall", venue_type_id: "101", location_id: "loc_a", ...screen }],
        cars: [
          { car_id: "car_a", status: "approved", advertiser_name: "A", campaign_name: "A", creative: "ad-coffee" },
        ],
        campaigns: [{ campaign_id: "cmp_a", car_id: "car_a" }],
      },
      { org_token: "org_b", locations: [], screens: [] },
    ],
    news: [{ creative: "news-weather" }],
  };
}
