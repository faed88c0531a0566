import type { Instant } from "../../src/core/spot.ts";
import type { Cause } from "./causes.ts";
import type { AlertSeen } from "./monitoring/watch.ts";

/** What came of one cause; times are minutes of the fleet from when it broke, null for what did not happen. */
export interface Outcome {
  readonly cause: Cause;
  readonly firedAfter: number | null;
  readonly toldAfter: number | null;
  /** Alerts that followed, and were held back. */
  readonly silenced: readonly string[];
  /** Alerts that are to follow besides, and were told. */
  readonly besides: readonly string[];
  /** What is not as it should be, in words. */
  readonly complaints: readonly string[];
}

/** A kiosk that was broken, and when. */
export interface Breakdown {
  readonly cause: Cause;
  readonly brokenAt: Instant;
}

const MINUTE_MS = 60_000;
/** An alert may come so much before the documented minute: what it waits for has begun a little before the breakdown. */
const EARLY_MINUTES = 2;
/** And so much after: it is scraped, pushed and looked at in turn, each of which takes up to a minute. */
const LATE_MINUTES = 5;
/** So many real minutes a machine with other work may hold everything up; they are more of a fleet that lives faster. */
export const HELD_UP_MINUTES = 1 / 3;

/** Holds what was seen of a broken kiosk, in a fleet of this speed, against what its cause is to lead to. */
export function judge({ cause, brokenAt }: Breakdown, seen: readonly AlertSeen[], speed: number): Outcome {
  const own = seen.filter(({ kiosk }) => kiosk === cause.name);
  const of = (name: string | null) => own.find(({ alert }) => alert === name);
  const after = (at: Instant | null | undefined) => (at == null ? null : (at - brokenAt) / MINUTE_MS);
  const main = of(cause.alert);
  const [firedAfter, toldAfter] = [after(main?.firedAt), after(main?.toldAt)];
  const silenced = (cause.silenced ?? []).filter((name) => of(name)?.silencedAt != null);
  const besides = (cause.besides ?? []).filter((name) => of(name)?.toldAt != null);
  const complaints = [
    ...(cause.alert === null ? [] : timing(cause, { firedAfter, toldAfter }, speed)),
    ...(cause.besides ?? []).filter((name) => !besides.includes(name)).map((name) => `${name} was not told`),
    ...own.flatMap((one) => strangeness(one, cause)),
  ];
  return { cause, firedAfter, toldAfter, silenced, besides, complaints };
}

function timing(
  cause: Cause,
  { firedAfter, toldAfter }: Pick<Outcome, "firedAfter" | "toldAfter">,
  speed: number,
): string[] {
  if (firedAfter === null) return [`${cause.alert} did not fire`];
  if (toldAfter === null) return [`${cause.alert} fired, and nobody was told`];
  const { dueMinutes } = cause;
  if (firedAfter < dueMinutes - EARLY_MINUTES) return [`${cause.alert} fired before its ${dueMinutes} minutes`];
  return firedAfter > dueMinutes + LATE_MINUTES + HELD_UP_MINUTES * speed ? [`${cause.alert} fired late`] : [];
}

/** What an alert of this kiosk has no reason for. */
function strangeness({ alert, toldAt }: AlertSeen, cause: Cause): string[] {
  if (alert === cause.alert || cause.besides?.includes(alert)) return [];
  if (cause.silenced?.includes(alert)) return toldAt === null ? [] : [`${alert} was told, though it only follows`];
  return [`${alert} fired without a reason`];
}

/** The alerts of kiosks with which nothing is wrong, or nothing yet, in words. */
export function falseAlarms(seen: readonly AlertSeen[], isWell: (kiosk: string) => boolean): readonly string[] {
  return seen.filter(({ kiosk }) => isWell(kiosk)).map(({ alert, kiosk }) => `${alert} of ${kiosk}, which is well`);
}
