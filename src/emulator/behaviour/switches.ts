import { z } from "zod";

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

/**
 * Where the contract can be read in two ways: `default` is how the emulator answers by default, and each of
 * `alternatives` is how another service might. `row` is the row of the table of behaviours that says more.
 */
export const switches = {
  createStatus: { row: "A3", default: 201, alternatives: [200] },
  spotBadToken: { row: "A5", default: 401, alternatives: [404] },
  unknownFields: { row: "A9", default: "ignore", alternatives: ["reject"] },
  reviewWithoutFields: { row: "B4", default: "refuse", alternatives: ["allow"] },
  screenOnUnapproved: { row: "C1", default: "allow", alternatives: ["refuse"] },
  both: { row: "C2", default: false, alternatives: [true] },
  openingHours: { row: "F5", default: "respect", alternatives: ["ignore"] },
  earlyPop: { row: "F12", default: "accept", alternatives: ["refuse"] },
} as const;

type Table = typeof switches;
export type SwitchName = keyof Table;

/** How every switch stands. */
export type Switches = { [N in SwitchName]: Table[N]["default"] | Table[N]["alternatives"][number] };

export const switchNames = Object.keys(switches) as SwitchName[];

/** Some switches and how they are to stand, as a world or `PATCH /control/behaviour` says. */
export const switchesSchema = z.strictObject(
  Object.fromEntries(switchNames.map((name) => [name, z.literal(valuesOf(name)).optional()])),
) as unknown as z.ZodType<Partial<Switches>, Partial<Switches>>;

/** Every switch at its default, but for those that are given. */
export function switchesWith(some: Partial<Switches>): Switches {
  const defaults = Object.fromEntries(switchNames.map((name) => [name, switches[name].default]));
  return { ...(defaults as unknown as Switches), ...some };
}

function valuesOf(name: SwitchName): (string | number | boolean)[] {
  return [switches[name].default, ...switches[name].alternatives];
}
