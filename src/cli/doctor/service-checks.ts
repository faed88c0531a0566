import { lookup } from "node:dns/promises";
import { connect as connectTls } from "node:tls";
import { reasonOf } from "../../client/reason.ts";
import { dateOf } from "../../client/retry-after.ts";
import type { Environment } from "../../player/config/environment.ts";
import { urlOf } from "../../wire/routes.ts";
import { exitCodes } from "../exit.ts";
import { type Finding, failure, fine, warning } from "./finding.ts";

/** Long enough for a slow line, short enough for whoever waits. */
const WITHIN_MS = 10_000;
/** A certificate that ends sooner should have been renewed by now. */
const SHORT_CERTIFICATE_MS = 14 * 24 * 3_600_000;
/** A proof is due within an hour of its request; a clock so far off makes times in reports wrong as well. */
const FAR_OFF_MS = 60_000;

/** Looks at the way to the service: its name, its certificate, a proxy, whether it answers this token, its clock. */
export async function serviceFindings(baseUrl: string, orgToken: string, env: Environment): Promise<Finding[]> {
  const { hostname, protocol, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  return [
    await name(host),
    ...(protocol === "https:" ? [await certificate(host, Number(port || 443))] : []),
    ...proxy(env),
    ...(await answer(urlOf(baseUrl, "venueTypes", { org_token: orgToken }))),
  ];
}

async function name(host: string): Promise<Finding> {
  try {
    const { address } = await lookup(host);
    return fine("name", address === host ? host : `${host} is ${address}`);
  } catch (error) {
    const advice = "Check baseUrl, the network cable and the name server.";
    return failure("name", `${host} is not found (${reasonOf(error)})`, advice, exitCodes.unavailable);
  }
}

function certificate(host: string, port: number): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connectTls({ host, port, servername: host, timeout: WITHIN_MS }, () => {
      const endsAt = Date.parse(socket.getPeerCertificate().valid_to);
      const text = `${socket.getProtocol()}, valid until ${new Date(endsAt).toISOString().slice(0, 10)}`;
      const isShort = endsAt - Date.now() < SHORT_CERTIFICATE_MS;
      socket.destroy();
      resolve(isShort ? warning("tls", text, "Tell the network's operator.") : fine("tls", text));
    });
    const fail = (reason: string) => {
      socket.destroy();
      const advice = "Check this machine's date, and what stands between it and the service.";
      resolve(failure("tls", `no trusted connection (${reason})`, advice, exitCodes.unavailable));
    };
    socket.on("error", (error) => fail(reasonOf(error)));
    socket.on("timeout", () => fail("timeout"));
  });
}

function proxy(env: Environment): Finding[] {
  const names = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"];
  const set = names.filter((variable) => env[variable]);
  if (set.length === 0) return [fine("proxy", "none")];
  if (env.NODE_USE_ENV_PROXY === "1") return [fine("proxy", `by ${set.join(", ")}`)];
  const advice = "Set NODE_USE_ENV_PROXY=1 for the player too, if the service is to be reached by it.";
  return [warning("proxy", `${set.join(", ")} is set, and is not used`, advice)];
}

/** Asks for the venue types: the one call that needs nothing but the token. */
async function answer(url: string): Promise<Finding[]> {
  const startedAt = performance.now();
  const sentAt = Date.now();
  let reply: Response;
  try {
    reply = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS), redirect: "manual" });
    await reply.arrayBuffer();
  } catch (error) {
    const advice = "Check baseUrl and whether a firewall stands between.";
    return [failure("service", `does not answer (${reasonOf(error)})`, advice, exitCodes.unavailable)];
  }
  const tookMs = Math.round(performance.now() - startedAt);
  return [...judged(reply.status, tookMs), clock(dateOf(reply.headers), sentAt + tookMs / 2)];
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

function clock(serviceTime: number | null, here: number): Finding {
  if (serviceTime === null) return warning("clock", "the service does not tell its time");
  const aheadMs = Math.round(here - serviceTime);
  // The service tells whole seconds.
  const text =
    Math.abs(aheadMs) < 2_000 ? "as the service's" : `${Math.round(Math.abs(aheadMs) / 1000)} s ${side(aheadMs)}`;
  if (Math.abs(aheadMs) < FAR_OFF_MS) return fine("clock", text);
  return warning("clock", text, "Set this machine's time, for example with: timedatectl set-ntp true");
}

function side(aheadMs: number): string {
  return aheadMs > 0 ? "ahead of the service's" : "behind the service's";
}
