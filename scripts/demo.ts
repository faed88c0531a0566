// Run by `npm run demo`: the player against the emulator, both on this machine, with each spot and proof told as it happens.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator } from "./demo/emulator.ts";
import { type End, follow } from "./demo/follow.ts";
import type { LedgerEvent } from "./demo/ledger.ts";
import { type DemoOptions, readOptions } from "./demo/options.ts";
import { startPlayer } from "./demo/player.ts";
import { newReporter, type Reporter } from "./demo/reporter.ts";
import { photograph } from "./demo/screenshot.ts";
import type { Ready } from "./ready.mjs";
import { startDisplay } from "./setup/display.ts";
import type { Runtime } from "./setup/electron.ts";
import { CALLED_FROM } from "./setup/paths.mjs";
import { hasNoScreen, prepareElectron } from "./setup/prepare.ts";

/** What two cores paint at ease without a graphics card. */
const DISPLAY = { width: 1280, height: 720 };
/** When a proof arrives the next item is on air; this much later it is well past its first frame. */
const PHOTO_AFTER_PROOF_MS = 1_500;

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const options = readOptions(args, CALLED_FROM);
  const needs = [...(hasNoScreen() ? ["display" as const] : []), ...(options.screenshot ? ["watching" as const] : [])];
  const runtime = await prepareElectron(needs, ready);

  const folder = await mkdtemp(join(tmpdir(), "spotloop-demo-"));
  const tell = newReporter();
  const end = await play(runtime, folder, options, tell, ready.signal);
  if (end.kind === "failed") {
    tell.end(false, `Failed: ${end.reason}\nIts configuration and logs are in ${folder}`);
    return 1;
  }
  await rm(folder, { recursive: true, force: true });
  tell.end(true, `${end.proved} ${end.proved === 1 ? "spot was" : "spots were"} shown and proved.`);
  return end.kind === "proved" || options.spots === Number.POSITIVE_INFINITY ? 0 : 1;
}

async function play(
  runtime: Runtime,
  folder: string,
  options: DemoOptions,
  tell: Reporter,
  signal: AbortSignal,
): Promise<End> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const virtual = hasNoScreen() ? await startDisplay(DISPLAY) : null;
    if (virtual) stops.unshift(virtual.stop);
    const display = { name: virtual?.name ?? process.env.DISPLAY, fullscreen: virtual !== null };

    const { child: emulator, network } = await startEmulator();
    stops.unshift(emulator.stop);
    const player = await startPlayer(runtime, folder, network, display);
    stops.unshift(player.stop);
    introduce(tell, runtime, network.controlUrl, virtual?.name ?? null, options);

    const photo = photographer(options.screenshot, display.name, tell, signal);
    const onEvent = async (event: LedgerEvent) => {
      tell.event(event);
      if (event.kind === "proved") await photo();
    };
    return await follow({ network, emulator, player, spots: options.spots, signal, onEvent });
  } finally {
    for (const stop of stops) await stop();
  }
}

function introduce(
  tell: Reporter,
  runtime: Runtime,
  controlUrl: string,
  virtual: string | null,
  { spots }: DemoOptions,
): void {
  const electron = `Electron ${runtime.version}${runtime.fallback ? " (stand-in for development)" : ""}`;
  const sandbox = runtime.args.includes("--no-sandbox") ? ", without Chromium's sandbox because this is root" : "";
  tell.title("Spotloop demo");
  tell.fact(
    "player",
    `${electron}, on ${virtual === null ? "this screen" : `a virtual display (${virtual})`}${sandbox}`,
  );
  tell.fact("emulator", controlUrl);
  const all = spots === 1 ? "1 spot is" : `${spots} spots are`;
  tell.fact("until", Number.isFinite(spots) ? `${all} shown and proved` : "Ctrl-C");
  tell.title("What happens");
}

/** Takes the one picture that was asked for, when it is first called. */
function photographer(file: string | null, display: string | undefined, tell: Reporter, signal: AbortSignal) {
  let taken = file === null || display === undefined;
  return async () => {
    if (taken || file === null || display === undefined) return;
    taken = true;
    await sleep(PHOTO_AFTER_PROOF_MS, undefined, { signal });
    await photograph(display, file, signal);
    tell.fact("picture", file);
  };
}
