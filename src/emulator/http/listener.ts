import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { errorBody } from "../../wire/errors.ts";
import type { Env } from "./answers.ts";
import type { Listener } from "./journal.ts";

/** An open port that does not answer yet. */
export interface OpenPort {
  /** Without a trailing slash. */
  readonly url: string;
  answerWith(app: Hono<Env>): void;
  /** Ends every connection and resolves when the port is free. */
  close(): Promise<void>;
}

/** A port that could not be opened, said so that whoever chose it can choose another. */
export class PortError extends Error {
  override name = "PortError";
}

/** A client must have sent its request within this time; a player on a slow line needs a fraction of it. */
const LONGEST_REQUEST_MS = 30_000;
/** Longer than the pause between two spots, so that a player keeps its connection. */
const LONGEST_IDLE_MS = 75_000;
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
  return {
    url: `http://${reachable(host)}:${(server.address() as AddressInfo).port}`,
    answerWith(app) {
      const options = { overrideGlobalObjects: lightObjects, errorHandler: badRequest };
      server.on("request", getRequestListener(app.fetch, options));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
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

/** A name under which a listener on every address can be reached from here, brackets where a URL needs them. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
