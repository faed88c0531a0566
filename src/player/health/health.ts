import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { within } from "../../client/http.ts";
import { codeOf } from "../stores/database.ts";
import { healthPage, healthPagePolicy } from "./health-page.ts";
import type { HealthReport } from "./health-report.ts";
import type { Metrics } from "./metrics.ts";

export interface HealthParts {
  /** 0 for any free one. */
  readonly port: number;
  readonly report: () => HealthReport;
  readonly metrics: Metrics;
  /** What is on a screen, the first one for null, as a JPEG, or null where there is nothing to see. */
  readonly screenshot: (screenId: string | null) => Promise<Buffer | null>;
}

export type HealthStart =
  | { readonly kind: "listening"; readonly port: number; close(): Promise<void> }
  /** By the system's code: `EADDRINUSE`, `EACCES`. The player plays on without. */
  | { readonly kind: "unavailable"; readonly port: number; readonly code: string };

/** A page, a scraper and a supervisor need no more; nobody else is to keep the player busy. */
const LIMITS = { maxHeaderSize: 8_192, headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000 };
const MOST_CONNECTIONS = 32;
const UNREAD_MS = 30_000;
/** Chromium may never answer for a deck that is closed while it is looked at; whoever asks after that has another look. */
export const LOOKED_WITHIN_MS = 10_000;

/**
 * Tells on 127.0.0.1, and nowhere else, how the player is: `/health` (JSON, 503 when it fails), `/metrics` (Prometheus),
 * `/screenshot.jpg` (of several screens the first, or `?screen=ID`), and `/` for people. Only GET and HEAD, and only for a
 * `Host` that is this machine: a page on the web whose name was made to lead here cannot read it.
 */
export async function startHealth(parts: HealthParts): Promise<HealthStart> {
  const answers = answersOf(parts);
  const server = createServer(LIMITS, (request, response) => void answer(request, response, answers));
  server.maxConnections = MOST_CONNECTIONS;
  // Who asks and does not read must not keep others out.
  server.setTimeout(UNREAD_MS);
  const failure = await listening(server, parts.port);
  if (failure !== null) return { kind: "unavailable", port: parts.port, code: failure };
  return {
    kind: "listening",
    port: portOf(server),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

/** By path; each is given the query. */
type Answers = ReadonlyMap<string, (query: URLSearchParams) => Answer | Promise<Answer>>;

function answersOf({ report, metrics: { registry }, screenshot }: HealthParts): Answers {
  const { signal } = new AbortController();
  const look = shared((screenId: string | null) => within(LOOKED_WITHIN_MS, signal, () => screenshot(screenId)));
  const screenIds = () => report().screens?.map(({ screenId }) => screenId);
  return new Map<string, (query: URLSearchParams) => Answer | Promise<Answer>>([
    ["/", () => ({ status: 200, type: "text/html; charset=utf-8", body: healthPage(report()) })],
    ["/health", () => healthAnswer(report())],
    ["/metrics", async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() })],
    [
      "/screenshot.jpg",
      async (query) => {
        const screenId = query.get("screen");
        const known = screenIds();
        if (screenId !== null && known !== undefined && !known.includes(screenId)) return plain(404, "no such screen");
        return pictureAnswer(await look(known === undefined ? null : screenId));
      },
    ],
  ]);
}

function healthAnswer(report: HealthReport): Answer {
  const body = `${JSON.stringify(report, null, 2)}\n`;
  return { status: report.status === "failing" ? 503 : 200, type: "application/json", body };
}

function pictureAnswer(picture: Buffer | null): Answer {
  return picture === null ? plain(503, "nothing to see") : { status: 200, type: "image/jpeg", body: picture };
}

async function answer(request: IncomingMessage, response: ServerResponse, answers: Answers): Promise<void> {
  let given: Answer;
  try {
    given = refusalOf(request) ?? (await answered(request, answers)) ?? plain(404, "not found");
  } catch {
    given = plain(500, "this cannot be told right now");
  }
  response.writeHead(given.status, {
    "content-type": given.type,
    "content-length": Buffer.byteLength(given.body),
    "cache-control": "no-store",
    "content-security-policy": healthPagePolicy(),
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...(given.status === 405 ? { allow: "GET, HEAD" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : given.body);
}

function refusalOf({ method, headers, socket }: IncomingMessage): Answer | null {
  const host = headers.host?.toLowerCase() ?? "";
  // The port that goes without saying is not said (RFC 9110, 7.2).
  const named = socket.localPort === 80 && !host.endsWith(":80") ? `${host}:80` : host;
  const hosts = ["localhost", "127.0.0.1", "[::1]"].map((name) => `${name}:${socket.localPort}`);
  if (!hosts.includes(named)) return plain(403, "not for this host");
  return method === "GET" || method === "HEAD" ? null : plain(405, "only GET and HEAD");
}

function answered({ url = "" }: IncomingMessage, answers: Answers): Answer | Promise<Answer> | undefined {
  const [path = "", query = ""] = url.split("?", 2);
  return answers.get(path)?.(new URLSearchParams(query));
}

function plain(status: number, text: string): Answer {
  return { status, type: "text/plain; charset=utf-8", body: `${text}\n` };
}

/** However many ask for the same at once, the work is done once. */
function shared<K, T>(act: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const underWay = new Map<K, Promise<T>>();
  return (key) => {
    const acting = underWay.get(key) ?? act(key).finally(() => underWay.delete(key));
    underWay.set(key, acting);
    return acting;
  };
}

/** Null, or the code of what kept it from listening. */
function listening(server: Server, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    // Stays for later errors too, such as too many open files: they cost a request, not the player.
    server.on("error", (error) => resolve(codeOf(error) ?? error.name));
    server.listen(port, "127.0.0.1", () => resolve(null));
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
