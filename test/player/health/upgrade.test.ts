import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { upgradeFindings } from "../../../src/cli/doctor/examine.ts";
import { HealthWatch } from "../../../src/player/health/health-watch.ts";
import { createMetrics } from "../../../src/player/health/metrics.ts";
import { readUpgrade, tellVitals } from "../../../src/player/health/upgrade.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { anItem, aSpot } from "../../support/player/spots.ts";
import { proofOf, proofStoreIn } from "../proofs/proofs.ts";

const DAY_MS = 24 * 3_600_000;

/** What is told of a player with these screens, of which some proved in this run, and some in an earlier one. */
async function told(parts: {
  readonly screens: Readonly<Record<string, { readonly isExpectedToShow: boolean }>>;
  readonly own?: readonly string[];
  readonly earlier?: readonly string[];
  readonly sinceMs?: number;
  readonly network?: "ok" | "portal";
}): Promise<string> {
  const { screens, own = [], earlier = [], sinceMs = 0, network = "ok" } = parts;
  const folder = temporaryFolder();
  const clock = new ManualClock();
  const serviceClock = new ServiceClock(clock);
  const proofs = proofStoreIn(folder);
  for (const screenId of earlier) proofs.owe(proofOf(`p-${screenId}`, 0, { screenId }), serviceClock.read());
  for (const proof of proofs.due(serviceClock.read(), "never", 10, [])) {
    proofs.settle([{ proof, verdict: { kind: "delivered" }, answer: "accepted" }], serviceClock.read());
  }
  await clock.advance(sinceMs);
  const ending = new AbortController();
  const player = {
    ...{ proofs, serviceClock, network, ownProved: new Set(own) },
    screens: Object.entries(screens).map(([screenId, health]) => ({ screenId, health })),
  };
  void tellVitals({ folder, version: "0.2.0-standin", player, clock, signal: ending.signal });
  ending.abort();
  proofs.close();
  return readFileSync(join(folder, "vitals"), "utf8");
}

const waits = { isExpectedToShow: true };
const rests = { isExpectedToShow: false };

describe("what a player tells whoever watches over an upgrade", () => {
  it("is its version as the package has it, and when it was told", async () => {
    expect(await told({ screens: { a: waits } })).toMatch(
      /^version=0\.2\.0~standin\nbeat=\d+\nusual=0\nproved=0\nexpected=1\n$/,
    );
  });

  it("counts the screens that proved in the last days as usual, and those of this run alone as proved", async () => {
    const text = await told({
      screens: { a: waits, b: waits, c: waits },
      own: ["a"],
      earlier: ["a", "b"],
      sinceMs: DAY_MS,
    });
    expect(text).toContain("usual=2\nproved=1\n");
    expect(await told({ screens: { a: waits }, earlier: ["a"], sinceMs: 8 * DAY_MS })).toContain("usual=0");
  });

  it("expects nothing of screens that have proved, are closed or in the dark, nor behind a captive portal", async () => {
    expect(await told({ screens: { a: waits, b: rests }, own: ["a"] })).toContain("expected=0");
    expect(await told({ screens: { a: rests } })).toContain("expected=0");
    expect(await told({ screens: { a: waits }, network: "portal" })).toContain("expected=0");
  });

  it("is told again and again, and not where it cannot be written", async () => {
    const clock = new ManualClock();
    const folder = temporaryFolder();
    const serviceClock = new ServiceClock(clock);
    const proofs = proofStoreIn(folder);
    const own = new Set<string>();
    const player = {
      ...{ proofs, serviceClock, ownProved: own },
      network: "ok" as const,
      screens: [{ screenId: "a", health: waits }],
    };
    const ending = new AbortController();
    const telling = tellVitals({ folder, version: "1.0.0", player, clock, signal: ending.signal });
    const lost = tellVitals({ folder: join(folder, "gone"), version: "1.0.0", player, clock, signal: ending.signal });
    own.add("a");
    await clock.advance(20_000);
    expect(readFileSync(join(folder, "vitals"), "utf8")).toContain("proved=1");
    ending.abort();
    await Promise.all([telling, lost]);
    expect(existsSync(join(folder, "gone"))).toBe(false);
    proofs.close();
  });
});

describe("whether a screen is expected to show", () => {
  const health = () => new HealthWatch(new ManualClock(), createMetrics().of("screen"));

  it("is so when it has just begun, has a spot, or is refused by a service that answers", () => {
    const watch = health();
    expect(watch.isExpectedToShow).toBe(true);
    watch.noteAsked({ kind: "spot", spot: aSpot(), items: [anItem("ad")] } as never);
    expect(watch.isExpectedToShow).toBe(true);
    watch.noteAsked({ kind: "denied", status: 403 } as never);
    expect(watch.isExpectedToShow).toBe(true);
  });

  it("is not while the service has nothing, asks to wait or is out of reach", () => {
    for (const outcome of [{ kind: "empty" }, { kind: "limited" }, { kind: "unavailable", reason: "timeout" }]) {
      const watch = health();
      watch.noteAsked(outcome as never);
      expect(watch.isExpectedToShow).toBe(false);
    }
  });
});

describe("where an upgrade stands", () => {
  const written = (text: string) => {
    const path = join(temporaryFolder(), "state");
    writeFileSync(path, text);
    return readUpgrade(path);
  };

  it("is read as it was written, and is nothing where it was not, or not in words that are known", () => {
    const text = "phase=rolled-back\nfrom=0.1.0~standin\nto=0.2.0\nusual=\nclock=600\n";
    expect(written(text)).toEqual({ phase: "rolled-back", from: "0.1.0~standin", to: "0.2.0" });
    expect(written("phase=later\nfrom=1\nto=2\n")).toBeNull();
    expect(readUpgrade(join(temporaryFolder(), "none"))).toBeNull();
  });

  it("is told by spotloop doctor, with what to do where a version was taken back", () => {
    const found = (phase: string) => upgradeFindings(written(`phase=${phase}\nfrom=1.0\nto=1.1\n`));
    expect(upgradeFindings(null)).toEqual([]);
    expect(found("proved")).toMatchObject([{ name: "upgrade", verdict: "ok" }]);
    expect(found("rolled-back")).toMatchObject([
      { verdict: "warning", text: "1.1 did not prove, and was taken back to 1.0" },
    ]);
    expect(found("stuck")).toMatchObject([{ verdict: "failed", code: 1 }]);
  });
});
