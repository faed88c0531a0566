import { virtualClock } from "../../../src/emulator/clock.ts";
import type { Emulator, EmulatorOptions } from "../../../src/emulator/main.ts";
import type { WorldFile } from "../../../src/emulator/world/schema.ts";
import { ask, json, MONDAY_8, running } from "../running.ts";

/** Everything that a location needs for its review, as a client would send it. */
export const COMPLETE = {
  venue_type_id: "807",
  lat: 53.5453,
  long: 9.9687,
  opening_168: Array<boolean>(168).fill(true),
  visitors_7: [10, 20, 30, 40, 50, 60, 70],
};

/** A screen as a client would create it, at the approved location. */
export const SCREEN = {
  screen_id: "screen_new",
  title: "Bar",
  venue_type_id: "80701",
  location_id: "loc_approved",
  width: 1920,
  height: 1080,
  loop_duration: 60,
};

/** One organization with a location in every status, a screen, and a CAR of every status; and another's things. */
export function venueWorld(more: Partial<WorldFile> = {}): WorldFile {
  const car = { advertiser_name: "Kettle", campaign_name: "Second cup", creative: "ad-coffee", cities: ["Hamburg"] };
  return {
    organizations: [
      {
        org_token: "org_a",
        locations: [
          { location_id: "loc_approved", title: "Hotel", ...COMPLETE, status: "APPROVED" },
          { location_id: "loc_second", title: "Annexe", ...COMPLETE, status: "APPROVED" },
          { location_id: "loc_review", title: "Museum", ...COMPLETE, venue_type_id: "801", status: "REVIEW" },
          { location_id: "loc_draft", title: "Library" },
        ],
        screens: [{ ...SCREEN, screen_id: "screen_a", title: "Lobby" }],
        cars: [
          { car_id: "car_pending", ...car },
          { car_id: "car_approved", ...car, status: "approved" },
          { car_id: "car_rejected", ...car, status: "rejected", rejection_reasons: ["FILTER"] },
        ],
        campaigns: [
          { campaign_id: "cmp_a", car_id: "car_approved" },
          { campaign_id: "cmp_p", car_id: "car_pending", screens: ["screen_a"] },
        ],
      },
      {
        org_token: "org_b",
        locations: [{ location_id: "loc_b", title: "Gym", ...COMPLETE, status: "APPROVED" }],
        screens: [{ ...SCREEN, screen_id: "screen_b", location_id: "loc_b" }],
        cars: [{ car_id: "car_b", ...car }],
      },
    ],
    news: [{ creative: "news-weather" }],
    ...more,
  };
}

/** Calls of one organization, over a socket each. */
export interface Vendor {
  readonly emulator: Emulator;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  /** A call of the control API. */
  control(method: string, path: string, body?: unknown): Promise<Answer>;
  /** The next spot of `screen_a`. */
  // biome-ignore lint/suspicious/noExplicitAny: what the service answered, looked into by the tests
  spot(): Promise<any>;
  /** The warnings of the newest call on the service. */
  warnings(): readonly string[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: what the service answered, looked into by the tests
  readonly body: any;
}

/** A vendor with the world above, or another, on a frozen clock. */
export async function vendor(options: EmulatorOptions = {}, orgToken = "org_a"): Promise<Vendor> {
  const clock = virtualClock(undefined, { mode: "frozen", now: MONDAY_8 });
  const emulator = await running({ world: venueWorld(), clock, ...options });
  const at = async (origin: string, method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = body === undefined ? undefined : { "content-type": "application/json" };
    const reply = await ask(origin, path, { method, body, ...(headers === undefined ? {} : { headers }) });
    return { ...reply, body: reply.body.length === 0 ? null : json(reply) };
  };
  return {
    emulator,
    get: (path) => at(emulator.baseUrl, "GET", `/vendor/${orgToken}${path}`),
    post: (path, body) => at(emulator.baseUrl, "POST", `/vendor/${orgToken}${path}`, body),
    control: (method, path, body) => at(emulator.controlUrl, method, `/control${path}`, body),
    spot: async () => (await at(emulator.baseUrl, "GET", `/v3/vendor/${orgToken}/1/rt_ad/screen_a`)).body.data,
    warnings: () => emulator.calls().findLast(({ listener }) => listener === "service")?.warnings ?? [],
  };
}
