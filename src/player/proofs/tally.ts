import type { Instant } from "../../core/spot.ts";

/** How often something happened in a quarter of an hour: the hours of every time zone are made of whole quarters. */
export interface Tally {
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
