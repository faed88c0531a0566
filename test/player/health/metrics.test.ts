import { describe, expect, it } from "vitest";
import { registerGauges } from "../../../src/player/health/gauges.ts";
import type { MetricSources, ScreenVitals } from "../../../src/player/health/metric-sources.ts";
import { createMetrics } from "../../../src/player/health/metrics.ts";
import type { Upgrade } from "../../../src/player/health/upgrade.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { proofOf, proofStoreIn } from "../proofs/proofs.ts";

const lobby: ScreenVitals = {
  screenId: "lobby",
  state: "playing",
  display: "on",
  panel: "unknown",
  isPanelFailing: false,
  ads: { state: "possible", opensAt: null },
  service: "ok",
  isFailing: false,
  shownAt: 5_000,
  provedAt: null,
};

/** A player that is well and owes nothing, and has neither limits nor an eMMC. */
function sources(changes: Partial<MetricSources> = {}): MetricSources {
  return {
    startedAt: 1_000,
    screens: () => [lobby],
    proofs: () => ({ owed: 0, delivered: 0, refused: 0, expired: 0, oldestDeadline: null }),
    record: () => ({ rows: 0, unwritten: 0, signedAt: null, trouble: null }),
    cache: () => ({ files: 3, bytes: 77, maxBytes: 100, reserveBytes: 50 }),
    data: () => ({ month: "2026-10", usedBytes: 55, monthlyBytes: null, refused: 2 }),
    clock: () => ({ now: 10_000, offsetMs: null, uncertaintyMs: null }),
    recovery: () => ({
      ...{ rendering: "hardware", softwareUntil: null, safeMode: false },
      ...{ restartsInARow: 0, lastTrouble: null },
    }),
    remote: () => ({ broker: null, shown: null, messageSince: null, displays: "on" }),
    blocklisted: () => 0,
    disk: async () => ({ freeBytes: 60, sizeBytes: 600, wornRatio: null }),
    upgrade: () => null,
    memory: () => ({ main: 1, page: 2 }),
    ...changes,
  };
}

/** The samples of a scrape, without what describes them. */
async function scraped(changes: Partial<MetricSources>, several = false): Promise<readonly string[]> {
  const metrics = createMetrics(several);
  registerGauges(metrics, sources(changes));
  return (await metrics.registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

describe("the metrics", () => {
  it("are told without what cannot be read", async () => {
    const told = await scraped({
      blocklisted: () => {
        throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
      },
    });
    expect(told).toContain("spotloop_cache_files 3");
    expect(told.some((line) => line.startsWith("spotloop_blocklist"))).toBe(false);
  });

  it("count what the player tells them", async () => {
    const metrics = createMetrics();
    metrics.spotRequests.inc({ outcome: "spot" });
    metrics.itemsFailed.inc({ kind: "ad", reason: "stalled" });
    metrics.downloadedBytes.inc(1_000);
    metrics.takeLateness.observe(0.02);
    const text = await metrics.registry.metrics();
    expect(text).toContain('spotloop_spot_requests_total{outcome="spot"} 1');
    expect(text).toContain('spotloop_items_failed_total{kind="ad",reason="stalled"} 1');
    expect(text).toContain("spotloop_downloaded_bytes_total 1000");
    expect(text).toContain('spotloop_take_lateness_seconds_bucket{le="0.034"} 1');
  });

  it("read proofs and cache at each scrape", async () => {
    const serviceClock = new ServiceClock(new ManualClock(1_000_000));
    const store = proofStoreIn(temporaryFolder());
    const metrics = createMetrics();
    registerGauges(metrics, sources({ proofs: () => store.counts() }));
    expect(await metrics.registry.metrics()).toContain('spotloop_proofs{state="owed"} 0');
    store.owe(proofOf("a", 0), serviceClock.read());
    const text = await metrics.registry.metrics();
    expect(text).toContain('spotloop_proofs{state="owed"} 1');
    expect(text).toContain("spotloop_proof_oldest_deadline_seconds 4600");
    expect(text).toContain("spotloop_cache_bytes 77");
    expect(text).toContain("spotloop_cache_files 3");
    expect(text).toContain("spotloop_data_month_bytes 55");
    expect(text).toContain("spotloop_data_month_refused 2");
  });

  it("tell of an upgrade that was taken back, and nothing of upgrades where there was none", async () => {
    const told = async (phase: Upgrade["phase"]) => {
      const lines = await scraped({ upgrade: () => ({ phase, from: "1.0", to: "1.1" }) });
      return lines.filter((line) => line.startsWith("spotloop_upgrade"));
    };
    expect(await told("rolled-back")).toEqual(["spotloop_upgrade_taken_back 1"]);
    expect(await told("stuck")).toEqual(["spotloop_upgrade_taken_back 1"]);
    expect(await told("proved")).toEqual(["spotloop_upgrade_taken_back 0"]);
    expect((await scraped({})).join("\n")).not.toContain("spotloop_upgrade");
  });

  it("tell each state of a screen as a series, and 1 for the one that it is in", async () => {
    const lines = await scraped({ screens: () => [{ ...lobby, state: "hidden", service: "portal" }] });
    expect(lines.filter((line) => line.startsWith("spotloop_screen_state"))).toEqual([
      'spotloop_screen_state{state="playing"} 0',
      'spotloop_screen_state{state="house"} 0',
      'spotloop_screen_state{state="closed"} 0',
      'spotloop_screen_state{state="hidden"} 1',
      'spotloop_screen_state{state="overridden"} 0',
      'spotloop_screen_state{state="off"} 0',
    ]);
    expect(lines).toContain('spotloop_service_state{state="portal"} 1');
  });

  it("name the screen where there are several", async () => {
    const hall: ScreenVitals = {
      ...lobby,
      screenId: "hall",
      ads: { state: "closed", opensAt: 9_000 },
      isFailing: true,
    };
    const lines = await scraped({ screens: () => [lobby, hall] }, true);
    expect(lines).toEqual(
      expect.arrayContaining([
        'spotloop_screen_state{screen="hall",state="playing"} 1',
        'spotloop_ads_state{screen="lobby",state="possible"} 1',
        'spotloop_ads_state{screen="hall",state="closed"} 1',
        'spotloop_opens_timestamp_seconds{screen="hall"} 9',
        'spotloop_screen_failing{screen="hall"} 1',
        'spotloop_last_shown_timestamp_seconds{screen="hall"} 5',
        'spotloop_last_proved_timestamp_seconds{screen="hall"} 0',
      ]),
    );
    expect(lines.filter((line) => line.startsWith("spotloop_opens"))).toHaveLength(1);
  });

  it("tell nothing where nothing is known, rather than 0", async () => {
    const nothing = await scraped({});
    const unknown = [
      "opens_timestamp",
      "proof_oldest_age",
      "proof_oldest_remaining",
      "clock_offset",
      "clock_uncertainty",
    ];
    const names = [...unknown.map((name) => `${name}_seconds`), "data_month_limit_bytes", "disk_wear_ratio"];
    for (const name of names) expect(nothing.filter((line) => line.startsWith(`spotloop_${name}`))).toEqual([]);
    const told = await scraped({
      proofs: () => ({ owed: 1, delivered: 0, refused: 0, expired: 0, oldestDeadline: 70_000 }),
      clock: () => ({ now: 10_000, offsetMs: -2_500, uncertaintyMs: 40 }),
      data: () => ({ month: "2026-10", usedBytes: 55, monthlyBytes: 50, refused: 2 }),
      disk: async () => ({ freeBytes: 60, sizeBytes: 600, wornRatio: 0.3 }),
    });
    expect(told).toEqual(
      expect.arrayContaining([
        "spotloop_proof_oldest_age_seconds 3540",
        "spotloop_proof_oldest_remaining_seconds 60",
        "spotloop_clock_offset_seconds -2.5",
        "spotloop_clock_uncertainty_seconds 0.04",
        "spotloop_data_month_limit_bytes 50",
        "spotloop_disk_wear_ratio 0.3",
      ]),
    );
  });

  it("forget at the next scrape what is not known any more", async () => {
    const metrics = createMetrics();
    let offsetMs: number | null = 1_000;
    registerGauges(metrics, sources({ clock: () => ({ now: 0, offsetMs, uncertaintyMs: null }) }));
    expect(await metrics.registry.metrics()).toContain("spotloop_clock_offset_seconds 1");
    offsetMs = null;
    expect(await metrics.registry.metrics()).not.toMatch(/^spotloop_clock_offset_seconds/m);
  });

  it("are not shared between two players in one process", async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.houseSeconds.inc(5);
    expect(await other.registry.metrics()).toContain("spotloop_house_seconds_total 0");
  });
});
