import { totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { app, powerMonitor } from "electron";
import type { Logger } from "pino";
import type { SleepingClock } from "../../player/clock.ts";
import { accessChanges } from "../../player/config/access.ts";
import { type Config, type GoodConfig, secretsIn } from "../../player/config/config.ts";
import type { ExclusiveLock } from "../../player/exclusive-lock.ts";
import { isShutOut } from "../../player/health/health-watch.ts";
import { createMetrics } from "../../player/health/metrics.ts";
import { tellVitals } from "../../player/health/upgrade.ts";
import { openLog } from "../../player/log/log.ts";
import type { EgressPolicy } from "../../player/network/egress-policy.ts";
import { hasMetUnknownSigner } from "../../player/network/trust.ts";
import { requestsBy, type Uplink } from "../../player/network/uplink.ts";
import { type Player, type PlayerParts, startPlayer } from "../../player/player.ts";
import { Overrides } from "../../player/remote/overrides.ts";
import type { Remote, RemoteParts } from "../../player/remote/remote.ts";
import { countStart } from "../../player/run-identity.ts";
import { StoreUnusable } from "../../player/stores/database.ts";
import { endAudioService, isSoundStuck } from "../decks/deck-watch.ts";
import { followDisplays } from "../displays/follow-displays.ts";
import { followPanels } from "../displays/follow-panels.ts";
import { type Recovery, renewWhenDue, Sound } from "../recovery/recovery.ts";
import { EXIT, type Supervision } from "../recovery/supervisor.ts";
import { watchStage } from "../recovery/triggers.ts";
import type { HandsParts } from "../remote/hands.ts";
import { followOverrides } from "../remote/override-pages.ts";
import { playOn } from "../stage/play-on.ts";
import type { StageWindow } from "../stage/stage-window.ts";
import { sourceOf } from "./arguments.ts";
import { watchPower } from "./power.ts";
import { Shutdown } from "./shutdown.ts";

/** What a player is run with. */
export interface Run {
  readonly good: GoodConfig;
  readonly clock: SleepingClock;
  /** Of the data folder; it is held by whoever plays. */
  readonly lock: ExclusiveLock;
  /** `null` where another player has the data folder. */
  readonly stages: readonly StageWindow[] | null;
  /** What is wrong with the data folder, or `null`. */
  readonly flaw: string | null;
  /** `null` where another player has the data folder. */
  readonly recovery: Recovery | null;
  readonly supervision: Supervision;
  /** The configuration file that the player was started with, or null. */
  readonly given: string | null;
}

/** A player that cannot open its stores shows the slate and asks to be started again after this long. */
const STORES_AGAIN_MS = 60_000;

/** How often a player that waits for another to end looks whether it has. */
const LOCK_AGAIN_MS = 2_000;

/** Starts the player and lets it play on the stages until the process is asked to stop. */
export async function run(parts: Run): Promise<void> {
  const { good, clock, lock, stages, flaw, recovery, supervision } = parts;
  const { config, path, warnings } = good;
  if (stages === null || recovery === null) return waitForOther(config.dataDir, lock);
  const windowsShown = Promise.all(stages.map((stage) => stage.windowShown)).then(() => {});
  const log = openLog({ ...config.log, secrets: secretsIn(config), echo: process.stderr, fileAfter: windowsShown });
  const { logger } = log;
  const shutdown = new Shutdown(logger, recovery);
  shutdown.add("log", () => log.close());
  // Held on to for as long as the process lives: what nobody refers to is closed.
  shutdown.add("lock", async () => lock.release());
  const screenIds = config.screens.map(({ screenId }) => screenId);
  const { namedBy } = config.network.uplink;
  const described = { config: path, screen: screenIds.join(", "), version: app.getVersion() };
  logger.info({ ...described, ...(namedBy === null ? {} : { proxyBy: namedBy }) }, "player started");
  for (const warning of warnings) logger.warn(warning);
  if (flaw !== null) logger.error({ dataDir: config.dataDir }, flaw);

  const { allow } = config.remote;
  let player: Player | null = null;
  const panels = followPanels({ config, stages, clock, log: logger, player: () => player });
  shutdown.add("displays", () => panels.release());
  const displays = followDisplays(config, stages, logger);
  shutdown.add("display setup", async () => displays.close());
  const sound = new Sound({
    ...config.audio,
    clock,
    log: logger,
    isStuck: isSoundStuck,
    endAudio: endAudioService,
  });
  const isMuted = () => sound.muted;
  for (const { windowShown, slate } of stages) {
    void windowShown.then(() => slate.begin({ ...config, isMuted, clock, log: logger }));
  }
  const metrics = createMetrics(screenIds.length > 1);
  const serviceHost = new URL(config.baseUrl).hostname;
  const playerParts: PlayerParts = {
    ...{ config, clock, log: logger, metrics, ...requestsBy(config.network.uplink, serviceHost) },
    browser: { "user-agent": app.userAgentFallback, "accept-language": app.getLocale() },
    openMediaFetch: (policy) => openMediaFetch(policy, config.network.uplink),
    random: Math.random,
  };
  const time = () => player?.serviceClock.read().service ?? clock.wall();
  const overrides = new Overrides({ path: join(config.dataDir, "overrides.json"), allow, clock, time, log: logger });
  shutdown.add("overrides", async () => overrides.close());
  let trouble = flaw;
  const status = () => (trouble === null ? `plays ${screenIds.join(", ")}` : `house content only: ${trouble}`);
  followOverrides({ overrides, stages, screens: () => player?.screens ?? [], supervision, status });
  const { holdMs } = recovery.plan;
  if (holdMs > 0) logger.warn({ ...recovery.report(), holdMs }, "many restarts in a row: house content for a while");
  if (holdMs > 0) await sleep(holdMs);
  const starting = flaw ?? (await startOrSay(playerParts));
  if (typeof starting === "string") {
    trouble = starting;
    // With its first picture systemd was told that it plays.
    const tell = () => overrides.reasons.length > 0 || supervision.shows(status());
    for (const { visibleOnDisplay } of stages) void visibleOnDisplay.then(tell);
    setTimeout(() => void shutdown.end(EXIT.restart), STORES_AGAIN_MS);
    return;
  }
  player = starting;
  const ending = new AbortController();
  for (const stage of stages) {
    const noteDark = watchStage(() => recovery.reportFault("dark"));
    const suspendReasons = overrides.reasons;
    playOn(stage, {
      player,
      config,
      metrics,
      clock,
      panels,
      log: logger,
      suspendReasons,
      ending: ending.signal,
      isMuted,
      noteEnd(outcome) {
        sound.noteEnd(outcome);
        noteDark(outcome);
      },
    });
  }
  const stopWatching = watchPower(powerMonitor, clock, player, logger);
  shutdown.add("power", async () => stopWatching());
  shutdown.add("player", () => player.stop());
  shutdown.add("stages", async () => ending.abort());
  const folder = process.env.RUNTIME_DIRECTORY;
  if (folder !== undefined)
    void tellVitals({ folder, version: app.getVersion(), player, clock, signal: ending.signal });
  const remote = await openHands({
    ...{ config, clock, time, metrics, random: Math.random, log: logger },
    ...{ good, given: parts.given, stages, overrides, end: (code) => void shutdown.end(code) },
    record: (entry) => player?.note(entry),
  });
  if (remote !== null) shutdown.add("remote", () => remote.close());
  // Whoever looks at the screen comes first, whoever reads about it second.
  await windowsShown;
  const restarts = countStart(join(config.dataDir, "starts.json"), clock.bootId) - 1;
  const { memory, openHealth } = await import("../operator/health.ts");
  const report = () => ({ broker: remote?.broker ?? null, ...overrides.report() });
  const sources = {
    ...{ config, player, metrics, stages, displays, panels, clock, log: logger, restarts, recovery },
    remote: report,
  };
  const health = await openHealth(sources);
  if (health !== null) shutdown.add("health", () => health.close());
  const isCutOff = () => isShutOut(player.screens) || hasMetUnknownSigner();
  const isAccessOther = accessChanges(good, sourceOf(parts.given));
  void renewWhenDue({
    ...{ screens: player.screens, clock, log: logger, memory, machineBytes: totalmem() },
    isPlanOver: () => recovery.isPlanOver() || (isCutOff() && isAccessOther()),
    restart: () => void shutdown.end(EXIT.restart),
    signal: ending.signal,
  });
  await offerHotkey(config, health?.port ?? null, stages, logger, shutdown);
}

/** Opens the ways for commands from afar; what that takes is loaded only where any are allowed. */
async function openHands(parts: HandsParts & Omit<RemoteParts, "hands">): Promise<Remote | null> {
  if (parts.config.remote.allow.length === 0) return null;
  const [{ handsOn }, { openRemote }] = await Promise.all([
    import("../remote/hands.ts"),
    import("../../player/remote/remote.ts"),
  ]);
  return openRemote({ ...parts, hands: handsOn(parts) });
}

/** Only where the configuration allows it: whoever stands before a screen has a keyboard sooner than one thinks. */
async function offerHotkey(
  { operator: { chord: hotkey } }: Config,
  port: number | null,
  stages: readonly StageWindow[],
  log: Logger,
  shutdown: Shutdown,
): Promise<void> {
  if (hotkey === null) return;
  if (port === null) return log.error("operator.chord has no effect: it shows the health pages, and there are none");
  const { offerOperatorOverlay } = await import("../operator/operator-overlay.ts");
  const withdraw = offerOperatorOverlay({ hotkey, port, stages, log });
  shutdown.add("operator overlay", async () => withdraw());
}

/** Loaded with the first download: a start with a full cache does not wait for it. */
function openMediaFetch(policy: EgressPolicy, uplink: Uplink): typeof fetch {
  let opening: Promise<typeof fetch> | null = null;
  return async (...request) => {
    opening ??= import("../../player/network/routed-requests.ts").then((guarded) =>
      guarded.fetchGuardedBy(policy, uplink),
    );
    return (await opening)(...request);
  };
}

/**
 * A second player on a folder neither shows nor sends anything, and leaves the log to the first. It waits, rather than to
 * be started again and again by its supervisor, and is there within seconds when the first one ends: then it asks for a
 * start of its own.
 */
async function waitForOther(dataDir: string, lock: ExclusiveLock): Promise<void> {
  process.stderr.write(`spotloop: another player runs with the data folder ${dataDir}: waiting for it to end\n`);
  while (!lock.take()) await sleep(LOCK_AGAIN_MS);
  app.exit(EXIT.restart);
}

/** Starts the player, or says why its stores cannot be used: in the log, and as what it returns. */
async function startOrSay(parts: PlayerParts): Promise<Player | string> {
  try {
    return await startPlayer(parts);
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    parts.log.error(error.message);
    return error.message;
  }
}
