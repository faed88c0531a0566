import { describe, expect, it } from "vitest";
import { createMetrics } from "../../../src/player/health/metrics.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { proofOf, proofStoreIn } from "../proofs/proofs.ts";

describe("the metrics", () => {
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
    metrics.readFrom({ proofs: () => store.counts(), cache: () => ({ files: 3, bytes: 77 }) });
    expect(await metrics.registry.metrics()).toContain('spotloop_proofs{state="owed"} 0');
    store.owe(proofOf("a", 0), serviceClock.moment());
    const text = await metrics.registry.metrics();
    expect(text).toContain('spotloop_proofs{state="owed"} 1');
    expect(text).toContain("spotloop_proof_oldest_deadline_seconds 4600");
    expect(text).toContain("spotloop_cache_bytes 77");
    expect(text).toContain("spotloop_cache_files 3");
  });

  it("are not shared between two players in one process", async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.houseSeconds.inc(5);
    expect(await other.registry.metrics()).toContain("spotloop_house_seconds_total 0");
  });
});
