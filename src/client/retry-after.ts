/** No service is obeyed for longer: a wrong header must not keep a screen on house content for days. */
export const LONGEST_RETRY_AFTER_MS = 3_600_000;

/**
 * The wait that an answer's `Retry-After` asks for, in milliseconds, or null where there is none to be read. Both forms
 * are understood, seconds and an HTTP-date (A14); a date is measured against the answer's own `Date`, so that a wrong
 * clock here does not matter.
 */
export function retryAfterMs(headers: Headers): number | null {
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return null;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - (dateOf(headers) ?? Date.now());
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(0, waitMs), LONGEST_RETRY_AFTER_MS);
}

/** The service's wall clock as its answer's `Date` header tells it, epoch milliseconds, or null. */
export function dateOf(headers: Headers): number | null {
  const value = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(value) ? null : value;
}
