import type { SwitchName } from "./switches.ts";

/** One point that the contract leaves open, or barely settles, and what the emulator does about it. */
export interface Behaviour {
  /** As in A1 or F21: section and number. */
  readonly id: string;
  readonly topic: string;
  /** What the contract says, in its words where it has any. */
  readonly contract: string;
  readonly answer: string;
  /** Where the emulator can also do otherwise. */
  readonly switch?: SwitchName;
}
