import { app, nativeTheme } from "electron";
import { PLAIN_START } from "../core/recovery.ts";
import { systemClock } from "../player/clock.ts";
import { readConfig } from "../player/config/config.ts";
import { readArguments } from "./arguments.ts";
import { EXIT } from "./exit-codes.ts";
import { refuseBadCertificates } from "./guards/certificates.ts";
import { forbiddenSwitches } from "./guards/switches.ts";
import { describeMachine } from "./machine.ts";
import { play } from "./play.ts";
import { planStart } from "./recovery/recovery.ts";
import { registerSchemes } from "./schemes.ts";
import { applySwitches } from "./switches.ts";
import { awaitGoodConfig, describeProblems } from "./trouble.ts";

/** Starts what the arguments ask for: a command, a check of the configuration, or the player. */
export async function start(): Promise<void> {
  const { command, config, checkConfig } = readArguments(process.argv, app.isPackaged);
  const refused = app.isPackaged ? forbiddenSwitches(process.argv) : [];
  if (refused.length > 0) {
    process.stderr.write(`spotloop: does not run with ${refused.map((name) => `--${name}`).join(", ")}\n`);
    return app.exit(EXIT.configuration);
  }
  if (command?.[0] === "machine") return hasNoDisplay() ? app.exit(EXIT.restart) : describeMachine();
  if (command !== null) {
    const { runCli } = await import("../cli/main.ts");
    return app.exit(await runCli(command));
  }
  startPlayer(config, checkConfig);
}

/** Runs before Electron is ready, and so waits for nothing: Electron is ready only once this has returned. */
function startPlayer(path: string | null, checkConfig: boolean): void {
  const reading = readConfig({ path, env: process.env });
  if (reading.kind === "bad") process.stderr.write(describeProblems(reading));
  if (checkConfig || hasNoDisplay()) {
    app.exit(reading.kind === "bad" ? EXIT.configuration : withoutDisplay(checkConfig));
    return;
  }
  harden();
  darkenNewWindows();
  const clock = systemClock();
  if (reading.kind === "ok") {
    const plan = planStart(reading.config.dataDir, clock);
    applySwitches(reading.config.playback, plan);
    void play(reading, clock, plan);
  } else {
    applySwitches({ hardwareDecoding: true, switches: [] }, PLAIN_START);
    void awaitGoodConfig(reading, path).then((good) => play(good, clock, PLAIN_START));
  }
}

function harden(): void {
  // Chromium refuses to run as root with its sandbox on; without it is for development only.
  if (app.isPackaged || !app.commandLine.hasSwitch("no-sandbox")) app.enableSandbox();
  else process.stderr.write("spotloop: the sandbox is off; never do this on a real screen\n");
  registerSchemes();
  refuseBadCertificates(app);
  // Windows come and go with their displays; only the supervisor and the operator end a player.
  app.on("window-all-closed", () => {});
}

/** Not white: for an instant a new window has the background of the desktop's theme. What pages see is a light one. */
function darkenNewWindows(): void {
  process.env.GTK_THEME = "Adwaita:dark";
  nativeTheme.themeSource = "light";
}

/** What a player with a good configuration ends with when it is not to show anything, or cannot. */
function withoutDisplay(checkConfig: boolean): number {
  if (checkConfig) return EXIT.stopped;
  process.stderr.write("spotloop: there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set\n");
  return EXIT.restart;
}

function hasNoDisplay(): boolean {
  return process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
}
