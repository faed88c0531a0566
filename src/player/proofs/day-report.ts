import type { Instant, ItemKind } from "../../core/spot.ts";
import type { ProofState } from "./proof-records.ts";

/** How often something happened in a quarter of an hour: the hours of every time zone are made of whole quarters. */
export interface DeliveryCount {
  /** Quarters of an hour since the Unix epoch, by the service's clock. */
  readonly quarter: number;
  readonly what: "slot" | "fill" | "failed";
  /** Of `failed` the reason, else empty. */
  readonly label: string;
  readonly count: number;
}

export const QUARTER_MS = 900_000;

export function quarterOf(serviceTime: Instant): number {
  return Math.floor(serviceTime / QUARTER_MS);
}

/** A proof as far as a report is concerned. */
export interface ReportedProof {
  readonly kind: ItemKind;
  readonly state: ProofState;
  /** When its item had been shown in full: epoch milliseconds, by the service's clock. */
  readonly shownAt: number;
  /** From then to its delivery, or null where it has not been delivered. */
  readonly delayMs: number | null;
}

/** What there was in some span of time. An item counts in the hour in which it had been shown in full. */
export interface Sums {
  /** Times a spot was asked for, and times there was one. */
  readonly slots: number;
  readonly fills: number;
  readonly shown: Readonly<Record<ItemKind, number>>;
  /** Items that were not shown in full, by reason. */
  readonly failed: Readonly<Record<string, number>>;
  /** What has become so far of the proofs of the items shown. */
  readonly proofs: Readonly<Record<ProofState, number>>;
  /** Between an item's end and the delivery of its proof; null where none was delivered. */
  readonly delayMs: { readonly p50: number; readonly p95: number; readonly p99: number; readonly max: number } | null;
}

/** An hour as the clock on the wall has it, `02:00`; with the offset from UTC, `02:00+01:00`, where it comes twice. */
export interface HourSums extends Sums {
  readonly hour: string;
}

export interface DayReport {
  readonly day: string;
  readonly timeZone: string;
  readonly total: Sums;
  readonly hours: readonly HourSums[];
}

/** A day of a time zone: its hours in order, each with its quarters of an hour since the epoch. */
export interface Day {
  readonly day: string;
  readonly timeZone: string;
  readonly hours: readonly { readonly hour: string; readonly quarters: readonly number[] }[];
  /** Epoch milliseconds, the end not included. */
  readonly from: number;
  readonly until: number;
}

/** The day `YYYY-MM-DD` in an IANA time zone: of 24 hours, or of 23 or 25 where the clocks are changed. */
export function dayIn(day: string, timeZone: string): Day {
  const noon = quarterOf(Date.parse(`${day}T12:00:00Z`));
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    timeZoneName: "longOffset",
    hourCycle: "h23",
  });
  const hours = new Map<string, number[]>();
  // No zone is further than a day from UTC.
  for (let quarter = noon - 3 * HALF_DAY; quarter < noon + 3 * HALF_DAY; quarter++) {
    const parts = Object.fromEntries(
      format.formatToParts(quarter * QUARTER_MS).map(({ type, value }) => [type, value]),
    );
    if (`${parts.year}-${parts.month}-${parts.day}` !== day) continue;
    const hour = `${parts.hour}:00${parts.timeZoneName?.replace("GMT", "")}`;
    hours.set(hour, [...(hours.get(hour) ?? []), quarter]);
  }
  const labels = [...hours.keys()].map((hour) => hour.slice(0, LABEL_LENGTH));
  const labelOf = (hour: string) => {
    const label = hour.slice(0, LABEL_LENGTH);
    return labels.indexOf(label) === labels.lastIndexOf(label) ? label : hour;
  };
  const quarters = [...hours.values()].flat();
  return {
    day,
    timeZone,
    hours: [...hours].map(([hour, own]) => ({ hour: labelOf(hour), quarters: own })),
    from: Math.min(...quarters) * QUARTER_MS,
    until: (Math.max(...quarters) + 1) * QUARTER_MS,
  };
}

const HALF_DAY = 48;
const LABEL_LENGTH = "00:00".length;

/** Adds up a day from its proofs and its counts. */
export function reportOn(day: Day, proofs: readonly ReportedProof[], counts: readonly DeliveryCount[]): DayReport {
  const byQuarter = grouped(proofs, ({ shownAt }) => quarterOf(shownAt));
  const countsByQuarter = grouped(counts, ({ quarter }) => quarter);
  const sumsOf = (quarters: readonly number[]) =>
    sums(
      quarters.flatMap((quarter) => byQuarter.get(quarter) ?? []),
      quarters.flatMap((quarter) => countsByQuarter.get(quarter) ?? []),
    );
  return {
    day: day.day,
    timeZone: day.timeZone,
    total: sumsOf(day.hours.flatMap(({ quarters }) => quarters)),
    hours: day.hours.map(({ hour, quarters }) => ({ hour, ...sumsOf(quarters) })),
  };
}

function grouped<T>(values: readonly T[], keyOf: (value: T) => number): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

function sums(proofs: readonly ReportedProof[], counts: readonly DeliveryCount[]): Sums {
  const counted = (what: DeliveryCount["what"]) => counts.filter((one) => one.what === what);
  const of = (what: DeliveryCount["what"]) => counted(what).reduce((sum, { count }) => sum + count, 0);
  const failed: Record<string, number> = {};
  for (const { label, count } of counted("failed")) failed[label] = (failed[label] ?? 0) + count;
  const states = { owed: 0, delivered: 0, refused: 0, expired: 0 };
  const shown = { news: 0, ad: 0 };
  for (const { state, kind } of proofs) {
    states[state]++;
    shown[kind]++;
  }
  return { slots: of("slot"), fills: of("fill"), shown, failed, proofs: states, delayMs: delaysOf(proofs) };
}

function delaysOf(proofs: readonly ReportedProof[]): Sums["delayMs"] {
  const delays = proofs
    .flatMap(({ state, delayMs }) => (state === "delivered" && delayMs !== null ? [delayMs] : []))
    .sort((one, other) => one - other);
  if (delays.length === 0) return null;
  // The smallest delay that so large a share of all does not exceed.
  const at = (share: number) => Math.round(delays[Math.ceil(share * delays.length) - 1] ?? 0);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
