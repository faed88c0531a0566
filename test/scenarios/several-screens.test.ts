import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { virtualClock } from "../../src/emulator/clock.ts";
import { startEmulator } from "../../src/emulator/main.ts";
import { configOf } from "../../src/player/config/config.ts";
import { configFileSchema } from "../../src/player/config/schema.ts";
import { sumOf } from "../../src/player/health/health-report.ts";
import { createMetrics } from "../../src/player/health/metrics.ts";
import { startPlayer } from "../../src/player/player.ts";
import type { PlayingScreen } from "../../src/player/screen/playing-screen.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { ManualClock } from "../support/player/manual-clock.ts";
import { SimulatedStage } from "../support/player/simulated-stage.ts";

const SCREENS = ["screen_demo", "screen_kiosk"] as const;
const STEP_MS = 50;
/** Real time for sockets and the disk after each step. */
const TURNS = 3;

/** One player for both screens of the demo's network. */
async function opened() {
  const clock = new ManualClock();
  const emulator = await startEmulator({ seed: 1, clock: virtualClock(clock) });
  const screens = SCREENS.map((screenId, index) => ({ screenId, display: { match: index + 1 } }));
  const { baseUrl, orgToken } = emulator;
  const metrics = createMetrics(true);
  const player = await startPlayer({
    config: configOf(configFileSchema.parse({ baseUrl, orgToken, screens }), orgToken, temporaryFolder()),
    ...{ clock, metrics, fetch, log: pino({ level: "silent" }), random: () => 0.5 },
    ...{ spotRetryMs: 0, downloadRetryMs: 0, ballastBytes: 0 },
  });
  onTestFinished(async () => {
    await player.stop();
    await emulator.close();
  });
  const play = (screenId: string, ...hiddenReasons: readonly string[]): PlayingScreen => {
    const stage = new SimulatedStage(clock);
    const screen = player.play(screenId, stage, { hiddenReasons });
    stage.connect((event) => screen.loop.dispatch(event));
    return screen;
  };
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await clock.advance(STEP_MS);
      for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const proved = (screenId: string) =>
    emulator.spots(screenId).flatMap(({ news, ad }) => [...(news?.pops ?? []), ...(ad?.pops ?? [])]).length;
  return { emulator, player, metrics, play, pass, proved };
}

describe("one player of several screens", () => {
  it("proves what each of them showed, both by one outbox, and downloads what both show once", async () => {
    const { emulator, metrics, play, pass, proved } = await opened();
    for (const screenId of SCREENS) play(screenId);
    await pass(60_000);
    for (const screenId of SCREENS) expect(proved(screenId)).toBeGreaterThan(4);
    expect(emulator.audit()).toEqual([]);
    const calls = emulator.calls().filter(({ listener, path }) => listener === "media" && path.includes("/creatives/"));
    const fetched = calls.map(({ path }) => path);
    expect(fetched.length).toBeGreaterThan(0);
    expect(fetched).toEqual([...new Set(fetched)]);
    const text = await metrics.registry.metrics();
    for (const screenId of SCREENS) expect(text).toMatch(`spotloop_items_shown_total{kind="ad",screen="${screenId}"}`);
  });

  it("asks for nothing for the one that nobody can see, until somebody can", async () => {
    const { emulator, player, play, pass, proved } = await opened();
    const [, kiosk] = [play("screen_demo"), play("screen_kiosk", "minimized")];
    await pass(20_000);
    expect([proved("screen_demo") > 0, emulator.spots("screen_kiosk")]).toEqual([true, []]);
    const told = sumOf(
      player.screens.map(({ screenId, health }) => {
        return { screenId, ...health.report(), displayTrouble: null, panel: { state: "unknown", by: [] } };
      }),
    );
    expect(told).toMatchObject({ status: "starting", lastError: "nobody can see this screen: minimized" });
    expect(told.screens?.[1]).toMatchObject({ screenId: "screen_kiosk", onAir: "nothing", next: null });
    kiosk.loop.dispatch({ kind: "resume", because: "hidden" });
    await pass(30_000);
    expect(proved("screen_kiosk")).toBeGreaterThan(0);
    kiosk.health.noteHidden(["covered"]);
    kiosk.loop.dispatch({ kind: "suspend", because: "hidden" });
    expect(kiosk.health.report().lastError).toBe("nobody can see this screen: covered");
  });

  it("keeps its last error where the operator opens the page to read it, though what was on air fails for that", async () => {
    const { play, pass } = await opened();
    const { loop, health } = play("screen_kiosk");
    const isItem = () => typeof health.report().onAir === "object";
    const hide = (...reasons: readonly string[]) => {
      health.noteHidden(reasons);
      loop.dispatch({ kind: reasons.length > 0 ? "suspend" : "resume", because: "hidden" });
    };
    hide("minimized");
    hide();
    await pass(20_000);
    expect(isItem()).toBe(true);
    hide("operator overlay");
    expect([isItem(), health.report().lastError]).toEqual([false, "nobody can see this screen: minimized"]);
    hide();
    await pass(20_000);
    hide("operator overlay", "covered");
    expect(health.report().lastError).toContain("covered");
  });
});
