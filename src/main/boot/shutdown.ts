import { app } from "electron";
import type { Logger } from "pino";
import type { Recovery } from "../recovery/recovery.ts";
import { EXIT } from "../recovery/supervisor.ts";

/** Whatever happens, the process is gone this long after it was asked to stop. */
const GONE_WITHIN_MS = 10_000;

/** How an operating system asks a process to stop. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Has the process exit with 0 when asked to stop, until a `Shutdown` ends it in good order. Otherwise Chromium would ask its
 * windows to close, which they refuse, and the process stayed. Once Electron is ready: until then Chromium takes signals.
 */
export function leaveWhenAsked(noteEnd = (): void => {}): void {
  onStopSignals(() => {
    noteEnd();
    leave(EXIT.stopped);
  });
}

function onStopSignals(stop: () => void): void {
  for (const signal of STOP_SIGNALS) process.removeAllListeners(signal).on(signal, stop);
}

/** Ends the process in good order: what was started last is stopped first. */
export class Shutdown {
  readonly #log: Logger;
  readonly #stops: { readonly name: string; readonly stop: () => Promise<void> }[] = [];
  #ending: Promise<void> | null = null;

  /**
   * From now on the process exits with 0 when asked to stop, with 75 after an uncaught error, and with the code that
   * `recovery` gives after any other fault that it does not tolerate.
   */
  constructor(log: Logger, recovery: Recovery) {
    this.#log = log;
    this.add("recovery", async () => recovery.end());
    recovery.restartBy((code, fault) => {
      log.error({ ...recovery.report(), trouble: fault }, "restarting the player");
      void this.end(code);
    });
    onStopSignals(() => void this.end(EXIT.stopped));
    app.on("before-quit", (event) => {
      event.preventDefault();
      void this.end(EXIT.stopped);
    });
    // Until now there was nothing to end in good order.
    process.removeAllListeners("uncaughtException").removeAllListeners("unhandledRejection");
    const fail = (error: unknown) => {
      log.fatal({ err: error }, "unexpected error");
      recovery.reportFault("uncaught");
    };
    process.on("uncaughtException", fail);
    process.on("unhandledRejection", fail);
  }

  add(name: string, stop: () => Promise<void>): void {
    this.#stops.push({ name, stop });
  }

  /** Stops everything and ends the process with `code`; the first caller's code counts. */
  end(code: number): Promise<void> {
    this.#ending ??= this.#end(code);
    return this.#ending;
  }

  async #end(code: number): Promise<void> {
    this.#log.info({ code }, "player stopping");
    setTimeout(() => leave(code), GONE_WITHIN_MS);
    for (const { name, stop } of this.#stops.reverse()) {
      await stop().catch((error: unknown) => this.#log.error({ err: error, part: name }, "could not be stopped"));
    }
    leave(code);
  }
}

/** How long a thread may take to end what it does, before the process ends without it. */
const THREADS_WITHIN_MS = 2_000;

/** What the runtime's threads do for this process: names and files. */
const OF_THREADS = /^(GetAddrInfo|GetNameInfo|FS)Req/;

/**
 * Ends the process. Chromium is not asked to take itself down: under Wayland it crashes or hangs over that, and on a busy machine
 * it was seen to crash on X11. An exit waits for the runtime's threads: for one that hangs, over a name server that says
 * nothing or a share that is gone, for ever. Then a signal ends the process, which waits for none, and tells no code.
 */
function leave(code: number, untilAt = performance.now() + THREADS_WITHIN_MS): void {
  if (!process.getActiveResourcesInfo().some((name) => OF_THREADS.test(name))) {
    (process as typeof process & { reallyExit(code: number): never }).reallyExit(code);
  }
  if (performance.now() < untilAt) setTimeout(() => leave(code, untilAt), LOOK_EVERY_MS);
  else process.kill(process.pid, "SIGKILL");
}

const LOOK_EVERY_MS = 20;
