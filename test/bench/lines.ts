import { draining } from "./draining.ts";
import type { Line } from "./line.ts";
import { memory } from "./memory.ts";
import { owing } from "./owing.ts";
import { startup } from "./startup.ts";
import { transitions } from "./transitions.ts";

/** All there is to measure, in the order in which it is. */
export const LINES: readonly Line[] = [transitions, memory, startup, owing, draining];
