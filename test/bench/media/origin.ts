// Run by the bench as a process of its own: /media/<name>?bytes=N&drops=D serves N bytes that the name decides, with Range
// and a version, and breaks the first D connections, each after an equal part. /sent tells the bytes handed out so far.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Written over and over; as long as any name's place in it is spread. */
const PATTERN = createHash("sha256").update("media").digest();
const BLOCK = Buffer.concat(Array.from({ length: 2_048 }, () => PATTERN));

const asked = new Map<string, number>();
let sentBytes = 0;

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://origin");
  if (url.pathname === "/sent") return void response.end(String(sentBytes));
  serve(url, request, response);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
// It ends with its parent process.
process.stdin.resume().once("end", () => process.exit());

function serve({ pathname, searchParams }: URL, request: IncomingMessage, response: ServerResponse): void {
  const [bytes, drops] = [Number(searchParams.get("bytes")), Number(searchParams.get("drops"))];
  const connection = (asked.get(pathname) ?? 0) + 1;
  asked.set(pathname, connection);
  const headers = { etag: `"${bytes}"`, "cache-control": "max-age=3600", "content-type": "image/png" };
  if (request.headers["if-none-match"] === headers.etag) return void response.writeHead(304, headers).end();
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  const rangeHeaders = start > 0 ? { "content-range": `bytes ${start}-${bytes - 1}/${bytes}` } : {};
  response.writeHead(start > 0 ? 206 : 200, { ...headers, ...rangeHeaders, "content-length": bytes - start });
  const until = connection <= drops ? Math.min(bytes, start + Math.ceil(bytes / (drops + 1))) : bytes;
  pour(response, pathname, start, until, () => (until < bytes ? response.destroy() : response.end()));
}

/** Writes a file's bytes from `at` to `until`, as fast as they are taken. */
function pour(response: ServerResponse, name: string, at: number, until: number, then: () => void): void {
  if (response.destroyed) return;
  if (at >= until) return void then();
  const chunk = chunkAt(name, at, until);
  sentBytes += chunk.length;
  response.write(chunk, () => pour(response, name, at + chunk.length, until, then));
}

function chunkAt(name: string, at: number, until: number): Buffer {
  const head = Buffer.from(`\x89PNG\r\n\x1a\n${name}`, "latin1");
  if (at < head.length) return head.subarray(at, Math.min(until, head.length));
  return BLOCK.subarray(0, Math.min(BLOCK.length, until - at));
}
