import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Instant } from "../../../src/core/spot.ts";
import { treeUsage } from "../../support/machine/tree-usage.ts";
import { samplesIn } from "../../support/monitoring.ts";
import type { FleetNetwork } from "../network.ts";
import { durationAt, type Pace } from "../pace.ts";
import type { MonitoringProgram, Target } from "./programs.ts";
import { query } from "./watch.ts";

/** What a healthy fleet costs; what is of an hour or a minute is of the fleet's time. */
export interface Figures {
  readonly players: number;
  /** As many as the server sees: some of the players under several names. */
  readonly seenPlayers: number;
  /** How much of the fleet's time was measured. */
  readonly minutes: number;
  /** The share of all scrapes that came: much less than 1 tells that the machine could not keep up. */
  readonly scrapedShare: number;
  /** Calls of one player on the service and the media listener in an hour, by route. */
  readonly callsPerHour: Readonly<Record<string, number>>;
  readonly failedCalls: number;
  readonly seriesPerPlayer: number;
  readonly bytesPerScrape: number;
  /** What an agent with one player pushes a minute, compressed, without the heads of its requests. */
  readonly pushedBytesPerMinute: number;
  readonly pushesPerMinute: number;
  /** Of the server of the whole fleet. */
  readonly serverMemoryBytes: number;
  readonly serverSeries: number;
  /** Of one core, in real time. */
  readonly serverProcessorShare: number;
  readonly agentMemoryBytes: number;
  /** Of the server's disk, once it is written into a block. */
  readonly bytesPerSample: number;
  readonly samplesInBlock: number;
}

/** The parts of a fleet that are measured. */
export interface Measured {
  readonly network: FleetNetwork;
  readonly server: MonitoringProgram;
  /** One that reads one player. */
  readonly agent: MonitoringProgram;
  /** The player that is looked at. */
  readonly target: Target;
  readonly players: number;
  readonly seenPlayers: number;
  readonly pace: Pace;
}

/** As in `agent.yml`: one every 30 s. */
const SCRAPES_PER_MINUTE = 2;

interface Reading {
  readonly at: Instant;
  /** Real time, in seconds. */
  readonly realSeconds: number;
  readonly serverSeconds: number;
  readonly calls: ReadonlyMap<string, number>;
  readonly failed: number;
  readonly pushed: number;
  readonly pushes: number;
}

/** Begins to measure; the function it returns ends that, and resolves with what was found. `time` is the fleet's. */
export async function measure(measured: Measured, time: () => Instant): Promise<() => Promise<Figures>> {
  const before = await read(measured, time());
  return async () => {
    const after = await read(measured, time());
    const minutes = (after.at - before.at) / 60_000;
    const { server, agent, target, players, seenPlayers, pace } = measured;
    const perHour = ([route, count]: readonly [string, number]) => {
      return [route, ((count - (before.calls.get(route) ?? 0)) / players / minutes) * 60] as const;
    };
    const window = durationAt(pace.speed, after.at - before.at);
    const scrapes = await query(server, `sum(sum_over_time(up[${window}]))`);
    const serverSeconds = after.serverSeconds - before.serverSeconds;
    const aMinute = (what: "pushed" | "pushes") => (after[what] - before[what]) / minutes;
    const scrape = await textOf(`http://127.0.0.1:${target.healthPort}/metrics`);
    return {
      ...{ players, seenPlayers, minutes },
      scrapedShare: scrapes / (seenPlayers * minutes * SCRAPES_PER_MINUTE),
      callsPerHour: Object.fromEntries([...after.calls].map(perHour)),
      failedCalls: after.failed - before.failed,
      seriesPerPlayer: await query(server, `count({instance="${target.name}"})`),
      bytesPerScrape: Buffer.byteLength(scrape),
      pushedBytesPerMinute: aMinute("pushed"),
      pushesPerMinute: aMinute("pushes"),
      serverMemoryBytes: treeUsage(server.pid).pssBytes,
      serverSeries: await query(server, "count({job='spotloop'})"),
      serverProcessorShare: serverSeconds / (after.realSeconds - before.realSeconds),
      agentMemoryBytes: treeUsage(agent.pid).pssBytes,
      ...(await blockOf(server)),
    };
  };
}

async function read({ network, agent, server }: Measured, at: Instant): Promise<Reading> {
  const calls = await network.calls();
  const byRoute = new Map<string, number>();
  for (const { route, count } of calls) byRoute.set(route, (byRoute.get(route) ?? 0) + count);
  const agentSamples = samplesIn(await textOf(`${agent.origin}/metrics`));
  const total = (name: string) =>
    agentSamples.filter((one) => one.name === name).reduce((sum, { value }) => sum + value, 0);
  return {
    at,
    realSeconds: performance.now() / 1_000,
    serverSeconds: treeUsage(server.pid).cpuSeconds,
    calls: byRoute,
    failed: sumOf(calls.filter(({ status }) => status === 0 || status >= 400).map(({ count }) => count)),
    pushed: total("prometheus_remote_storage_bytes_total"),
    pushes: total("prometheus_remote_storage_sent_batch_duration_seconds_count"),
  };
}

const snapshotSchema = z.object({ data: z.object({ name: z.string() }) });
const blockSchema = z.object({ stats: z.object({ numSamples: z.number(), numSeries: z.number() }) });

/** Has the server write all that it knows into a block, and weighs that. */
async function blockOf({ origin, folder }: MonitoringProgram) {
  const response = await fetch(`${origin}/api/v1/admin/tsdb/snapshot`, { method: "POST" });
  const { name } = snapshotSchema.parse(await response.json()).data;
  const snapshot = join(folder, "data", "snapshots", name);
  const blocks = readdirSync(snapshot).map((block) => {
    const meta = blockSchema.parse(JSON.parse(readFileSync(join(snapshot, block, "meta.json"), "utf8")));
    return { bytes: sizeOf(join(snapshot, block)), samples: meta.stats.numSamples };
  });
  const [bytes, samples] = [blocks.map((one) => one.bytes), blocks.map((one) => one.samples)].map(sumOf);
  return { bytesPerSample: (bytes ?? 0) / (samples ?? 0), samplesInBlock: samples ?? 0 };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return sumOf(entries.map(({ parentPath, name }) => statSync(join(parentPath, name)).size));
}

async function textOf(url: string): Promise<string> {
  return (await fetch(url)).text();
}
