import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, type buildConnector, type Dispatcher, fetch as fetchBy, Pool, ProxyAgent } from "undici";
import { bodyOf, type ExactGet, headersOf } from "../../client/http.ts";
import { loginWanted, PROXY_LOGIN_STATUS, ProxyFailure, refusingProxies } from "../../client/reply.ts";
import { type HttpProxy, proxyFor } from "../../core/network/proxy-choice.ts";
import {
  EgressDenied,
  type EgressPolicy,
  mayAskProxy,
  mayConnect,
  type Resolve,
  resolveSoon,
} from "./egress-policy.ts";
import { CONNECT_WITHIN_MS, lookUpOthers, lookUpService, lookupBy, tried } from "./name-lookups.ts";
import { heedingMachine, type Trust, trustOf } from "./trust.ts";
import type { Requests, Uplink } from "./uplink.ts";

/** The way of one request: what connects it, and the proxy that it goes through or null. */
export interface Route {
  readonly dispatcher: Dispatcher;
  readonly proxy: HttpProxy | null;
}

/**
 * Requests by routes; `routeOf` rejects where one must not be made. What ends at a proxy rejects with `ProxyFailure`, be it
 * that no tunnel was made or that the proxy answers in the host's place.
 */
export function routedRequests(routeOf: (url: URL) => Route | Promise<Route>): Requests {
  const send = async (url: string, init?: RequestInit) => {
    const { dispatcher, proxy } = await routeOf(new URL(url));
    const asked = { ...(init as object), dispatcher };
    // The package has types of its own for requests and answers; the platform's are the same.
    return (await fetchBy(url, asked).catch(blaming(proxy))) as unknown as Response;
  };
  const sendExactly: ExactGet = async (url, target, headers, signal) => {
    const { origin } = new URL(url);
    const { dispatcher, proxy } = await routeOf(new URL(url));
    const asked = { origin, path: target, method: "GET", headers, signal } as const;
    const { statusCode, headers: told, body } = await dispatcher.request(asked).catch(blaming(proxy));
    return { status: statusCode, headers: headersOf(told), body: bodyOf(body) };
  };
  return {
    fetch: refusingProxies(send) as typeof globalThis.fetch,
    exactGet: refusingProxies(sendExactly),
  };
}

/** How the HTTP client words that a proxy made no tunnel, and that it wants a login; it has no codes for them. */
const NO_TUNNEL = /^Proxy response \((\d+)\) !== 200/;
const LOGIN = /^Proxy Authentication Required/;

/** What fails on the way to a connection: itself, or a look-up by the system or past it. */
const CONNECTING = /^(connect$|getaddrinfo|query)/;

/** How far down a chain of causes a proxy's part is looked for. */
const DEEPEST_CAUSE = 5;

/** Rejects with what a request that goes through this proxy, or straight, failed by. */
function blaming(proxy: HttpProxy | null): (error: unknown) => never {
  return (error) => {
    throw proxy === null ? error : blamed(error);
  };
}

/** The proxy's failure where it was one, else the error as it is. Connections are made to the proxy, and to nobody else. */
function blamed(error: unknown): unknown {
  let cause = error;
  for (let depth = 0; depth < DEEPEST_CAUSE && cause instanceof Error; depth++) {
    if (LOGIN.test(cause.message)) return new ProxyFailure({ kind: "login", unsupported: [] });
    const status = Number(NO_TUNNEL.exec(cause.message)?.[1]);
    if (status > 0) return new ProxyFailure({ kind: "refused", status });
    const { code, syscall } = cause as NodeJS.ErrnoException;
    const isConnecting = CONNECTING.test(syscall ?? "") || code === "UND_ERR_CONNECT_TIMEOUT";
    if (isConnecting && code !== undefined) return new ProxyFailure({ kind: "unreachable", code });
    cause = cause.cause;
  }
  return error;
}

/** As much as Chromium reads. Servers with many rules for browsers in their headers say more than the usual 16 KiB. */
const LARGEST_HEAD_BYTES = 256 * 1024;

/**
 * How long a proxy may take to make a tunnel: a request that is given up does not end its own, and a proxy that waits for a host
 * which does not answer would be left with one for each try of a proof.
 */
const TUNNEL_WITHIN_MS = 2 * CONNECT_WITHIN_MS;

/**
 * How long a connection is used for more requests. Servers keep one for as long as it is asked anything: one that its name no
 * longer leads to would go on answering, and refuse proofs that its successor would take. Together with `FOUND_FOR_MS` this is no
 * longer than a refused proof waits for its second try (`DOUBT_MS`).
 */
export const CONNECTION_FOR_MS = 30_000;

const EACH_CONNECTION = { maxHeaderSize: LARGEST_HEAD_BYTES, clientTtl: CONNECTION_FOR_MS } as const;

/**
 * The HTTP client keeps what it has for a host that a proxy is asked for without a tunnel, some 20 KB, though its connections are over.
 * After so many hosts another agent takes over, and what the one before had goes with its last connection.
 */
export const MOST_FORWARDED_HOSTS = 50;

/** The routes of an uplink. `lookup` finds the addresses of hosts that are asked directly. */
export function routesBy(
  uplink: Uplink,
  lookup?: LookupFunction,
  tunnelWithinMs = TUNNEL_WITHIN_MS,
): (url: URL) => Route {
  const trust = trustOf(uplink);
  const connect = { ...trust, timeout: CONNECT_WITHIN_MS, ...(lookup && { lookup }) };
  const direct = new Agent({ connect, ...EACH_CONNECTION });
  const agents = new Map<HttpProxy, { readonly agent: ProxyAgent; readonly forwarded: Set<string> }>();
  return (url) => {
    const proxy = proxyFor(url, uplink);
    if (proxy === null) return { dispatcher: direct, proxy };
    let opened = agents.get(proxy);
    if (opened === undefined || opened.forwarded.size === MOST_FORWARDED_HOSTS) {
      opened = { agent: agentOf(proxy, trust, tunnelWithinMs), forwarded: new Set() };
      agents.set(proxy, opened);
    }
    if (url.protocol === "http:") opened.forwarded.add(url.host);
    return { dispatcher: opened.agent, proxy };
  };
}

function agentOf({ url, authorization }: HttpProxy, trust: Trust, tunnelWithinMs: number): ProxyAgent {
  return new ProxyAgent({
    uri: url,
    ...(authorization === null ? {} : { token: authorization }),
    // Most proxies connect through to port 443 alone: what is not encrypted they fetch themselves.
    proxyTunnel: false,
    clientFactory: (origin, options) => new TunnelPool(origin, { ...options, headersTimeout: tunnelWithinMs }),
    // What it fetches itself is asked for by none of the options above.
    factory: (origin, options) => {
      const { connect } = options as { readonly connect: buildConnector.connector };
      return new Pool(origin, { ...options, connect: oneTry(connect), ...EACH_CONNECTION });
    },
    requestTls: trust,
    // Its own name is found as the service's is: remembered while no name server answers.
    proxyTls: { ...trust, lookup: lookupBy(lookUpService) },
  });
}

/** Connections to a proxy that is asked for tunnels. The HTTP client would not tell in which ways a login is wanted. */
class TunnelPool extends Pool {
  override connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
  override connect(...asked: Parameters<Pool["connect"]>): void;
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    const made = await super.connect(options);
    if (made.statusCode !== PROXY_LOGIN_STATUS) return made;
    made.socket.on("error", () => {}).destroy();
    throw new ProxyFailure(loginWanted(headersOf(made.headers)));
  }
}

/** What went wrong with a proxy that was asked for a tunnel, by what the HTTP client calls it. */
const NO_ANSWER = new Map([
  ["UND_ERR_SOCKET", "ECONNRESET"],
  ["UND_ERR_HEADERS_TIMEOUT", "ETIMEDOUT"],
]);

/**
 * Makes one try of each connection. Where a proxy ends one without an answer, as a load balancer does that has no proxy left, the
 * HTTP client takes that for the end of a connection in use: it would connect anew at once, thousands of times a second, and
 * go on when nobody waits any more.
 */
function oneTry(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) =>
    connect(options, (...[error, socket]) => {
      if (error === null) return done(null, socket);
      const code = NO_ANSWER.get((error as NodeJS.ErrnoException).code ?? "");
      done(code === undefined ? error : new ProxyFailure({ kind: "unreachable", code }), null);
    });
}

/**
 * A `fetch` that leads to no address outside the policy. Directly it connects to none, whatever a name resolves to at that
 * instant: judging a name before would leave its owner the time to let it mean something else. A proxy resolves names by
 * itself: what is known of them here is judged before it is asked. Addresses that stand in a URL are not looked up and so
 * not judged here.
 */
export function fetchGuardedBy(
  policy: EgressPolicy,
  uplink: Uplink,
  resolve: Resolve = resolveSoon(),
): typeof globalThis.fetch {
  const routeOf = routesBy(uplink, guardedLookup(policy));
  const guarded = routedRequests(async (url) => {
    const route = routeOf(url);
    if (route.proxy !== null && !(await mayAskProxy(url, policy, resolve))) throw new EgressDenied(url.hostname);
    return route;
  });
  return heedingMachine(guarded.fetch);
}

function guardedLookup(policy: EgressPolicy): LookupFunction {
  return lookupBy(async (hostname, options) => {
    const allowed = await allowedOf(hostname, tried(await lookUpOthers(hostname, options)), policy);
    if (allowed.length === 0) throw new EgressDenied(hostname);
    return allowed;
  });
}

async function allowedOf(
  hostname: string,
  found: readonly LookupAddress[],
  policy: EgressPolicy,
): Promise<LookupAddress[]> {
  const allowed = await Promise.all(found.map(({ address }) => mayConnect(hostname, address, policy)));
  return found.filter((_, index) => allowed[index]);
}
