import type { z } from "zod";
import { type ConfigProblem, problemAt } from "./problems.ts";
import type { ConfigFile, displaySchema } from "./schema.ts";

/** A screen that the player plays, and the display it plays it on. */
export interface ScreenConfig {
  readonly screenId: string;
  readonly display: Readonly<z.output<typeof displaySchema>>;
}

/** The screens of a configuration in which `screenProblems` found nothing. */
export function screensOf({ screenId, display, screens = [] }: ConfigFile): readonly ScreenConfig[] {
  return screenId === undefined ? screens : [{ screenId, display }];
}

/**
 * What is wrong with how a configuration names its screens: by `screenId` or by `screens`, never both; each of them once,
 * each on a display of its own as far as that can be told before the displays are known.
 */
export function screenProblems(written: unknown): ConfigProblem[] {
  if (!isRecord(written)) return [];
  const { screenId, screens, display } = written;
  if (screens === undefined) return screenId === undefined ? [{ path: "screenId", message: "is missing" }] : [];
  const beside = (path: string, message: string, value: unknown) => (value === undefined ? [] : [{ path, message }]);
  const entries = Array.isArray(screens) ? screens.map((entry) => (isRecord(entry) ? entry : {})) : [];
  return [
    ...beside("screenId", "must not stand beside screens: one of the two says what this player plays", screenId),
    ...beside("display", "must not stand beside screens: each of them has a display of its own", display),
    ...repeated(entries.map((entry) => entry.screenId)).map((index) =>
      problemAt(["screens", index, "screenId"], "is there twice: each screen is played once"),
    ),
    ...repeated(entries.map(matchOf)).map((index) =>
      problemAt(["screens", index, "display", "match"], "is there twice: a display shows one screen"),
    ),
  ];
}

/** Numbers and texts name the same place; without any it is the primary display. */
function matchOf({ display }: Readonly<Record<string, unknown>>): string {
  const match = isRecord(display) ? (display.match ?? null) : null;
  return match === null ? "" : String(match);
}

/** Where a value stands that stood before. */
function repeated(values: readonly unknown[]): number[] {
  return values.flatMap((value, index) => (value !== undefined && values.indexOf(value) < index ? [index] : []));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
