import type { Instant } from "../spot.ts";

/** Media of more than this are large: one clip in full HD is, the parts of a page and pictures are not. */
export const LARGE_BYTES = 10 * 1024 * 1024;

/** A span of the day, in minutes since midnight; one that ends before it begins goes on past midnight. */
export interface DaySpan {
  readonly fromMinute: number;
  readonly untilMinute: number;
}

/** What a line costs too much for; null where it does not matter. */
export interface DataLimits {
  readonly monthlyBytes: number | null;
  /** When large media may be downloaded. */
  readonly largeHours: DaySpan | null;
}

/** What is to be downloaded, and what has been this month. */
export interface DataDemand {
  /** All of it, as far as that is known. */
  readonly sizeBytes: number;
  /** What of it has still to come. */
  readonly missingBytes: number;
  readonly usedBytes: number;
  /** By local time, minutes since midnight. */
  readonly minuteOfDay: number;
}

/** Whether something may be downloaded now. */
export type DataDecision = "allowed" | "over-budget" | "outside-hours";

/** Decides whether media may be downloaded, or what is left of them. A month whose data are used up brings nothing more. */
export function ruleDownload(demand: DataDemand, { monthlyBytes, largeHours }: DataLimits): DataDecision {
  const { sizeBytes, missingBytes, usedBytes, minuteOfDay } = demand;
  if (monthlyBytes !== null && (usedBytes >= monthlyBytes || usedBytes + missingBytes > monthlyBytes)) {
    return "over-budget";
  }
  const isWaiting = sizeBytes > LARGE_BYTES && largeHours !== null && !isWithin(minuteOfDay, largeHours);
  return isWaiting ? "outside-hours" : "allowed";
}

/** A span as it is written, `22:00-06:00`; null where it is not. A span from a time to the same time is the whole day. */
export function daySpanIn(text: string): DaySpan | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (match === null) return null;
  const [fromHour = 0, fromMinute = 0, untilHour = 0, untilMinute = 0] = match.slice(1).map(Number);
  return { fromMinute: fromHour * 60 + fromMinute, untilMinute: untilHour * 60 + untilMinute };
}

function isWithin(minute: number, { fromMinute, untilMinute }: DaySpan): boolean {
  if (fromMinute < untilMinute) return fromMinute <= minute && minute < untilMinute;
  return minute >= fromMinute || minute < untilMinute;
}

/** A bucket that fills at a steady rate, and what was in it when; less than nothing where more was taken than was there. */
export interface Bucket {
  readonly bits: number;
  readonly at: Instant;
}

/** It holds what comes in this time: a burst is no longer than that. */
export const BURST_MS = 1_000;

/** A full bucket. */
export function fullBucket(bitsPerSecond: number, now: Instant): Bucket {
  return { bits: (bitsPerSecond * BURST_MS) / 1_000, at: now };
}

/**
 * Takes bits that have come already, and tells from when on more may come: at once while there are some left,
 * else when what was taken too much has flowed in again.
 */
export function takeFrom(
  bucket: Bucket,
  bits: number,
  bitsPerSecond: number,
  now: Instant,
): { readonly bucket: Bucket; readonly readyAt: Instant } {
  const full = fullBucket(bitsPerSecond, now).bits;
  const flowedIn = (Math.max(0, now - bucket.at) * bitsPerSecond) / 1_000;
  const left = Math.min(full, bucket.bits + flowedIn) - bits;
  return { bucket: { bits: left, at: now }, readyAt: now + Math.max(0, (-left * 1_000) / bitsPerSecond) };
}
