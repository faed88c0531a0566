import { draining } from "./draining.ts";
import { emulatorMemory } from "./emulator/memory.ts";
import { emulatorScreens } from "./emulator/screens.ts";
import { emulatorSpeed } from "./emulator/speed.ts";
import { emulatorStartup } from "./emulator/startup.ts";
import { growth } from "./growth.ts";
import type { Line } from "./line.ts";
import { downloading } from "./media/downloading.ts";
import { frugality } from "./media/frugality.ts";
import { memory } from "./memory.ts";
import { owing } from "./owing.ts";
import { peers } from "./peers/peers.ts";
import { record } from "./record.ts";
import { startup } from "./startup.ts";
import { thousand } from "./thousand.ts";
import { transitions } from "./transitions.ts";

/** All there is to measure, in the order in which it is. */
export const LINES: readonly Line[] = [
  ...[transitions, thousand, memory, startup],
  ...[owing, draining, record, downloading, frugality],
  ...[emulatorSpeed, emulatorScreens, emulatorStartup, emulatorMemory],
  ...[growth, peers],
];
