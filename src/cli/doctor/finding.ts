import { type ProxyEnd, ProxyFailure, reasonOf } from "../../client/reply.ts";
import { EgressDenied } from "../../player/network/egress-policy.ts";
import { isUnknownSigner } from "../../player/network/trust.ts";
import { exitCodes } from "../command-line.ts";

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

/** Where a request that got no answer of its host's ended, in words, and what to do about it. */
export interface Ending {
  readonly reason: string;
  readonly advice: string;
}

const WRONG_TIME = "Check this machine's date; else tell the operator of the service.";
const NO_TLS =
  "Check the address: no TLS is spoken at this port. Either it is another one, or the address begins with http:.";

const OTHER_TLS =
  "Tell whoever runs it: HTTP/1.1 by TLS 1.2 or newer is needed there, and no certificate from this side.";

/** How Node names what either side has against the other's TLS. */
const OF_TLS = /^ERR_SSL_/;

/** By Node's name for what went wrong. */
const ADVICE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: WRONG_TIME,
  CERT_NOT_YET_VALID: WRONG_TIME,
  ERR_TLS_CERT_ALTNAME_INVALID:
    "Check the address: its certificate is for another name. Else something in between answers.",
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

/** How far down a chain of causes is looked. */
const DEEPEST_CAUSE = 5;

/** Where a request to `host` ended that failed with `error`. */
export function endingOf(error: unknown, host: string): Ending {
  const [known] = causes(error).filter((cause) => cause instanceof ProxyFailure || cause instanceof EgressDenied);
  if (known instanceof ProxyFailure) return { reason: known.message, advice: proxyAdvice(known.end, host) };
  if (known !== undefined) {
    const advice = `Its address is private. If that is right, name ${host} in creatives.allowHosts.`;
    return { reason: known.message, advice };
  }
  const reason = reasonOf(error);
  if (isUnknownSigner(error)) {
    const advice = "Set network.caFile to the certificate of its signer: your network's own authority, or its proxy.";
    return { reason: `its certificate is not known: ${reason}`, advice };
  }
  const unknown = OF_TLS.test(reason) ? OTHER_TLS : `Let this machine reach ${host}: a firewall may stand between.`;
  return { reason, advice: ADVICE[reason] ?? unknown };
}

/** What to do about a captive portal. */
export const LOG_IN = "Log in to this network from this machine, or have it let through without.";

function proxyAdvice(end: ProxyEnd, host: string): string {
  switch (end.kind) {
    case "unreachable":
      return "Check network.proxy, or HTTPS_PROXY and HTTP_PROXY, and whether the proxy runs.";
    case "login":
      if (end.unsupported.length > 0) return "Have the proxy let this machine through without a login, or by Basic.";
      return "Mend the file that network.proxyAuthFile names: one line, user:password.";
    case "refused":
      return `Have the proxy let this machine reach ${host}, or name it in NO_PROXY.`;
  }
}

function causes(error: unknown): readonly unknown[] {
  const found: unknown[] = [];
  for (let cause = error; cause instanceof Error && found.length < DEEPEST_CAUSE; cause = cause.cause)
    found.push(cause);
  return found;
}
