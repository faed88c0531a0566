import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Instant } from "../../src/core/spot.ts";
import type { Cause } from "./causes.ts";
import type { KioskSpec, KiosksSpec } from "./kiosks/player.ts";
import { type KioskProcess, kioskProcess } from "./kiosks/process.ts";
import { type MonitoringProgram, startAgent, startAlertmanager, startServer } from "./monitoring/programs.ts";
import { type AlertWatch, query, watchAlerts } from "./monitoring/watch.ts";
import { type FleetNetwork, ORG_TOKEN, startNetwork } from "./network.ts";
import { fleetTime, type Pace, realMs } from "./pace.ts";

/** A fleet that plays, and all that watches it. */
export interface Fleet {
  readonly pace: Pace;
  readonly network: FleetNetwork;
  readonly server: MonitoringProgram;
  readonly watch: AlertWatch;
  /** How many kiosks the server sees. */
  readonly seenPlayers: number;
  /** By name: those of causes by theirs, and the others. */
  readonly kiosks: ReadonlyMap<string, KioskSpec>;
  processOf(name: string): KioskProcess;
  /** The agent of its own that a kiosk has. */
  agentOf(name: string): MonitoringProgram;
  time(): Instant;
  /** Lets so much of the fleet's time pass, watching all the while. */
  pass(fleetMs: number): Promise<void>;
  onClose(act: () => unknown): void;
  close(): Promise<void>;
}

/** What a fleet is opened with. */
export interface FleetParts {
  readonly players: number;
  /** Each has a kiosk of its own; they are among the players. */
  readonly causes: readonly Cause[];
  /** Under how many machines' names each player without a cause is read, so that the server sees a larger fleet. */
  readonly copies: number;
  readonly speed: number;
  /** An empty one. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** How often is looked at the alerts, of the fleet's time, and of real time at least. */
const LOOK_EVERY_MS = 6_000;
const LOOK_AT_LEAST_MS = 250;
/** The disk of a kiosk that is to be filled. */
const DISK_BYTES = 144 * 1024 * 1024;
/** So little that such a player can still play when somebody else has filled it; the alert has a floor of its own. */
const SMALL_RESERVE_BYTES = 16 * 1024 * 1024;
const SEEN_WITHIN_MS = 300_000;

/** The kiosk that is always well, and has an agent of its own, as in the field. */
export const MEASURED = "well-01";

/** Opens a fleet, and resolves once the server has heard of each of its players. */
export async function openFleet(parts: FleetParts): Promise<Fleet> {
  const { players, causes, copies, speed, folder, signal, progress } = parts;
  const pace: Pace = { speed, startedAt: Date.now() };
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const act of closing.splice(0).reverse()) await act();
  };
  const keep = <T extends { stop(): Promise<void> }>(one: T): T => {
    closing.push(() => one.stop());
    return one;
  };
  const time = () => fleetTime(pace);
  try {
    progress("the screen network");
    const names = [...causes.map(({ name }) => name), ...otherNames(players - causes.length)];
    const placeOf = (name: string) => causes.find((cause) => cause.name === name)?.place ?? "open";
    const screens = names.map((name) => ({ screenId: `screen-${name}`, place: placeOf(name) }));
    const network = keep(await startNetwork(folder, screens, pace));
    const ports = await lowPorts(names.length);
    const specs = new Map<string, KioskSpec>();
    for (const [index, name] of names.entries()) {
      const dataDir = join(folder, "kiosks", name);
      const isSmall = causes.some((cause) => cause.name === name && cause.ownDisk);
      if (isSmall) closing.push(mountedDisk(dataDir));
      const settings = isSmall
        ? { cache: { minFreeBytes: SMALL_RESERVE_BYTES, maxBytes: SMALL_RESERVE_BYTES, maxItemBytes: 8 * 1024 * 1024 } }
        : {};
      specs.set(name, { name, screenId: `screen-${name}`, healthPort: ports[index] ?? 0, dataDir, settings });
    }
    const together = [...specs.values()].filter(({ name }) => !causes.some((cause) => cause.name === name));
    const alone = causes.flatMap(({ name }) => specs.get(name) ?? []);
    const shared: Omit<KiosksSpec, "kiosks"> = { pace, baseUrl: network.baseUrl, orgToken: ORG_TOKEN };
    const processes = [together, ...alone.map((one) => [one])].map((kiosks) => kioskProcess({ ...shared, kiosks }));
    for (const [index, one] of processes.entries()) {
      progress(`players, process ${index + 1} of ${processes.length}`);
      await one.start();
      closing.push(() => one.kill());
      signal.throwIfAborted();
    }

    progress("Prometheus and Alertmanager");
    const site = { folder, pace };
    const watch = await watchAlerts(time);
    closing.push(() => watch.close());
    const alertmanager = keep(await startAlertmanager(site, watch.webhook));
    const server = keep(await startServer(site, alertmanager.origin));
    const agents = new Map<string, MonitoringProgram>();
    const withAgents = causes.filter(({ ownAgent }) => ownAgent).map(({ name }) => name);
    for (const name of [MEASURED, ...withAgents]) {
      const target = specs.get(name);
      if (target !== undefined) agents.set(name, keep(await startAgent(site, name, [target], server.origin)));
    }
    const others = [...specs.values()].filter(({ name }) => !agents.has(name));
    const targets = others.flatMap(({ name, healthPort }) => {
      const isCopied = together.some((one) => one.name === name);
      const names = Array.from({ length: isCopied ? copies : 1 }, (_, copy) =>
        copy === 0 ? name : `${name}-${copy + 1}`,
      );
      return names.map((each) => ({ name: each, healthPort }));
    });
    keep(await startAgent(site, "several", targets, server.origin));
    const seenPlayers = agents.size + targets.length;

    const step = Math.max(realMs(pace, LOOK_EVERY_MS), LOOK_AT_LEAST_MS);
    const pass = async (fleetMs: number) => {
      const until = time() + fleetMs;
      while (time() < until) {
        await watch.look(server, alertmanager);
        await sleep(Math.min(step, Math.max(0, realMs(pace, until - time()))), undefined, { signal });
      }
    };
    progress("the first scrapes");
    const giveUpAt = performance.now() + SEEN_WITHIN_MS;
    while ((await query(server, "count(up == 1)")) < seenPlayers) {
      if (performance.now() > giveUpAt) throw new Error(`of ${seenPlayers} players not all are scraped`);
      await sleep(LOOK_AT_LEAST_MS, undefined, { signal });
    }
    return {
      ...{ pace, network, server, watch, seenPlayers, kiosks: specs, time, pass, close },
      processOf: (name) => found(processes.find(({ kiosks }) => kiosks.some((one) => one.name === name))),
      agentOf: (name) => found(agents.get(name)),
      onClose: (act) => void closing.push(act),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** From here on, and below those that the system gives to connections: a kiosk that starts again finds its own free. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

/** So many ports that nobody listens on, beginning at a random one. */
async function lowPorts(count: number): Promise<readonly number[]> {
  const found: number[] = [];
  const first = randomInt(FIRST_PORT, LAST_PORT - 10 * count);
  for (let port = first; found.length < count && port < LAST_PORT; port++) if (await isFree(port)) found.push(port);
  return found;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

function otherNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `well-${String(index + 1).padStart(2, "0")}`);
}

/** Mounts a small disk in memory at a folder; the function it returns takes it away. Only root may. */
function mountedDisk(path: string): () => void {
  mkdirSync(path, { recursive: true });
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "none", path]);
  if (status !== 0) throw new Error(`a small disk cannot be mounted at ${path}: ${stderr}`);
  return () => void spawnSync("umount", ["-l", path]);
}

function found<T>(one: T | undefined): T {
  if (one === undefined) throw new Error("there is no such kiosk in this fleet");
  return one;
}
