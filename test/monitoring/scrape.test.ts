import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { metricDescriptions, metricsTable } from "../../scripts/metrics-table.ts";
import { registerGauges } from "../../src/player/health/gauges.ts";
import { startHealth } from "../../src/player/health/health.ts";
import type { RecoveryReport } from "../../src/player/health/health-report.ts";
import { metricSources } from "../../src/player/health/metric-sources.ts";
import { ask, nextSpot, running } from "../emulator/running.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { checkBy, lackingCheckers, samplesIn } from "../support/monitoring.ts";
import { ManualClock } from "../support/player/manual-clock.ts";
import { openScenario, type ScenarioChanges, worldOpen } from "../support/player/scenario.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ROOT = join(import.meta.dirname, "..", "..");

/** A player whose metrics can be scraped. */
async function opened(changes: ScenarioChanges = {}) {
  const folder = temporaryFolder();
  const scenario = await openScenario(folder, changes);
  onTestFinished(() => scenario.close());
  const recovery = (): RecoveryReport => ({
    ...{ rendering: "software" as const, softwareUntil: null, safeMode: false },
    ...{ restartsInARow: 2, lastTrouble: "gpu" as const },
  });
  const metrics = scenario.metrics();
  const { player, clock } = scenario;
  const config = { dataDir: folder, cache: { maxBytes: 1e9, minFreeBytes: 1e8, maxItemBytes: 1e8 } };
  const memory = () => ({ main: process.memoryUsage.rss() });
  const panels = { truthOf: () => ({ state: "unknown" as const, by: [] }), troubleOf: () => null };
  const upgrade = () => ({ phase: "proved" as const, from: "1.0.0", to: "1.1.0" });
  const remote = () => ({ broker: true, shown: null, messageSince: null, displays: "on" as const });
  registerGauges(
    metrics,
    metricSources({ config, player: player(), panels, clock, recovery, remote, upgrade, memory }),
  );
  const report = () => {
    throw new Error("not asked for");
  };
  const health = await startHealth({ port: 0, metrics, report, screenshot: async () => null });
  if (health.kind !== "listening") throw new Error(health.code);
  onTestFinished(() => health.close());
  const scrape = async () => (await ask(`http://127.0.0.1:${health.port}`, "/metrics")).body.toString();
  return { scenario, scrape };
}

/** The value of a series of the only screen. */
function gaugeOf(scrape: string, name: string, state?: string): number | undefined {
  return samplesIn(scrape).find((one) => one.name === `spotloop_${name}` && one.labels.state === state)?.value;
}

/** The values of a metric of the only screen, by state. */
function statesOf(scrape: string, name: string): readonly string[] {
  const samples = samplesIn(scrape).filter((one) => one.name === `spotloop_${name}`);
  return samples.filter(({ value }) => value === 1).map(({ labels }) => labels.state ?? "");
}

describe("a scrape of a player", { timeout: 120_000 }, () => {
  it("tells when an item was last shown and proved, and what is in sight", async () => {
    const { scenario, scrape } = await opened();
    const before = await scrape();
    expect(["last_shown", "last_proved"].map((name) => gaugeOf(before, `${name}_timestamp_seconds`))).toEqual([0, 0]);
    expect([statesOf(before, "screen_state"), statesOf(before, "service_state")]).toEqual([["house"], ["unasked"]]);
    await scenario.pass(MINUTE);
    const after = await scrape();
    const now = scenario.clock.wall() / SECOND;
    for (const name of ["last_shown", "last_proved"]) {
      const at = gaugeOf(after, `${name}_timestamp_seconds`) ?? 0;
      expect([at > now - 30, at <= now + 1]).toEqual([true, true]);
    }
    const states = ["screen", "display", "panel", "ads", "service", "rendering"].map((name) =>
      statesOf(after, `${name}_state`),
    );
    expect(states).toEqual([["playing"], ["unknown"], ["unknown"], ["possible"], ["ok"], ["software"]]);
  });

  it("tells how old the oldest owed proof is, and how long there is to deliver it", async () => {
    const { scenario, scrape } = await opened();
    scenario.emulator.setFaults([{ match: { surface: "media", route: "pop" }, do: { status: 503 } }]);
    await scenario.pass(5 * MINUTE, SECOND);
    const text = await scrape();
    const age = gaugeOf(text, "proof_oldest_age_seconds") ?? 0;
    expect(age).toBeGreaterThan(4 * 60);
    expect(age + (gaugeOf(text, "proof_oldest_remaining_seconds") ?? 0)).toBe(3_600);
    expect(gaugeOf(text, "proofs", "owed")).toBeGreaterThan(0);
  });

  it("says that a screen is closed, and when it opens", async () => {
    const clock = new ManualClock(Date.parse("2026-01-01T00:30:00Z"));
    const world = worldOpen("thu 03:00-24:00");
    const { scenario, scrape } = await opened({ clock, world, respectHours: true });
    await scenario.pass(2 * MINUTE, SECOND);
    const text = await scrape();
    const states = ["screen", "display", "ads"].map((name) => statesOf(text, `${name}_state`));
    expect(states).toEqual([["closed"], ["blanked"], ["closed"]]);
    expect(gaugeOf(text, "opens_timestamp_seconds")).toBe(Date.parse("2026-01-01T02:00:00Z") / SECOND);
  });

  it("says that a place is not approved, though it plays at all hours", async () => {
    const world = worldOpen("always");
    for (const { locations = [] } of world.organizations) for (const one of locations) one.status = "REVIEW";
    const { scenario, scrape } = await opened({ world });
    await scenario.pass(MINUTE);
    const text = await scrape();
    expect([statesOf(text, "ads_state"), statesOf(text, "screen_state")]).toEqual([["unapproved"], ["house"]]);
    expect(gaugeOf(text, "screen_failing")).toBe(0);
  });

  it("says that a captive portal answers in the service's place", async () => {
    const page = () => new Response("<h1>Welcome</h1>", { headers: { "content-type": "text/html" } });
    const { scenario, scrape } = await opened({ meddle: page });
    await scenario.pass(MINUTE);
    expect(statesOf(await scrape(), "service_state")).toEqual(["portal"]);
  });

  it("looks at the disk, and counts the cache, once a minute", async () => {
    const { scenario, scrape } = await opened();
    const first = await scrape();
    expect(gaugeOf(first, "disk_free_bytes")).toBeGreaterThan(0);
    await scenario.pass(50 * SECOND);
    expect(gaugeOf(await scrape(), "cache_files")).toBe(gaugeOf(first, "cache_files"));
    await scenario.pass(20 * SECOND);
    expect(gaugeOf(await scrape(), "cache_files")).toBeGreaterThan(gaugeOf(first, "cache_files") ?? 0);
  });
});

describe("the list of metrics in the docs", { timeout: 120_000 }, () => {
  const page = readFileSync(join(ROOT, "docs", "monitoring.md"), "utf8");

  it("is what the player registers; if not, run scripts/make-metrics-table.ts", () => {
    expect(page).toContain(`<!-- metrics -->\n\n${metricsTable()}\n<!-- /metrics -->`);
  });

  it("has all that a player tells, with its labels, and a player tells all that it has", async () => {
    const clock = new ManualClock(Date.parse("2026-01-01T00:59:00Z"));
    const changes = { world: worldOpen("thu 00:00-02:00"), config: { network: { monthlyBytes: 1e9 } } };
    const { scenario, scrape } = await opened({ clock, ...changes });
    scenario.emulator.setFaults([{ match: { surface: "media", route: "pop" }, skip: 2, do: { status: 503 } }]);
    await scenario.pass(3 * MINUTE);
    const listed = new Map(metricDescriptions().map((one) => [one.name, one]));
    const told = samplesIn(await scrape()).map(({ name, labels }) => {
      return { name: listed.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ""), labels };
    });
    expect(told.map(({ name }) => name).filter((name) => !listed.has(name))).toEqual([]);
    for (const { name, labels } of told) {
      const known = ["le", ...(listed.get(name)?.labels ?? [])];
      expect([name, Object.keys(labels).filter((label) => !known.includes(label))]).toEqual([name, []]);
    }
    const untold = [...listed.keys()].filter((name) => !told.some((one) => one.name === name));
    expect(untold).toEqual(NOT_HERE);
  });
});

/** What only an item that fails, a command from afar, the application itself, or a machine with an eMMC has. */
const NOT_HERE = [
  ...["spotloop_items_failed_total", "spotloop_remote_commands_total", "spotloop_remote_connections_total"],
  ...["spotloop_build_info", "spotloop_disk_wear_ratio"],
];

const lacking = lackingCheckers("promtool");

describe.skipIf(lacking !== null)(`what Prometheus has to say (${lacking ?? "promtool is there"})`, () => {
  it("of a scrape of a player is nothing", async () => {
    const { scenario, scrape } = await opened();
    await scenario.pass(20 * SECOND);
    expect(checkBy("promtool", ["check", "metrics"], { input: await scrape() })).toEqual({ ok: true, said: "" });
  });

  it("of a scrape of an emulator is nothing", async () => {
    const emulator = await running();
    await nextSpot(emulator);
    const input = (await ask(emulator.controlUrl, "/metrics")).body.toString();
    expect(checkBy("promtool", ["check", "metrics"], { input })).toEqual({ ok: true, said: "" });
  });
});
