import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { getRequestListener } from "@hono/node-server";
import type { Hono, MiddlewareHandler } from "hono";
import { scopeOf } from "../../core/network/address.ts";
import { errorBody } from "../../wire/errors.ts";
import { asTakenOver, type Env, problem } from "./answers.ts";
import type { Listener } from "./journal.ts";

/** An open port that does not answer yet. */
export interface OpenPort {
  /** Without a trailing slash. */
  readonly url: string;
  answerWith(app: Hono<Env>): void;
  /** Has another app answer all that is below `/forks/{name}`, which it does not see, until the function is called. */
  mount(path: string, app: Hono<Env>): () => void;
  /** Ends every connection and resolves when the port is free. */
  close(): Promise<void>;
}

/** A port that could not be opened; the message names it, so that another can be chosen. */
export class PortError extends Error {
  override name = "PortError";
}

/** A client must have sent its request within this time; a player on a slow line needs a fraction of it. */
const LONGEST_REQUEST_MS = 30_000;
/** Longer than the pause between two spots, so that a player keeps its connection. */
const LONGEST_IDLE_MS = 75_000;
/** What has paths below it. */
const MOUNTED = /^\/forks\/[^/?#]+(?=\/)/;
/** What a request to a proxy has before the path, and any other may have (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;
/** Headers beyond this are answered 431 by Node. */
const MOST_HEADER_BYTES = 16 * 1024;

/**
 * Opens a port for one of the listeners; port 0 is any free one. With `lightObjects` the process's global `Request` and
 * `Response` become the lighter ones of Hono's server: without them a fifth fewer spots are served. Rejects with a
 * `PortError`.
 */
export async function openPort(
  listener: Listener,
  host: string,
  port: number,
  lightObjects: boolean,
): Promise<OpenPort> {
  const server = createServer({
    requestTimeout: LONGEST_REQUEST_MS,
    headersTimeout: LONGEST_REQUEST_MS,
    keepAliveTimeout: LONGEST_IDLE_MS,
    maxHeaderSize: MOST_HEADER_BYTES,
  });
  await listening(server, listener, host, port);
  // HTTP/1.0 needs no `Host`.
  const options = { overrideGlobalObjects: lightObjects, errorHandler: badRequest, hostname: inUrl(host) };
  const mounted = new Map<string, RequestListener>();
  return {
    url: `http://${reachableHost(host)}:${(server.address() as AddressInfo).port}`,
    answerWith(app) {
      const own = getRequestListener(fetchOf(app), options);
      server.on("request", (incoming, outgoing) => {
        incoming.url = incoming.url?.replace(ORIGIN, "");
        const path = mounted.size === 0 ? undefined : MOUNTED.exec(incoming.url ?? "")?.[0];
        const below = path === undefined ? undefined : mounted.get(path);
        if (path === undefined || below === undefined) return own(incoming, outgoing);
        incoming.url = incoming.url?.slice(path.length);
        return below(incoming, outgoing);
      });
    },
    mount(path, app) {
      mounted.set(path, getRequestListener(fetchOf(app), options));
      return () => void mounted.delete(path);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** For a HEAD Hono puts a light answer around the app's, which the server would send even where that was taken over. */
function fetchOf(app: Hono<Env>): Parameters<typeof getRequestListener>[0] {
  return (request, env) => {
    const answer = app.fetch(request, env);
    return request.method === "HEAD" ? Promise.resolve(answer).then(asTakenOver) : answer;
  };
}

function badRequest(error: unknown): Response {
  const detail = error instanceof Error ? error.message : String(error);
  return Response.json(errorBody(400, "bad_request", detail), { status: 400 });
}

function listening(server: Server, listener: Listener, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new PortError(`the ${listener} port ${port} on ${host} cannot be opened: ${reasonOf(error)}`));
    });
    server.listen(port, host, () => resolve());
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "EADDRINUSE":
      return "something else is using it";
    case "EACCES":
      return "this user may not open it";
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return "this machine has no such address";
    default:
      return error.message;
  }
}

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/**
 * Refuses calls that a web page elsewhere could make a browser on this machine send: under a name that only points
 * here (DNS rebinding), or from a page of another origin. `host`: where the listener is, if not on loopback; one on every
 * address answers under each of the machine's own.
 */
export function onlyFromHere(host: string): MiddlewareHandler<Env> {
  return async (c, next) => {
    const authority = c.req.header("host");
    // No browser leaves it out.
    if (authority === undefined) return next();
    const name = authority.replace(/:\d*$/, "");
    const isOwn = name.toLowerCase() === inUrl(host).toLowerCase() || (isEveryAddress(host) && isOwnAddress(name));
    if (scopeOf(name) !== "loopback" && !isOwn) {
      return problem(c, 403, "bad_host", "the control listener answers under a loopback name or its own address only");
    }
    const origin = c.req.header("origin");
    if (origin !== undefined && origin !== `http://${authority}`) {
      return problem(c, 403, "bad_origin", "the control listener answers its own pages only");
    }
    return next();
  };
}

/** Whether a listener on this host is reached under every address of the machine. */
export function isEveryAddress(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/**
 * The host under which others reach a listener, as URLs have it: what listens on every address is named by the machine's
 * first one of its network, since 127.0.0.1 would mean another machine to each of them.
 */
export function reachableHost(host: string, interfaces: Interfaces = networkInterfaces()): string {
  if (!isEveryAddress(host)) return inUrl(host);
  const outward = addressesIn(interfaces).find(({ internal, family }) => !internal && family === "IPv4");
  return outward?.address ?? (host === "::" ? "[::1]" : "127.0.0.1");
}

/** Whether a host of a URL is one of the machine's own addresses; never a name, which anybody can point here. */
export function isOwnAddress(host: string, interfaces: Interfaces = networkInterfaces()): boolean {
  return addressesIn(interfaces).some(({ address }) => inUrl(address) === host.toLowerCase());
}

function addressesIn(interfaces: Interfaces): readonly NetworkInterfaceInfo[] {
  return Object.values(interfaces).flatMap((addresses) => addresses ?? []);
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
