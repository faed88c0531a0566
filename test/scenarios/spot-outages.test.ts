import { describe, expect, it, onTestFinished } from "vitest";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { openScenario, type Scenario, type ScenarioChanges } from "../support/player/scenario.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Finer than any wait between two requests. */
const STEP_MS = 2 * SECOND;

type Mischief = FaultFile["do"];

/** What comes between a screen and its spots, and the longest that the player may back off meanwhile (G6, G7). */
const TROUBLES: Readonly<Record<string, { readonly faults: readonly Mischief[]; readonly restMs: number }>> = {
  "a reset": { faults: [{ reset: true }], restMs: 2 * MINUTE },
  "408": { faults: [{ status: 408 }], restMs: 2 * MINUTE },
  "500": { faults: [{ status: 500 }], restMs: 2 * MINUTE },
  "503 that names a wait": { faults: [{ status: 503, retryAfter: 20 }], restMs: 20 * SECOND },
  "429 without Retry-After": { faults: [{ status: 429 }], restMs: 30 * SECOND },
  "429 with Retry-After in seconds": { faults: [{ retryAfter: 90 }], restMs: 90 * SECOND },
  "401": { faults: [{ status: 401 }], restMs: 5 * MINUTE },
  "403": { faults: [{ status: 403 }], restMs: 5 * MINUTE },
  "404": { faults: [{ status: 404 }], restMs: 5 * MINUTE },
  "204": { faults: [{ empty: true }], restMs: 2 * MINUTE },
  "half an answer": { faults: [{ malformedJson: true }], restMs: 2 * MINUTE },
  "HTML with 200": {
    faults: [{ status: 200, body: "<h1>Maintenance</h1>", contentType: "text/html" }],
    restMs: 2 * MINUTE,
  },
  "redirects round in circles": { faults: [{ redirect: true }], restMs: 2 * MINUTE },
  "no fill": { faults: [{ patch: { data: { news: null, ad: null } } }], restMs: 2 * MINUTE },
  "all of them in turn": {
    faults: [{ status: 500 }, { reset: true }, { empty: true }, { status: 429 }, { malformedJson: true }],
    restMs: 2 * MINUTE,
  },
};

describe.each(Object.entries(TROUBLES))("a screen whose spot requests meet %s", { timeout: 600_000 }, (_, trouble) => {
  it.each([
    ["5 s", 5 * SECOND],
    ["61 min", 61 * MINUTE],
  ])(
    "for %s shows house content, proves nothing but what was shown, and plays on after the rest",
    async (_l, forMs) => {
      const scenario = await opened();
      const { emulator, stage } = scenario;
      await scenario.pass(20 * SECOND);
      emulator.setFaults(spotFaults(trouble.faults));
      await scenario.pass(forMs, STEP_MS);
      const before = { showings: stage.showings.length, asked: asked(scenario) };
      emulator.setFaults([]);
      await scenario.pass(trouble.restMs + MINUTE, STEP_MS);
      expect(stage.showings.length).toBeGreaterThan(before.showings);
      expect(asked(scenario)).toBeGreaterThan(before.asked);
      await scenario.pass(5 * SECOND);
      expectHonest(scenario);
    },
  );
});

it("asks again in a long outage no more often than the doubling waits have it (G6)", async () => {
  const scenario = await opened();
  scenario.emulator.setFaults(spotFaults([{ empty: true }]));
  await scenario.pass(60 * MINUTE, STEP_MS);
  // Two at once, then 2, 4, 8 … 64 s, then every 120 s: with the jitter of this run 35 in an hour.
  expect(asked(scenario)).toBeGreaterThanOrEqual(30);
  expect(asked(scenario)).toBeLessThanOrEqual(40);
});

it("is asked for again at once after the first no fill, and after one fill begins anew (G6)", async () => {
  const scenario = await opened();
  scenario.emulator.setFaults([{ ...spotFaults([{ empty: true }])[0], times: 1 } as FaultFile]);
  await scenario.pass(5 * SECOND);
  expect(asked(scenario)).toBeGreaterThanOrEqual(2);
  expect(scenario.stage.showings.length + scenario.screen().loop.state().queue.length).toBeGreaterThan(0);
});

async function opened(changes: ScenarioChanges = {}): Promise<Scenario> {
  const scenario = await openScenario(temporaryFolder(), changes);
  onTestFinished(() => scenario.close());
  return scenario;
}

function spotFaults(faults: readonly Mischief[]): FaultFile[] {
  const match = { surface: "service", route: "spot" } as const;
  return faults.map((faultAction, index) => ({
    match,
    do: faultAction,
    probability: index === faults.length - 1 ? 1 : 0.3,
  }));
}

function asked({ emulator }: Scenario): number {
  return emulator.calls().filter(({ route }) => route === "spot").length;
}

/** Every item that was shown is proved once, and no other; the network has nothing to complain about. */
function expectHonest({ emulator, stage, player }: Scenario): void {
  const { owed, delivered, refused, expired } = player().proofs.counts();
  expect({ refused, expired }).toEqual({ refused: 0, expired: 0 });
  expect(delivered + owed).toBe(stage.showings.length);
  const verdicts = emulator
    .spots()
    .flatMap(({ news, ad }) => [news, ad])
    .flatMap((item) => item?.pops.map(({ verdict }) => verdict) ?? []);
  expect(new Set(verdicts)).toEqual(new Set(["counted"]));
  expect(emulator.audit()).toEqual([]);
}
