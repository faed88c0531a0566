import { lookup } from "node:dns/promises";
import { connect as connectTls } from "node:tls";
import { ANSWERED_ANEW, discard, TimeUp, within } from "../../client/http.ts";
import { dateOf, isPortals, reasonOf } from "../../client/reply.ts";
import { type HttpProxy, proxyFor } from "../../core/network/proxy-choice.ts";
import { boundsOf, middleOf, type RoundTrip } from "../../core/network/service-offset.ts";
import type { Access } from "../../player/config/access.ts";
import type { Environment } from "../../player/config/environment.ts";
import { HUNG_AFTER_MS } from "../../player/network/hung-lookups.ts";
import { heedingMachine, trustOf } from "../../player/network/trust.ts";
import { requestsBy, type Uplink } from "../../player/network/uplink.ts";
import { urlOf } from "../../wire/routes.ts";
import { exitCodes } from "../command-line.ts";
import { endingOf, type Finding, failure, fine, LOG_IN, warning } from "./finding.ts";

/** Long enough for a slow line, short enough for the person who waits. */
const WITHIN_MS = 10_000;
/** One that does not answer is given up after five seconds as a rule, and another one asked. */
const SLOW_NAME_MS = 4_000;
/** A certificate that ends sooner should have been renewed by now. */
const SHORT_CERTIFICATE_MS = 14 * 24 * 3_600_000;
/** A proof is due within an hour of its request; a clock so far off makes times in reports wrong as well. */
const FAR_OFF_MS = 60_000;

/** Looks at the way to the service: its name, its certificate, a proxy, whether it answers this token, its clock. */
export async function serviceFindings({ baseUrl, orgToken, uplink }: Access, env: Environment): Promise<Finding[]> {
  const { hostname, protocol, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  const proxy = proxyFor(new URL(baseUrl), uplink);
  // Behind a proxy it is the proxy that finds the name and connects.
  const isDirectTls = protocol === "https:" && proxy === null;
  return [
    await name(host, proxy),
    ...(isDirectTls ? [await certificate(host, Number(port || 443), uplink)] : []),
    ...proxyFindings(proxy, uplink, env),
    ...(await answer(urlOf(baseUrl, "venueTypes", { org_token: orgToken }), host, requestsBy(uplink).fetch)),
  ];
}

async function name(host: string, proxy: HttpProxy | null): Promise<Finding> {
  const startedAt = performance.now();
  try {
    const { address } = await within(HUNG_AFTER_MS, NEVER, () => lookup(host));
    const tookMs = performance.now() - startedAt;
    const text = address === host ? host : `${host} is ${address}`;
    if (tookMs <= SLOW_NAME_MS) return fine("name", text);
    const advice =
      "Check this machine's name servers: one does not answer, or leaves the question for IPv6 unanswered.";
    return warning("name", `${text}, found after ${Math.round(tookMs / 1_000)} s`, advice);
  } catch (error) {
    if (proxy !== null) return fine("name", `${host} is not known here: the proxy has to know it`);
    const advice = "Check baseUrl, the network cable and the name server.";
    return failure("name", `${host} is not found (${reasonOf(error)})`, advice, exitCodes.unavailable);
  }
}

const NEVER = new AbortController().signal;

async function certificate(host: string, port: number, uplink: Uplink): Promise<Finding> {
  try {
    const { protocol, endsAt } = await heedingMachine(shownBy)(host, port, uplink);
    const text = `${protocol}, valid until ${new Date(endsAt).toISOString().slice(0, 10)}`;
    const isShort = endsAt - Date.now() < SHORT_CERTIFICATE_MS;
    return isShort ? warning("tls", text, "Tell the network's operator.") : fine("tls", text);
  } catch (error) {
    const { reason, advice } = endingOf(error, host);
    return failure("tls", `no trusted connection (${reason})`, advice, exitCodes.unavailable);
  }
}

/** What a host shows that is trusted: rejects where it is not, or nobody answers. */
function shownBy(host: string, port: number, uplink: Uplink): Promise<{ protocol: string | null; endsAt: number }> {
  return new Promise((resolve, reject) => {
    const options = { host, port, servername: host, timeout: WITHIN_MS, ...trustOf(uplink) };
    const socket = connectTls(options, () => {
      const endsAt = Date.parse(socket.getPeerCertificate().valid_to);
      resolve({ protocol: socket.getProtocol(), endsAt });
      socket.destroy();
    });
    const fail = (error: Error) => {
      reject(error);
      socket.destroy();
    };
    socket.on("error", fail);
    socket.on("timeout", () => fail(new TimeUp("no answer")));
  });
}

/** Which proxy the service is asked through, and what is set in vain. */
function proxyFindings(proxy: HttpProxy | null, { namedBy }: Uplink, env: Environment): Finding[] {
  const unread = ["ALL_PROXY", "all_proxy"].filter((variable) => env[variable]);
  const advice = "Set network.proxy, or HTTPS_PROXY and HTTP_PROXY, if the service is to be reached by it.";
  if (unread.length > 0 && namedBy === null) {
    return [warning("proxy", `${unread.join(", ")} is set, and is not used`, advice)];
  }
  if (namedBy === null) return [fine("proxy", "none")];
  if (proxy === null) return [fine("proxy", `not for the service; ${namedBy} names one`)];
  const login = proxy.authorization === null ? "without a password" : "with a password";
  return [fine("proxy", `${proxy.url}, by ${namedBy}, ${login}`)];
}

/** Asks for the venue types: the one call that needs nothing but the token. */
async function answer(url: string, host: string, fetch: typeof globalThis.fetch): Promise<Finding[]> {
  const startedAt = performance.now();
  const sentAt = Date.now();
  let heardAt = sentAt;
  let reply: Response;
  try {
    reply = await fetch(url, { headers: ANSWERED_ANEW, signal: AbortSignal.timeout(WITHIN_MS), redirect: "manual" });
    heardAt = sentAt + performance.now() - startedAt;
  } catch (error) {
    const { reason, advice } = endingOf(error, host);
    return [failure("service", `does not answer (${reason})`, advice, exitCodes.unavailable)];
  }
  const tookMs = Math.round(heardAt - sentAt);
  // Its status says all; it may have no end, as of a server that is broken.
  const beginning = await discard(reply);
  const location = reply.headers.get("location") ?? "";
  const leadsTo = URL.canParse(location, url) ? new URL(location, url).href : url;
  const { status, headers } = reply;
  if (isPortals(url, { status, headers, body: null, url: leadsTo }, beginning)) {
    return [failure("service", "a captive portal answers in its place", LOG_IN, exitCodes.unavailable)];
  }
  return [...judged(reply.status, tookMs), clock(dateOf(reply.headers), { sentAt, heardAt })];
}

function judged(status: number, tookMs: number): Finding[] {
  const reached = fine("service", `answers in ${tookMs} ms`);
  if (status === 401 || status === 403) {
    const advice = "Mend the file that holds the token, or ask the operator for a new one.";
    return [reached, failure("token", "is not accepted", advice, exitCodes.permission)];
  }
  if (status >= 200 && status < 300) return [reached, fine("token", "is accepted")];
  if (status === 429) return [warning("service", "asks to wait (HTTP 429)", "Too much is asked of it; wait a minute.")];
  const advice = status < 500 ? "Check baseUrl: this may be another service." : "Tell the network's operator.";
  return [failure("service", `answers HTTP ${status}`, advice, exitCodes.unavailable)];
}

/** `span` by this machine's clock. One answer alone leaves a second open: a player that runs knows more. */
function clock(time: number | null, span: RoundTrip): Finding {
  if (time === null) return warning("clock", "the service does not tell its time");
  const { offsetMs, withinMs } = middleOf(boundsOf({ time, ...span }));
  const text = offsetText(offsetMs, withinMs);
  if (Math.abs(offsetMs) < FAR_OFF_MS) return fine("clock", text);
  return warning("clock", text, "Set this machine's time, for example with: timedatectl set-ntp true");
}

/**
 * How this machine's clock is beside the service's, which is ahead of it by `offsetMs` and that is known to be within
 * `withinMs`: `as the service's, give or take 0.5 s`, `1.2 s behind the service's, give or take 0.5 s`. Of a clock that is
 * far off nobody wants to know fractions.
 */
export function offsetText(offsetMs: number, withinMs: number): string {
  const within = `, give or take ${shortly(withinMs)}`;
  if (Math.abs(offsetMs) <= withinMs) return `as the service's${within}`;
  const side = offsetMs > 0 ? "behind the service's" : "ahead of the service's";
  const apartMs = Math.abs(offsetMs);
  return apartMs < EXACT_BELOW_MS ? `${shortly(apartMs)} ${side}${within}` : `${Math.round(apartMs / 1_000)} s ${side}`;
}

const EXACT_BELOW_MS = 10_000;

/** `40 ms`, `0.5 s`. */
function shortly(ms: number): string {
  return ms < 100 ? `${Math.ceil(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
