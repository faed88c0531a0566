import { exitCodes } from "../exit.ts";

/** What one look at this machine, or at the service from here, came to. */
export interface Finding {
  /** What was looked at: `clock`, `screen`. */
  readonly name: string;
  readonly verdict: "ok" | "warning" | "failed";
  readonly text: string;
  /** What to do about it, or null where there is nothing to do. */
  readonly advice: string | null;
  /** What the command ends with if this is the worst: 0 unless it failed. */
  readonly code: number;
}

export function fine(name: string, text: string): Finding {
  return { name, verdict: "ok", text, advice: null, code: exitCodes.stopped };
}

export function warning(name: string, text: string, advice: string | null = null): Finding {
  return { name, verdict: "warning", text, advice, code: exitCodes.stopped };
}

export function failure(name: string, text: string, advice: string | null, code: number = exitCodes.failed): Finding {
  return { name, verdict: "failed", text, advice, code };
}

/**
 * The exit code for all findings: that of the first cause, since what comes later often follows from it. A configuration
 * goes before a token, that before the service, and that before the rest.
 */
export function codeOf(findings: readonly Finding[]): number {
  const order = [exitCodes.configuration, exitCodes.permission, exitCodes.unavailable, exitCodes.failed];
  return order.find((code) => findings.some((finding) => finding.code === code)) ?? exitCodes.stopped;
}
