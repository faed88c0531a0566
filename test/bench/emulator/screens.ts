import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorldFile } from "../../../src/emulator/world/schema.ts";
import type { Bench, Line } from "../line.ts";
import { percentile } from "../statistics.ts";
import { connection } from "./connection.ts";
import { startEmulator, startHello } from "./servers.ts";

const SCREENS = 1_000;
/** Virtual: a spot in the field. Real time is a tenth of it. */
const SLOT_MS = 15_000;
const SPEED = 10;
/** As many as a busy network keeps open; a connection has one request under way at a time. */
const CONNECTIONS = 50;

/** How long answers take when a whole network of screens asks at its usual pace, beside a server that only says hello. */
export const emulatorScreens: Line = {
  name: "emulator-screens",
  async run(bench) {
    const [rounds, minutes] = bench.quick ? [1, 2] : [3, 10];
    const folder = await mkdtemp(join(tmpdir(), "spotloop-bench-"));
    const world = join(folder, "world.json");
    await writeFile(world, JSON.stringify(network()));
    const servers = await Promise.all([startEmulator(["--world", world]), startHello()]);
    try {
      const [emulator, hello] = servers.map(({ ready }) => ready.baseUrl) as [string, string];
      const latencies: Record<"spotloop" | "other", number[][]> = { spotloop: [], other: [] };
      for (let round = 1; round <= rounds; round++) {
        bench.progress(`round ${round} of ${rounds}`);
        latencies.spotloop.push(
          await asked(emulator, (screen) => `/v3/vendor/org_bench/1/rt_ad/${screen}`, minutes, bench),
        );
        latencies.other.push(await asked(hello, () => "/", minutes, bench));
      }
      const row = (what: string, share: number) => ({
        ...({ what, unit: "ms", digits: 2, as: "ratio" } as const),
        spotloop: latencies.spotloop.map((ms) => percentile(ms, share)),
        other: latencies.other.map((ms) => percentile(ms, share)),
      });
      return {
        title: `Emulator: ${SCREENS} screens, each asking every ${SLOT_MS / 1000} s for ${minutes} min of virtual time at ${SPEED} times its pace, rounds: ${rounds}`,
        subject: "the emulator",
        beside: "bare hello",
        rows: [row("time to a spot, p50", 0.5), row("time to a spot, p99", 0.99), row("time to a spot, most", 1)],
      };
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true });
    }
  },
};

/** A network of so many screens, on a clock that is as much faster as the screens are. */
function network(): WorldFile {
  const place = { location_id: "loc_bench", title: "Arena", venue_type_id: "101", status: "APPROVED" } as const;
  const screens = Array.from({ length: SCREENS }, (_, number) => {
    return { screen_id: `screen_${number}`, title: `${number}`, venue_type_id: "101", location_id: place.location_id };
  });
  const car = { car_id: "car_bench", status: "approved", advertiser_name: "A", campaign_name: "A" } as const;
  const cars = [{ ...car, creative: "ad-coffee" }];
  const campaigns = [{ campaign_id: "cmp_bench", car_id: car.car_id }];
  return {
    clock: { speed: SPEED },
    organizations: [{ org_token: "org_bench", locations: [place], screens, cars, campaigns }],
    news: [{ creative: "news-weather" }],
  };
}

/** Milliseconds of real time that each answer took; the screens take turns evenly. */
async function asked(
  origin: string,
  pathOf: (screen: string) => string,
  minutes: number,
  { signal }: Bench,
): Promise<number[]> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => connection(origin)));
  const count = (SCREENS * minutes * 60_000) / SLOT_MS;
  const stepMs = SLOT_MS / SPEED / SCREENS;
  const startedAt = performance.now();
  const took: number[] = [];
  let next = 0;
  const ask = async ({ get }: (typeof connections)[number]) => {
    while (next < count) {
      const turn = next++;
      const dueAt = startedAt + turn * stepMs;
      while (performance.now() < dueAt)
        await sleep(Math.max(0, Math.floor(dueAt - performance.now())), undefined, { signal });
      const { status, ms } = await get(pathOf(`screen_${turn % SCREENS}`));
      if (status !== 200) throw new Error(`${origin} answered ${status}`);
      took.push(ms);
    }
  };
  try {
    await Promise.all(connections.map(ask));
  } finally {
    for (const one of connections) one.close();
  }
  return took;
}
