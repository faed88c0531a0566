import { describe, expect, it, onTestFinished } from "vitest";
import { VendorClient } from "../../src/client/vendor-client.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { ManualClock } from "../support/player/manual-clock.ts";
import { hoursOf, openScenario, type Scenario, type ScenarioChanges, worldOpen } from "../support/player/scenario.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** While nothing happens; finer than the longest an item takes. */
const STEP_MS = 2 * SECOND;
/** The service tells its time in whole seconds. */
const DATE_ERROR_MS = 1_000;

describe("a screen that respects its location's opening hours", { timeout: 600_000 }, () => {
  it("shows the item on air to its end at closing time, proves it, and is blanked after it", async () => {
    const scenario = await opened("2026-01-01T00:58:00Z", "thu 00:00-02:00");
    await scenario.pass(2 * MINUTE - SECOND);
    expect([scenario.stage.showings.length > 5, scenario.stage.blanked]).toEqual([true, false]);
    await scenario.pass(MINUTE);
    const { stage, emulator } = scenario;
    expect([stage.blanked, stage.decks]).toEqual([true, 0]);
    expect(stage.showings.at(-1)?.from).toBeLessThanOrEqual(2 * MINUTE + DATE_ERROR_MS);
    expect(countedPops(scenario)).toBe(stage.showings.length);
    expect(emulator.audit()).toEqual([]);
    expect(scenario.screen().health.report()).toMatchObject({ status: "closed", onAir: "nothing", lastError: null });
  });

  it("asks for no spot while it is closed, and plays again at the minute of opening", async () => {
    const scenario = await opened("2026-01-01T00:59:00Z", "thu 00:00-02:00, 03:00-24:00");
    await scenario.pass(MINUTE + 20 * SECOND, STEP_MS);
    const shown = scenario.stage.showings.length;
    await scenario.pass(58 * MINUTE, STEP_MS);
    await scenario.pass(2 * MINUTE);
    const closed = Date.parse("2026-01-01T01:00:00Z") + DATE_ERROR_MS;
    const opens = Date.parse("2026-01-01T02:00:00Z");
    const asked = asks(scenario).filter((at) => at > closed);
    expect(asked[0]).toBeGreaterThanOrEqual(opens);
    expect(asked[0]).toBeLessThanOrEqual(opens + DATE_ERROR_MS + SECOND);
    expect(scenario.stage.showings.length).toBeGreaterThan(shown);
    expect([scenario.stage.blanked, scenario.screen().health.report().status]).toEqual([false, "ok"]);
  });

  it("asks for none at all where it is closed when it is switched on for the first time", async () => {
    const scenario = await opened("2026-01-01T00:30:00Z", "never");
    await scenario.pass(10 * MINUTE, STEP_MS);
    expect([asks(scenario), scenario.stage.blanked]).toEqual([[], true]);
  });

  it("plays while its hours cannot be read: unknown hours are open", async () => {
    const meddle = (url: string): undefined => {
      if (/\/vendor\/.*\/(screens|locations)\//.test(url)) throw new TypeError("cut");
    };
    const scenario = await opened("2026-01-01T00:30:00Z", "never", { meddle });
    await scenario.pass(30 * SECOND);
    expect(scenario.stage.showings.length).toBeGreaterThan(0);
  });

  it("knows its hours after a restart without the service, and opens by the machine's clock", async () => {
    const scenario = await opened("2026-01-01T01:50:00Z", "thu 03:00-24:00");
    await scenario.pass(MINUTE, STEP_MS);
    scenario.cutNetwork(true);
    await scenario.restart();
    await scenario.pass(8 * MINUTE, STEP_MS);
    expect([scenario.stage.blanked, scenario.screen().loop.state().suspendReasons]).toEqual([true, ["closed"]]);
    await scenario.pass(2 * MINUTE, STEP_MS);
    expect([scenario.stage.blanked, scenario.screen().loop.state().suspendReasons]).toEqual([false, []]);
    scenario.cutNetwork(false);
    await scenario.pass(3 * MINUTE, STEP_MS);
    expect(scenario.stage.showings.length).toBeGreaterThan(0);
  });

  it("is not blanked by a wrong clock of the machine while it waits for the service's word", async () => {
    const scenario = await opened("2026-01-01T00:30:00Z", "thu 00:00-12:00");
    await scenario.pass(MINUTE, STEP_MS);
    scenario.clock.jumpWall(13 * HOUR);
    await scenario.restart();
    expect([scenario.stage.blanked, scenario.screen().loop.state().suspendReasons]).toEqual([false, ["hours-awaited"]]);
    await scenario.pass(MINUTE);
    expect([scenario.stage.blanked, scenario.stage.showings.length > 0]).toEqual([false, true]);
  });

  it("is closed for an hour less on the day on which that hour is skipped", async () => {
    const scenario = await opened("2026-03-29T00:59:00Z", "sun 00:00-02:00, 04:00-24:00");
    await scenario.pass(61 * MINUTE - 10 * SECOND, STEP_MS);
    expect(scenario.stage.blanked).toBe(true);
    await scenario.pass(30 * SECOND, STEP_MS);
    expect(scenario.stage.blanked).toBe(false);
  });

  it("hears of other hours within the hour, open or closed", async () => {
    const scenario = await opened("2026-01-01T00:30:00Z", "never");
    await scenario.pass(MINUTE, STEP_MS);
    await setHours(scenario, "always");
    await scenario.pass(HOUR + MINUTE, STEP_MS);
    expect(scenario.stage.showings.length).toBeGreaterThan(0);
    await setHours(scenario, "never");
    await scenario.pass(HOUR + MINUTE, STEP_MS);
    expect(scenario.stage.blanked).toBe(true);
  });

  it("goes by the service's clock when the machine's own jumps", async () => {
    const scenario = await opened("2026-01-01T00:30:00Z", "thu 00:00-12:00");
    await scenario.pass(MINUTE, STEP_MS);
    scenario.clock.jumpWall(13 * HOUR);
    await scenario.pass(5 * MINUTE, STEP_MS);
    expect(scenario.stage.blanked).toBe(false);
  });
});

it("plays at all hours where it is not told to respect them", async () => {
  const scenario = await opened("2026-01-01T00:30:00Z", "never", { respectHours: false });
  await scenario.pass(MINUTE);
  expect(scenario.stage.showings.length).toBeGreaterThan(0);
});

/** A screen at the demo's place in Hamburg, with other hours, switched on at an instant. */
async function opened(at: string, hours: string, changes: ScenarioChanges = {}): Promise<Scenario> {
  const clock = new ManualClock(Date.parse(at));
  const scenario = await openScenario(temporaryFolder(), {
    ...{ clock, world: worldOpen(hours), respectHours: true },
    ...changes,
  });
  onTestFinished(() => scenario.close());
  return scenario;
}

async function setHours({ emulator: { baseUrl, orgToken } }: Scenario, hours: string): Promise<void> {
  const service = new VendorClient({ baseUrl, orgToken });
  const answer = await service.updateLocation("loc_harbour", { opening_168: hoursOf(hours) });
  expect(answer.kind).toBe("ok");
}

/** When spots were asked for, by the network's clock. */
function asks({ emulator }: Scenario): readonly number[] {
  return emulator.calls({ route: "spot" }).map(({ at }) => at);
}

function countedPops({ emulator }: Scenario): number {
  const items = emulator.spots().flatMap(({ news, ad }) => [news, ad]);
  return items.flatMap((item) => item?.pops.filter(({ verdict }) => verdict === "counted") ?? []).length;
}
