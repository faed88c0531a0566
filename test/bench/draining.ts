import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { SpotClient } from "../../src/client/spot-client.ts";
import { SENDS_AT_ONCE } from "../../src/core/proofs/proof-dispatch.ts";
import { systemClock } from "../../src/player/clock.ts";
import { ExclusiveLock } from "../../src/player/exclusive-lock.ts";
import { Courier } from "../../src/player/proofs/courier.ts";
import { ServiceClock } from "../../src/player/service-clock.ts";
import { tellTime } from "../support/player/service-time.ts";
import type { Line } from "./line.ts";
import { benchFolder, shownNow, silent, storeIn } from "./proofs/store.ts";

/** What an outage of an hour leaves behind on a hundred screens; on one, that of days, which would be over by then. */
const PROOFS = 10_000;

/** Proofs that are owed on the disk, sent and recorded, beside nothing but the same GETs, as many at once. */
export const draining: Line = {
  name: "draining",
  async run({ quick, progress }) {
    const [rounds, proofs] = quick ? [1, 1_000] : [5, PROOFS];
    const rates = { spotloop: [] as number[], bare: [] as number[] };
    const counter = await startCounter();
    try {
      // Both are warm when it counts.
      await bareRate(counter.url, proofs / 4);
      await courierRate(counter.url, proofs / 4);
      for (let round = 1; round <= rounds; round++) {
        progress(`round ${round} of ${rounds}`);
        for (const which of round % 2 === 1 ? (["spotloop", "bare"] as const) : (["bare", "spotloop"] as const)) {
          rates[which].push(await (which === "bare" ? bareRate : courierRate)(counter.url, proofs));
        }
      }
    } finally {
      counter.stop();
    }
    return {
      title: `Draining: ${proofs} owed proofs sent, ${SENDS_AT_ONCE} at once, each recorded on the disk, rounds: ${rounds}`,
      beside: "bare GETs",
      rows: [
        {
          ...{ what: "proofs delivered a second", unit: "/s", digits: 0, as: "ratio", goal: 0.7, goalIs: "least" },
          ...{ spotloop: rates.spotloop, other: rates.bare },
        },
      ],
    };
  },
};

async function startCounter(): Promise<{ readonly url: string; stop(): void }> {
  const child = spawn(process.execPath, [`${import.meta.dirname}/proofs/counter.ts`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [port] = await once(createInterface({ input: child.stdout }), "line");
  return { url: `http://127.0.0.1:${port}`, stop: () => child.stdin.end() };
}

async function courierRate(url: string, proofs: number): Promise<number> {
  const folder = benchFolder();
  const clock = systemClock(null);
  const serviceClock = new ServiceClock(clock);
  tellTime(serviceClock, clock.wall());
  // As in the player.
  const store = storeIn(folder.path, true);
  for (const proof of shownNow(proofs, url, clock)) store.owe(proof, serviceClock.read());
  const service = new SpotClient({
    ...{ baseUrl: url, orgToken: "bench", fetch, spotTimeoutMs: 10_000, proofTimeoutMs: 10_000 },
  });
  let left = proofs;
  const startedAt = performance.now();
  const courier = new Courier({
    ...{ store, clock, serviceClock, log: silent, random: Math.random },
    lock: new ExclusiveLock(`${folder.path}/sender.lock`),
    send: (pop, signal) => service.sendProof(pop, signal),
    onSettled: () => left--,
  });
  courier.start();
  while (left > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await courier.stop();
  await new Promise<void>((resolve) => store.whenFlushed(resolve));
  const tookS = (performance.now() - startedAt) / 1000;
  const { delivered } = store.counts();
  store.close();
  folder.remove();
  if (delivered !== proofs) throw new Error(`${delivered} of ${proofs} proofs were delivered`);
  return proofs / tookS;
}

async function bareRate(url: string, proofs: number): Promise<number> {
  const startedAt = performance.now();
  const pops = shownNow(proofs, url, systemClock(null)).map(({ pop }) => pop);
  const lane = async () => {
    for (let pop = pops.pop(); pop !== undefined; pop = pops.pop()) await (await fetch(pop)).arrayBuffer();
  };
  await Promise.all(Array.from({ length: SENDS_AT_ONCE }, lane));
  return proofs / ((performance.now() - startedAt) / 1000);
}
