import { powerSaveBlocker } from "electron";
import type { Logger } from "pino";
import { runProgram } from "./run-program.ts";

/** Switches the displays of this machine off and on by a program that may be installed. */
interface DisplayDriver {
  readonly program: string;
  readonly off: readonly string[];
  readonly on: readonly string[];
}

/** Of the X server: without its DPMS extension, as on a virtual display, it says no. */
const X11: DisplayDriver = { program: "xset", off: ["dpms", "force", "off"], on: ["dpms", "force", "on"] };
/** For compositors with wlr-output-power-management: cage 0.2, labwc, sway. */
const WLOPM: DisplayDriver = { program: "wlopm", off: ["--off", "*"], on: ["--on", "*"] };

/**
 * Keeps the displays awake while at least one screen is open, and switches them off while all are closed, where a driver
 * can. A closed screen is black in any case.
 */
export class DisplayPower {
  readonly #log: Logger;
  readonly #driver: DisplayDriver | null;
  readonly #open: Set<string>;
  #blocker: number | null = null;
  /** One after the other: the last order is the one that counts. */
  #turn: Promise<void> = Promise.resolve();

  /** For these screens, all of them open. Displays are left alone altogether where `switches` is false. */
  constructor(screenIds: readonly string[], switches: boolean, log: Logger) {
    this.#log = log;
    this.#open = new Set(screenIds);
    this.#driver = switches ? driverFor(process.env) : null;
    this.#stayAwake();
    // A player that crashed while it was closed left them off.
    this.#turn = this.#switch(true);
  }

  /** Takes in that a screen closes or opens. */
  note(screenId: string, dark: boolean): void {
    const wasOpen = this.#open.size > 0;
    if (dark) this.#open.delete(screenId);
    else this.#open.add(screenId);
    const isOpen = this.#open.size > 0;
    if (isOpen === wasOpen) return;
    if (isOpen) this.#stayAwake();
    else this.#letSleep();
    this.#turn = this.#turn.then(() => this.#switch(isOpen));
  }

  /** Leaves the displays on for the next program. */
  async release(): Promise<void> {
    if (this.#open.size === 0) this.#turn = this.#turn.then(() => this.#switch(true));
    await this.#turn;
  }

  #stayAwake(): void {
    this.#blocker ??= powerSaveBlocker.start("prevent-display-sleep");
  }

  #letSleep(): void {
    if (this.#blocker !== null) powerSaveBlocker.stop(this.#blocker);
    this.#blocker = null;
  }

  async #switch(on: boolean): Promise<void> {
    if (this.#driver === null) return;
    const { program, ...orders } = this.#driver;
    const ran = await runProgram(program, on ? orders.on : orders.off);
    const what = on ? "displays on" : "displays off";
    if (ran.kind === "ran") this.#log.info({ program }, what);
    else this.#log.info({ program, reason: ran.reason }, `${what}: the driver cannot; a closed screen is black`);
  }
}

function driverFor(env: NodeJS.ProcessEnv): DisplayDriver | null {
  if (process.platform !== "linux") return null;
  return env.WAYLAND_DISPLAY ? WLOPM : X11;
}
