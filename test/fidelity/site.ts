import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { charsetOf, headersOf, transferOf } from "./site-headers.ts";

/** Where creatives come from: one server under two names, so that a page can bring in things from another origin. */
export interface Site {
  /** http://127.0.0.1:port */
  readonly here: string;
  /** http://localhost:port, another port and another host. */
  readonly there: string;
  close(): Promise<void>;
}

/** Packages that pages are made with, as an advertiser's content network would serve them. */
const LIBRARIES = ["gsap", "lottie-web", "swiper", "video.js", "three", "@fontsource/bebas-neue", "bootstrap-icons"];

const PAGES = join(import.meta.dirname, "pages");
const TIMED = join(import.meta.dirname, "timed");

/** Serves the pages, the libraries that they use, and what was made into the folder `made`. */
export async function openSite(made: string): Promise<Site> {
  const places: readonly Place[] = [
    { prefix: "/pages/", folder: PAGES },
    { prefix: "/timed/", folder: TIMED },
    { prefix: "/made/", folder: made },
    ...LIBRARIES.map((name) => ({ prefix: `/lib/${name}/`, folder: join(ROOT, "node_modules", name) })),
  ];
  const origins = { here: "", there: "" };
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    void respond(request, response, places, origins).catch(() => response.destroy());
  const servers = [await listening(answer, "127.0.0.1"), await listening(answer, "localhost")] as const;
  const [here, there] = servers.map((server) => (server.address() as AddressInfo).port);
  origins.here = `http://127.0.0.1:${here}`;
  origins.there = `http://localhost:${there}`;
  return { ...origins, close: async () => void (await Promise.all(servers.map(closed))) };
}

interface Place {
  readonly prefix: string;
  readonly folder: string;
}

async function listening(answer: Parameters<typeof createServer>[1], host: string): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  return server;
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  places: readonly Place[],
  origins: Readonly<Record<string, string>>,
): Promise<void> {
  const { method, url = "/", headers } = request;
  const { pathname, searchParams } = new URL(url, "http://site");
  if (pathname === "/redirect") {
    const location = filled(searchParams.get("to") ?? "/", origins);
    const cookies = searchParams.getAll("cookie");
    const head = { location, ...(cookies.length > 0 ? { "set-cookie": cookies } : {}) };
    return void response.writeHead(Number(searchParams.get("status") ?? 302), head).end();
  }
  if (method === "OPTIONS") return void response.writeHead(204, ANYONE).end();
  if (lacksAny(searchParams.getAll("needs"), headers)) return void response.writeHead(403, PLAIN).end("not for you");
  // A network with a delay: what comes through it is late once, and at once out of a cache.
  const delayMs = Number(searchParams.get("delay") ?? 0);
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(delayMs, LONGEST_DELAY_MS)));
  if (pathname === "/framed") return void response.writeHead(200, HTML).end(mediaPage(searchParams));
  const body = await bodyOf(decodeURIComponent(pathname), places);
  if (body === null) return void response.writeHead(404, PLAIN).end("not here");
  const isText = TEXT.has(extname(pathname)) && pathname.startsWith("/pages/");
  const posted = method === "POST" ? JSON.parse((await request.toArray()).join("")) : {};
  const echo = String({ ...headers, ...posted }[searchParams.get("echo") ?? ""] ?? "");
  const whole = isText ? encoded(pathname, filled(body.toString("utf8"), { ...origins, echo })) : body;
  const head = { "content-type": typeOf(pathname), "access-control-allow-origin": "*", ...headersOf(pathname) };
  send(response, whole, head, { range: headers.range, transfer: transferOf(pathname) });
}

const LONGEST_DELAY_MS = 10_000;
const ANYONE = { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, content-type" };
const PLAIN = { "content-type": "text/plain" };
const HTML = { "content-type": "text/html; charset=utf-8" };

/** Whether a request lacks a header with some text in it, as `name~text` says. */
function lacksAny(needs: readonly string[], headers: IncomingMessage["headers"]): boolean {
  return needs.some((need) => {
    const [name = "", text = ""] = need.split("~");
    return !String(headers[name] ?? "").includes(text);
  });
}

/** What a bare window shows of a picture or a clip: as large as its window allows, black around, at its end held still. */
function mediaPage(search: URLSearchParams): string {
  const style = "display:block;width:100vw;height:100vh;object-fit:contain";
  const src = search.get("src") ?? "";
  const element = search.get("type")?.startsWith("video/")
    ? `<video src="${src}" style="${style}" autoplay muted playsinline></video>`
    : `<img src="${src}" style="${style}" alt="">`;
  return `<!doctype html><meta charset="utf-8"><body style="margin:0;background:#000;overflow:hidden">${element}</body>`;
}

async function bodyOf(pathname: string, places: readonly Place[]): Promise<Buffer | null> {
  const place = places.find(({ prefix }) => pathname.startsWith(prefix));
  if (place === undefined) return null;
  const path = normalize(join(place.folder, pathname.slice(place.prefix.length)));
  if (!path.startsWith(place.folder)) return null;
  return readFile(pathname.endsWith("/") ? join(path, "index.html") : path).catch(() => null);
}

/** Pages name the two origins as `{{here}}` and `{{there}}`, and as `{{echo}}` what their address names of a request. */
function filled(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(here|there|echo)\}\}/g, (_, name: string) => names[name] ?? "");
}

function encoded(pathname: string, text: string): Buffer {
  const charset = charsetOf(pathname);
  // A byte order mark is how a document in UTF-16 says what it is.
  return charset === "utf16le" ? Buffer.from(`\ufeff${text}`, charset) : Buffer.from(text, charset);
}

interface Transfer {
  readonly range: string | undefined;
  readonly transfer: "gzip" | "br" | null;
}

function send(
  response: ServerResponse,
  body: Buffer,
  head: Record<string, string>,
  { range, transfer }: Transfer,
): void {
  if (transfer !== null) {
    const packed = transfer === "gzip" ? gzipSync(body) : brotliCompressSync(body);
    return void response.writeHead(200, { ...head, "content-encoding": transfer }).end(packed);
  }
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? "") ?? [];
  if (from === undefined) {
    return void response.writeHead(200, { ...head, "accept-ranges": "bytes", "content-length": body.length }).end(body);
  }
  const end = Math.min(to ? Number(to) : body.length - 1, body.length - 1);
  const part = body.subarray(Number(from), end + 1);
  const contentRange = `bytes ${from}-${end}/${body.length}`;
  response.writeHead(206, { ...head, "content-range": contentRange, "content-length": part.length }).end(part);
}

const TYPES: Readonly<Record<string, string>> = {
  // Without a charset: a page says it itself, as it must where its server does not.
  "": "text/html",
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".apng": "image/apng",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".avif": "image/avif",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".vtt": "text/vtt",
  ".txt": "text/plain",
};

const TEXT = new Set(["", ".html", ".css", ".js", ".mjs", ".json", ".svg", ".vtt", ".txt"]);

function typeOf(pathname: string): string {
  return TYPES[extname(pathname)] ?? "application/octet-stream";
}
