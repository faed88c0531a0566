import type { Hono } from "hono";
import type { Registry } from "prom-client";
import { violations } from "../audit/audit.ts";
import { inForce } from "../faults/choose.ts";
import type { Env } from "../http/answers.ts";
import type { Journal } from "../http/journal.ts";
import type { Network } from "../network.ts";
import { type LedgerItem, spotState } from "../spot/ledger.ts";

/** What was counted of calls that are alike. */
interface Tally {
  readonly labels: { readonly listener: string; readonly route: string; readonly status: number };
  calls: number;
  seconds: number;
  faults: number;
}

/** Loaded at the first scrape: nobody else should wait for it at the start. */
type PromClient = typeof import("prom-client");

/**
 * Adds `/metrics` for Prometheus. Calls are counted from the start on; what the gauges say is of the network as it is,
 * so a reset, or giving way in the ledger, takes them down.
 */
export function addMetrics(app: Hono<Env>, network: Network): void {
  const tallies = tallied(network.journal);
  let made: Promise<Registry> | null = null;
  app.get("/metrics", async (c) => {
    made ??= import("prom-client").then((client) => registryOf(client, network, tallies));
    const registry = await made;
    return c.text(await registry.metrics(), 200, { "content-type": registry.contentType });
  });
}

/** Listeners, routes and statuses are few, so these are too. */
function tallied(journal: Journal): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  journal.onAdded(({ listener, route, status, ms, fault }) => {
    const key = `${listener}/${route}/${status}`;
    const tally = tallies.get(key) ?? newTally({ listener, route: route ?? "none", status });
    tally.calls += 1;
    tally.seconds += ms / 1000;
    tally.faults += fault === null ? 0 : 1;
    tallies.set(key, tally);
  });
  return tallies;
}

function newTally(labels: Tally["labels"]): Tally {
  return { labels, calls: 0, seconds: 0, faults: 0 };
}

function registryOf(client: PromClient, network: Network, tallies: ReadonlyMap<string, Tally>): Registry {
  const registry = new client.Registry();
  countCalls(client, registry, tallies);
  gaugeLedger(client, registry, network);
  gaugeRest(client, registry, network);
  return registry;
}

function countCalls({ Counter }: PromClient, registry: Registry, tallies: ReadonlyMap<string, Tally>): void {
  const counter = (name: string, help: string, count: (tally: Tally) => number) =>
    new Counter({
      name: `spotloop_emulator_${name}`,
      help,
      labelNames: ["listener", "route", "status"],
      registers: [registry],
      collect() {
        this.reset();
        for (const tally of tallies.values()) this.inc(tally.labels, count(tally));
      },
    });
  counter("calls_total", "Calls by listener, route and status; status 0 is none", ({ calls }) => calls);
  counter("answer_seconds_total", "Real time to the heads of answers, faults included", ({ seconds }) => seconds);
  counter("faults_total", "Calls that a fault was put in the way of", ({ faults }) => faults);
}

function gaugeLedger({ Gauge }: PromClient, registry: Registry, network: Network): void {
  const registers = [registry];
  new Gauge({
    name: "spotloop_emulator_spots",
    help: "Spots in the ledger by state",
    labelNames: ["state"],
    registers,
    collect() {
      const now = network.clock.now();
      this.reset();
      for (const state of ["open", "proved", "lapsed"] as const) this.set({ state }, 0);
      for (const spot of network.state.ledger.spots.values()) this.inc({ state: spotState(spot, now) });
    },
  });
  new Gauge({
    name: "spotloop_emulator_items",
    help: "Items in the ledger by kind",
    labelNames: ["kind"],
    registers,
    collect() {
      for (const kind of ["news", "ad"] as const) this.set({ kind }, 0);
      for (const [kind] of items(network)) this.inc({ kind });
    },
  });
  new Gauge({
    name: "spotloop_emulator_pops",
    help: "Calls of proof-of-play URLs in the ledger by kind of item and verdict",
    labelNames: ["kind", "verdict"],
    registers,
    collect() {
      this.reset();
      for (const [kind, { pops }] of items(network)) {
        for (const { verdict } of pops) this.inc({ kind, verdict });
      }
    },
  });
}

function gaugeRest({ Gauge }: PromClient, registry: Registry, network: Network): void {
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `spotloop_emulator_${name}`,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge("violations", "What the auditor has found", () => violations(network).length);
  gauge("faults_in_force", "Rules for faults", () => inForce(network.state.faults, network.clock.now()).length);
  gauge("clock_seconds", "The virtual clock, since the Unix epoch", () => network.clock.now() / 1000);
}

function* items({ state }: Network): Generator<[kind: "news" | "ad", item: LedgerItem]> {
  for (const spot of state.ledger.spots.values()) {
    for (const kind of KINDS) {
      const item = spot[kind];
      if (item !== null) yield [kind, item];
    }
  }
}

const KINDS = ["news", "ad"] as const;
