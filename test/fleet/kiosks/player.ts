// Run by the fleet, in a process for each kiosk that is to be broken and one for the rest: whole players with a stage that
// shows nothing. What they are comes as the first message of the parent, what is done to them as the others.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { exactGet } from "../../../src/client/http.ts";
import { truthOf } from "../../../src/core/displays/panel.ts";
import { configOf } from "../../../src/player/config/config.ts";
import { configFileSchema } from "../../../src/player/config/schema.ts";
import { registerGauges } from "../../../src/player/health/gauges.ts";
import { startHealth } from "../../../src/player/health/health.ts";
import { metricSources } from "../../../src/player/health/metric-sources.ts";
import { createMetrics } from "../../../src/player/health/metrics.ts";
import type { Upgrade } from "../../../src/player/health/upgrade.ts";
import { DIRECT } from "../../../src/player/network/uplink.ts";
import { startPlayer } from "../../../src/player/player.ts";
import { Overrides } from "../../../src/player/remote/overrides.ts";
import { countStart, playerVersion } from "../../../src/player/run-identity.ts";
import { SimulatedStage } from "../../support/player/simulated-stage.ts";
import { kioskClock, type Pace, realMs } from "../pace.ts";

/** A kiosk: a player of one screen, with its data and its health pages. */
export interface KioskSpec {
  readonly name: string;
  readonly screenId: string;
  readonly healthPort: number;
  readonly dataDir: string;
  /** As in a configuration file. */
  readonly settings: object;
}

/** What a process of kiosks is told first. */
export interface KiosksSpec {
  readonly kiosks: readonly KioskSpec[];
  readonly pace: Pace;
  readonly baseUrl: string;
  readonly orgToken: string;
}

/** What happens to a kiosk from inside, or in front of it. */
export type Mishap =
  /** Its decks load, and no frame of them comes. */
  | { readonly kind: "paints-nothing" }
  /** Something is in front of its window. */
  | { readonly kind: "hidden" }
  /** Its graphics processor has failed. */
  | { readonly kind: "software-rendering" }
  /** The machine's clock is set wrong by so much. */
  | { readonly kind: "clock-off"; readonly aheadMs: number }
  /** Another server answers in place of every `http:` host. */
  | { readonly kind: "portal"; readonly origin: string }
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "display-off" }
  /** Its display is not switched as it is to be. */
  | { readonly kind: "display-disobeys" }
  /** Its upgrade proved nothing, and the version before was installed again. */
  | { readonly kind: "upgrade-taken-back" };

/** What a process of kiosks is told later: what happens to which of them. */
export interface MishapTold {
  readonly name: string;
  readonly mishap: Mishap;
}

/** What Electron waits before a second try, in the fleet's time. */
const RETRY_MS = 1_000;

async function openKiosk(spec: KioskSpec, { pace, baseUrl, orgToken }: KiosksSpec) {
  const { screenId, dataDir, healthPort, settings } = spec;
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  const clock = kioskClock(pace, bootId, bootMilliseconds);
  const written = configFileSchema.parse({ baseUrl, orgToken, screenId, ...settings });
  const config = configOf(written, orgToken, dataDir, DIRECT);
  const log = pino({ level: "silent" });
  const metrics = createMetrics();
  let [paints, rendering] = [true, "hardware" as "hardware" | "software"];
  let portal: string | null = null;
  let displayTrouble: string | null = null;
  let isTakenBack = false;
  const led = (url: string) => (portal === null ? url : portal + new URL(url).pathname);
  const player = await startPlayer({
    ...{ config, clock, log, metrics, random: Math.random },
    fetch: (url, init) => fetch(led(String(url)), init),
    exactGet: (url, target, headers, signal) => exactGet(led(url), target, headers, signal),
    spotRetryMs: realMs(pace, RETRY_MS),
    downloadRetryMs: realMs(pace, RETRY_MS),
  });
  const stage: SimulatedStage = new SimulatedStage(clock, {
    mishapOf: () => (paints ? null : { kind: "never-paints" }),
    onCleared() {
      // Nobody looks at them here, and a fleet lives for days.
      stage.showings.length = 0;
      stage.cued.length = 0;
    },
  });
  const time = () => player.serviceClock.read().service ?? clock.wall();
  const path = join(dataDir, "overrides.json");
  const overrides = new Overrides({ path, allow: ["message", "display"], clock, time, log });
  const { loop } = player.play(screenId, stage, { suspendReasons: overrides.reasons });
  stage.connect((event) => loop.dispatch(event));
  overrides.listen(async () => {
    for (const because of overrides.reasons) loop.dispatch({ kind: "suspend", because });
  });
  metrics.restarts.set(countStart(join(dataDir, "starts.json"), clock.bootId) - 1);
  const { node } = process.versions;
  metrics.build.set({ version: playerVersion(), electron: "none", chromium: "none", node }, 1);
  const recovery = () => {
    const restarts = { restartsInARow: 0, lastTrouble: null };
    return { rendering, softwareUntil: null, safeMode: false, ...restarts };
  };
  const remote = () => ({ broker: null, ...overrides.report() });
  const memory = () => ({ main: process.memoryUsage.rss() });
  const upgrade = (): Upgrade | null => (isTakenBack ? { phase: "rolled-back", from: "1.0.0", to: "1.1.0" } : null);
  const panels = { truthOf: () => truthOf([]), troubleOf: () => displayTrouble };
  registerGauges(metrics, metricSources({ config, player, panels, clock, recovery, remote, upgrade, memory }));
  const report = () => {
    throw new Error("only scraped");
  };
  const health = await startHealth({ port: healthPort, metrics, report, screenshot: async () => null });
  if (health.kind !== "listening") throw new Error(`port ${healthPort}: ${health.code}`);

  return async function suffer(mishap: Mishap): Promise<void> {
    switch (mishap.kind) {
      case "paints-nothing":
        paints = false;
        return;
      case "hidden":
        return loop.dispatch({ kind: "suspend", because: "hidden" });
      case "software-rendering":
        rendering = "software";
        return;
      case "clock-off":
        return clock.setAhead(mishap.aheadMs);
      case "portal":
        portal = mishap.origin;
        return;
      case "message":
        return void (await overrides.showMessage(mishap.text, null));
      case "display-off":
        return void (await overrides.switchDisplays(false));
      case "display-disobeys":
        displayTrouble = "it is on and should be off";
        return;
      case "upgrade-taken-back":
        isTakenBack = true;
    }
  };
}

/** Since the machine was started. */
function bootMilliseconds(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

let spec: KiosksSpec | null = null;
const kiosks = new Map<string, Awaited<ReturnType<typeof openKiosk>>>();

process.on("message", async (told: KiosksSpec | MishapTold) => {
  if (spec === null && "kiosks" in told) {
    spec = told;
    for (const one of spec.kiosks) kiosks.set(one.name, await openKiosk(one, spec));
  } else if ("mishap" in told) await kiosks.get(told.name)?.(told.mishap);
  process.send?.("done");
});
// The parent is gone: nobody looks at this fleet any more.
process.on("disconnect", () => process.exit(1));
