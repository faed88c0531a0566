import type { Logger } from "pino";
import {
  againMs,
  CHECK_AFTER_MS,
  type DisplayTruth,
  obedience,
  type PowerMethod,
  TRIES_BEFORE_TROUBLE,
  truthText,
} from "../../core/displays/panel.ts";
import type { DisplayEntry } from "../../core/proofs/record.ts";
import { type Clock, NEVER, Timer } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { Ran } from "../run-program.ts";

type Power = "on" | "off";

/** One thing that can be switched: a display by itself, or all displays of a session at once. */
export interface PanelSwitch {
  /** How it is switched, in the words of `display.power`. */
  readonly method: string;
  /** Of the screens whose displays it switches. */
  readonly screenIds: readonly string[];
  /** Whether somebody asked for this way: then it is a trouble where it cannot be gone. */
  readonly isMeant: boolean;
  wanted(): Power;
  order(power: Power): Promise<Ran>;
}

/** Orders a display by one method: that of a screen, or with null all displays of the session. */
export type PanelOrder = (method: Exclude<PowerMethod, "leave">, screenId: string | null, power: Power) => Promise<Ran>;

/**
 * Each display by itself, but for DPMS: the X server switches all of its displays, so that they go off once every screen
 * is black. None where nothing could ever have a display switched off.
 */
export function panelSwitches(
  { screens, openingHours, remote }: Pick<Config, "screens" | "openingHours" | "remote">,
  wanted: (screenId: string) => Power,
  order: PanelOrder,
): readonly PanelSwitch[] {
  if (!openingHours.respect && !remote.allow.includes("display")) return [];
  const by = (method: PowerMethod) =>
    screens.filter(({ display }) => display.power === method).map(({ screenId }) => screenId);
  const single = (["cec", "ddc"] as const).flatMap((method) =>
    by(method).map((screenId): PanelSwitch => {
      const ordered = (power: Power) => order(method, screenId, power);
      return { method, screenIds: [screenId], isMeant: true, wanted: () => wanted(screenId), order: ordered };
    }),
  );
  const together = by("dpms");
  if (together.length === 0) return single;
  const dpms: PanelSwitch = {
    ...{ method: "dpms", screenIds: together, isMeant: false },
    wanted: () => (screens.some(({ screenId }) => wanted(screenId) === "on") ? "on" : "off"),
    order: (power) => order("dpms", null, power),
  };
  return [dpms, ...single];
}

export interface PanelPowerParts {
  readonly switches: readonly PanelSwitch[];
  readonly clock: Clock;
  readonly log: Logger;
  /** What is known of a screen's display. */
  readonly truthOf: (screenId: string) => DisplayTruth;
  /** Reads all displays back. */
  readonly look: () => Promise<void>;
  /** Puts a display that does not obey into the playout record. */
  readonly note: (entry: DisplayEntry) => void;
}

/**
 * Switches displays as they are wanted, reads back whether they obeyed, and orders again where they did not, ever more
 * seldom. They are on when it begins: a player that crashed while it was closed left them off.
 */
export class PanelPower {
  readonly #lines: readonly SwitchLine[];

  constructor(parts: PanelPowerParts) {
    this.#lines = parts.switches.map((one) => new SwitchLine(one, parts));
  }

  /** Gives what orders there are to give. */
  follow(): void {
    for (const line of this.#lines) line.follow();
  }

  /** Why a screen's display is not on or off as it is to be, in one line, or null. */
  troubleOf(screenId: string): string | null {
    return this.#lines.map((line) => line.troubles.get(screenId)).find((trouble) => trouble !== undefined) ?? null;
  }

  /** Leaves the displays on for the next program. */
  async release(): Promise<void> {
    await Promise.all(this.#lines.map((line) => line.release()));
  }
}

class SwitchLine {
  readonly #switch: PanelSwitch;
  readonly #parts: PanelPowerParts;
  readonly #timer: Timer;
  readonly troubles = new Map<string, string>();
  #ordered: Power | null = null;
  #tries = 0;
  #isReleased = false;
  /** What comes at the timer's next ring. */
  #next: () => void = () => {};
  /** Orders, one after the other: the last is the one that counts. */
  #turn: Promise<void> = Promise.resolve();

  constructor(one: PanelSwitch, parts: PanelPowerParts) {
    this.#switch = one;
    this.#parts = parts;
    this.#timer = new Timer(parts.clock, () => this.#next());
  }

  follow(): void {
    const wanted = this.#switch.wanted();
    if (wanted === this.#ordered || this.#isReleased) return;
    this.#ordered = wanted;
    this.#tries = 0;
    this.troubles.clear();
    this.#timer.set(NEVER);
    this.#enqueue(() => this.#order(wanted));
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    this.#timer.set(NEVER);
    if (this.#ordered === "off") this.#enqueue(async () => void (await this.#switch.order("on")));
    await this.#turn;
  }

  #enqueue(act: () => Promise<void>): void {
    this.#turn = this.#turn.then(act);
  }

  #isOver(power: Power): boolean {
    return this.#isReleased || this.#ordered !== power;
  }

  async #order(power: Power): Promise<void> {
    if (this.#isOver(power)) return;
    const { method, screenIds } = this.#switch;
    const { log, clock, look } = this.#parts;
    const ran = await this.#switch.order(power);
    const fields = { screens: screenIds, by: method };
    if (ran.kind === "ran") log.info(fields, `displays are switched ${power}`);
    else log.info({ ...fields, reason: ran.reason }, `displays cannot be switched ${power}: a closed screen is black`);
    if (this.#isOver(power)) return;
    // A signal is back at once, and what was hidden for the lack of it comes back with it.
    if (ran.kind === "ran") void look();
    this.#next = () => void this.#check(power, ran);
    this.#timer.set(clock.now() + CHECK_AFTER_MS);
  }

  async #check(power: Power, ran: Ran): Promise<void> {
    if (this.#isOver(power)) return;
    const { look, truthOf, clock } = this.#parts;
    await look();
    if (this.#isOver(power)) return;
    const { screenIds, isMeant } = this.#switch;
    const outcomes = screenIds.map((screenId) => {
      const truth = truthOf(screenId);
      return { screenId, truth, outcome: obedience(power, truth.state) };
    });
    const isInVain = outcomes.some(({ outcome }) => outcome === "disobeys");
    const isStuck = ran.kind === "failed" && isMeant && outcomes.some(({ outcome }) => outcome !== "obeys");
    if (!isInVain && !isStuck) {
      this.#tries = 0;
      this.troubles.clear();
      return;
    }
    this.#tries++;
    if (this.#tries >= TRIES_BEFORE_TROUBLE) {
      for (const { screenId, truth, outcome } of outcomes) {
        if (outcome !== "obeys") this.#complain(screenId, power, truth, ran);
      }
    }
    this.#next = () => this.#enqueue(() => this.#order(power));
    this.#timer.set(clock.now() + againMs(this.#tries));
  }

  #complain(screenId: string, power: Power, truth: DisplayTruth, ran: Ran): void {
    const { log, note } = this.#parts;
    const why = ran.kind === "failed" ? ran.reason : `it is ${truthText(truth)}`;
    const trouble = `the display does not go ${power} by ${this.#switch.method}: ${why}`;
    if (!this.troubles.has(screenId)) {
      log.warn({ screen: screenId, trouble }, "the display does not obey");
      note({ type: "display", screenId, switched: power, state: truth.state });
    }
    this.troubles.set(screenId, trouble);
  }
}
