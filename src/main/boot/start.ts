import { accessSync, constants, mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { app, nativeTheme } from "electron";
import { PLAIN_START, type StartPlan } from "../../core/recovery.ts";
import { type SleepingClock, systemClock } from "../../player/clock.ts";
import { type Config, type GoodConfig, readConfig } from "../../player/config/config.ts";
import { displayTroubleHere } from "../../player/display.ts";
import { ExclusiveLock } from "../../player/exclusive-lock.ts";
import { codeOf, remedyFor } from "../../player/stores/database.ts";
import { refuseBadCertificates } from "../guards.ts";
import { registerSchemes } from "../protocol/schemes.ts";
import { planStart, Recovery } from "../recovery/recovery.ts";
import { EXIT, type Supervision, superviseBy } from "../recovery/supervisor.ts";
import { watchChromium } from "../recovery/triggers.ts";
import { createStageWindows, redrawAfterGpuLoss, type StageWindow } from "../stage/stage-window.ts";
import { DisplayChoice, DRAW_COVERED, isFittedByDesktop } from "../window/window.ts";
import { displayAnswers } from "../window/x11-connection.ts";
import { forbiddenSwitches, readArguments, sourceOf, switchIn } from "./arguments.ts";
import { awaitGoodConfig, describeProblems } from "./configuration-error.ts";
import { pageLanguages, zoneName } from "./locale.ts";
import { describeMachine } from "./machine.ts";
import { leaveWhenAsked } from "./shutdown.ts";

/** Starts what the arguments ask for: a command, a check of the configuration, or the player. */
export async function start(): Promise<void> {
  const { command, config, checkConfig } = readArguments(process.argv, app.isPackaged);
  const refused = app.isPackaged ? forbiddenSwitches(process.argv) : [];
  if (refused.length > 0) {
    process.stderr.write(`spotloop: does not run with ${refused.map((name) => `--${name}`).join(", ")}\n`);
    return app.exit(EXIT.configuration);
  }
  const [name, folder] = command ?? [];
  if (name === "machine" && folder !== undefined) {
    return displayTroubleHere(process.env) === null ? describeMachine(folder) : app.exit(EXIT.restart);
  }
  if (command !== null) {
    const { runOwnCli } = await import("../../cli/main.ts");
    return app.exit(await runOwnCli(command));
  }
  await startPlayer(config, checkConfig);
}

/**
 * Runs before Electron is ready, which it is only once this has returned: so this waits for nothing but the display. Nothing
 * is noted of a run before that answers: to wait for it is not to crash.
 */
async function startPlayer(path: string | null, checkConfig: boolean): Promise<void> {
  const reading = readConfig(sourceOf(path));
  if (reading.kind === "bad") process.stderr.write(describeProblems(reading));
  // Who plays reads them in the log.
  else if (checkConfig) for (const text of reading.warnings) process.stderr.write(`spotloop: ${text}\n`);
  const trouble = checkConfig ? null : await displayTrouble(process.env);
  if (trouble !== null) process.stderr.write(`spotloop: ${trouble}\n`);
  if (checkConfig || trouble !== null) {
    const code = checkConfig ? EXIT.stopped : EXIT.restart;
    app.exit(reading.kind === "bad" ? EXIT.configuration : code);
    return;
  }
  harden();
  nameLocale();
  darkenNewWindows();
  const supervision = superviseBy(process.env);
  if (reading.kind === "ok") {
    const clock = systemClock(reading.config.dataDir);
    const plan = planStart(reading.config.dataDir, clock);
    applySwitches(reading.config.playback, reading.config.log.level, plan);
    void play(reading, clock, plan, supervision, path);
  } else {
    applySwitches({ hardwareDecoding: true, switches: [] }, "info", PLAIN_START);
    void awaitGoodConfig(reading, path, supervision).then((good) =>
      play(good, systemClock(good.config.dataDir), PLAIN_START, supervision, path),
    );
  }
}

/** Why there is no display to play on, or null: one that is there is given time to answer. */
async function displayTrouble(env: NodeJS.ProcessEnv): Promise<string | null> {
  const trouble = displayTroubleHere(env);
  if (trouble !== null) return trouble;
  const said = setTimeout(() => process.stderr.write(`spotloop: waits for ${env.DISPLAY} to answer\n`), SOON_MS);
  const answers = await displayAnswers(env);
  clearTimeout(said);
  return answers ? null : `the display ${env.DISPLAY} does not answer`;
}

/** A wait that is longer is told. */
const SOON_MS = 1_000;

function harden(): void {
  // Chromium refuses to run as root with its sandbox on; without it is for development only.
  if (app.isPackaged || !app.commandLine.hasSwitch("no-sandbox")) app.enableSandbox();
  else process.stderr.write("spotloop: the sandbox is off; never do this on a real screen\n");
  registerSchemes();
  refuseBadCertificates(app);
  // Chromium would refuse 3D to a host whose pages were on air when graphics failed, and soon to all: the next ones are not to blame.
  app.disableDomainBlockingFor3DAPIs();
  // Windows come and go with their displays; only the supervisor and the operator end a player.
  app.on("window-all-closed", () => {});
}

function nameLocale(): void {
  const languages = pageLanguages(process.env);
  if (languages !== null) process.env.LANGUAGE = languages;
  const zone = zoneName(process.env);
  if (zone === null) delete process.env.TZ;
  else if (zone !== undefined) process.env.TZ = zone;
}

/** Not white: for an instant a new window has the background of the desktop's theme. What pages see is a light one. */
function darkenNewWindows(): void {
  process.env.GTK_THEME = "Adwaita:dark";
  nativeTheme.themeSource = "light";
}

/**
 * Plays by a configuration until the process is asked to stop. Stage windows are opened first: while Chromium makes their
 * windows and processes, the rest of the player is loaded.
 */
async function play(
  good: GoodConfig,
  clock: SleepingClock,
  plan: StartPlan,
  supervision: Supervision,
  given: string | null,
): Promise<void> {
  const { dataDir } = good.config;
  const lock = new ExclusiveLock(join(dataDir, "player.lock"));
  const { alone, flaw } = taken(lock, dataDir);
  // Chromium's own files lie there too. Its own lock is not asked for: one that a power cut left behind would fail it.
  if (flaw === null && alone) app.setPath("userData", join(dataDir, "chromium"));
  const recovery = alone ? new Recovery(dataDir, plan, clock, (code) => app.exit(code)) : null;
  if (recovery !== null) watchChromium(recovery);
  const choosing = DisplayChoice.open(good.config.screens.map(({ display }) => display));
  await app.whenReady();
  leaveWhenAsked(() => recovery?.end());
  const stages = alone ? createStageWindows(good.config, await choosing) : null;
  if (stages === null) supervision.waits(`waits for another player on ${dataDir} to end`);
  else {
    redrawAfterGpuLoss(stages);
    reportFirstPicture(stages, supervision, flaw);
  }
  const { run } = await import("./run.ts");
  await run({ good, clock, lock, stages, flaw, recovery, supervision, given });
}

/** The first picture counts, of whichever screen: none is asked of a machine whose displays are all switched off. */
function reportFirstPicture(stages: readonly StageWindow[], supervision: Supervision, flaw: string | null): void {
  const ids = stages.map(({ screenId }) => screenId).join(", ");
  if (stages.every(({ display }) => display() === null)) supervision.waits(`${ids}: waits for a display`);
  for (const { visibleOnDisplay } of stages) {
    void visibleOnDisplay.then(() => supervision.shows(flaw === null ? `plays ${ids}` : `house content only: ${flaw}`));
  }
}

/** Takes the data folder for this player, unless another has it or it cannot be used. */
function taken(lock: ExclusiveLock, dataDir: string): { readonly alone: boolean; readonly flaw: string | null } {
  const flaw = flawOf(dataDir);
  if (flaw !== null) return { alone: true, flaw };
  try {
    return { alone: lock.take(), flaw };
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    return { alone: true, flaw: `player.lock in the data folder cannot be locked (${code}): ${remedyFor(code)}` };
  }
}

/** Makes the data folder where it is missing; says what is wrong with one that cannot be used, or `null`. */
function flawOf(dataDir: string): string | null {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK);
    return null;
  } catch (error) {
    return `the data folder cannot be written (${codeOf(error) ?? error}): check dataDir and who owns it`;
  }
}

const SHARED_MEMORY = "/dev/shm";
/** Containers have 64 MiB, in which the pages of a screen in full HD crash. */
const LEAST_SHARED_BYTES = 256 * 1024 * 1024;

/** Whether there is room for Chromium's shared memory where Linux keeps it; it takes files for temporary ones otherwise. */
function hasSharedMemory(): boolean {
  if (process.platform !== "linux") return true;
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { blocks, bsize } = statfsSync(SHARED_MEMORY);
    // Of one without a limit no size is told.
    return blocks === 0 || blocks * bsize >= LEAST_SHARED_BYTES;
  } catch {
    return false;
  }
}

/** The least important lines that Chromium's main process writes: any, or those with which it ends. */
const ALL = "0";
const FATAL = "3";

/**
 * Chromium's switches for a player, each with its reason; they count only before Electron is ready. A recovery's plan goes
 * before what the configuration says.
 */
function applySwitches(
  { hardwareDecoding, switches }: Config["playback"],
  logLevel: Config["log"]["level"],
  plan: StartPlan,
): void {
  const { commandLine } = app;
  // What Chromium has to say of a kiosk without a desktop's services is for whoever looks for a fault.
  commandLine.appendSwitch("log-level", logLevel === "debug" ? ALL : FATAL);
  // A keyring would ask somebody for a password, and there is nobody.
  commandLine.appendSwitch("password-store", "basic");
  // After three crashes of the GPU process Chromium would end the application; the player counts them itself.
  commandLine.appendSwitch("disable-gpu-process-crash-limit");
  // A picture is decoded before the frame that it is in: otherwise a first frame is a page's background alone.
  commandLine.appendSwitch("disable-checker-imaging");
  // Where a language is written from the right, windows would be laid out from there: a pixel off, with the next item beside it.
  commandLine.appendSwitch("force-ui-direction", "ltr");
  // Whatever is larger than the screen is cut off at its edge, without a bar beside it.
  commandLine.appendSwitch("hide-scrollbars");
  // No second copy of media on the disk: the media cache is the only one.
  commandLine.appendSwitch("disk-cache-size", "1");
  commandLine.appendSwitch("disable-http-cache");
  // A window that the desktop fits is as large as its display, and nothing sticks out of it: cued decks are covered whole, and
  // draw all the same.
  if (isFittedByDesktop()) commandLine.appendSwitch(DRAW_COVERED);
  // Pages that find no room in it for what they draw crash.
  if (!hasSharedMemory()) commandLine.appendSwitch("disable-dev-shm-usage");
  // Nothing in Chromium talks to anybody on its own.
  commandLine.appendSwitch("disable-background-networking");
  commandLine.appendSwitch("disable-component-update");
  commandLine.appendSwitch("no-pings");
  // Chromium itself needs no name: whatever creatives may load, the player fetches. Without this `dns-prefetch` asks the
  // network's resolver for any name that a page likes, past proxies and handlers.
  commandLine.appendSwitch("host-resolver-rules", "MAP * ~NOTFOUND");
  // Where graphics fail again and again, or never work: this also spares each start the vain tries.
  if (plan.rendering === "software") commandLine.appendSwitch("disable-gpu");
  // Without a graphics processor WebGL is computed by software, as Chromium did by itself until it left that to this switch; else
  // such creatives would be empty. It is done in the graphics process, which is as sandboxed as with one.
  commandLine.appendSwitch("enable-unsafe-swiftshader");
  if (!hardwareDecoding || plan.safe) commandLine.appendSwitch("disable-accelerated-video-decode");
  // Whatever plays sound opens a device, which may be what fails.
  if (plan.safe) commandLine.appendSwitch("mute-audio");
  if (plan.safe) return;
  for (const given of switches) commandLine.appendSwitch(...switchIn(given));
}
