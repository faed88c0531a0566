import { app } from "electron";
import type { StartPlan } from "../../core/recovery.ts";
import type { Config } from "../../player/config/config.ts";
import { isWayland } from "../../player/display.ts";
import { DRAW_COVERED } from "../window/window.ts";

/** The least important lines that Chromium's main process writes: any, or those with which it ends. */
const ALL = "0";
const FATAL = "3";

/**
 * Chromium's switches for a player, each with its reason; they count only before Electron is ready. A recovery's plan goes
 * before what the configuration says.
 */
export function applySwitches(
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
  // Whatever is larger than the screen is cut off at its edge, without a bar beside it.
  commandLine.appendSwitch("hide-scrollbars");
  // No second copy of media on the disk: the media cache is the only one.
  commandLine.appendSwitch("disk-cache-size", "1");
  commandLine.appendSwitch("disable-http-cache");
  // Under Wayland a window is as large as its display, and nothing sticks out of it: cued decks are covered whole, and draw all
  // the same. On X11 they stick out.
  if (isWayland(process.env, process.argv)) commandLine.appendSwitch(DRAW_COVERED);
  // Nothing in Chromium talks to anybody on its own.
  commandLine.appendSwitch("disable-background-networking");
  commandLine.appendSwitch("disable-component-update");
  commandLine.appendSwitch("no-pings");
  // Chromium itself needs no name: whatever creatives may load, the player fetches. Without this `dns-prefetch` asks the
  // network's resolver for any name that a page likes, past proxies and handlers.
  commandLine.appendSwitch("host-resolver-rules", "MAP * ~NOTFOUND");
  // Where graphics fail again and again, or never work: this also spares each start the vain tries.
  if (plan.rendering === "software") commandLine.appendSwitch("disable-gpu");
  if (!hardwareDecoding || plan.safe) commandLine.appendSwitch("disable-accelerated-video-decode");
  if (plan.safe) return;
  for (const given of switches) {
    const [name = "", value] = given.split("=", 2);
    commandLine.appendSwitch(name, value);
  }
}
