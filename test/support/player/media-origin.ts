import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { follow } from "../../../src/client/http.ts";
import { scopeOf } from "../../../src/core/network/address.ts";
import { CreativeBlocklist } from "../../../src/player/media/creative-blocklist.ts";
import type { MediaRequest } from "../../../src/player/media/download.ts";
import type { Kept, MediaOutcome } from "../../../src/player/media/media.ts";
import { MediaCache } from "../../../src/player/media/media-cache.ts";
import { IndexFile, MediaIndex } from "../../../src/player/media/media-index.ts";
import { mediaIndexMigrations } from "../../../src/player/media/media-schema.ts";
import type { EgressPolicy } from "../../../src/player/network/egress-policy.ts";
import { FREE_LINE, type MediaLine } from "../../../src/player/network/media-line.ts";
import { pageGetBy } from "../../../src/player/network/page-get.ts";
import { temporaryFolder } from "../machine/temporary-folder.ts";
import { ManualClock } from "./manual-clock.ts";

/** Creatives of servers on loopback may reach whatever a test has. */
export const ANYWHERE: EgressPolicy = {
  allowPrivateNetwork: true,
  allowHosts: [],
  scopeOf,
  serviceScope: async () => "loopback",
};

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on loopback whose answers a test decides, by path; 404 for all others. */
export interface MediaOrigin {
  readonly origin: string;
  readonly answers: Record<string, Answer>;
  /** The paths asked for, in their order. */
  readonly requests: string[];
  readonly wanted: (path: string, changes?: Partial<MediaRequest>) => MediaRequest;
}

/** A media cache in a folder of its own, with what it is made of. */
export interface OpenedCache {
  readonly cache: MediaCache;
  readonly index: IndexFile;
  readonly clock: ManualClock;
  readonly folder: string;
}

/** Starts a server that ends with the test. Each address of loopback is a host of its own. */
export async function mediaOrigin(host = "127.0.0.1"): Promise<MediaOrigin> {
  const answers: Record<string, Answer> = {};
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const answer = answers[path];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  const wanted = (path: string, changes: Partial<MediaRequest> = {}) => {
    return { url: origin + path, mimeType: null, sizeBytes: null, md5: null, ...changes };
  };
  return { origin, answers, requests, wanted };
}

/** Opens a cache in a folder, a new one by default; it is closed when the test is over. */
export async function openMediaCache(
  folder = temporaryFolder(),
  clock = new ManualClock(),
  limits: { maxBytes?: number; maxFiles?: number; maxItemBytes?: number } = {},
  lineOn: (index: IndexFile) => MediaLine = () => FREE_LINE,
  onDeferred: (wanted: MediaRequest) => void = () => {},
): Promise<OpenedCache> {
  const index = new IndexFile(join(folder, "media.db"), mediaIndexMigrations, pino({ level: "silent" }));
  onTestFinished(() => index.close());
  const cache = await MediaCache.open({
    folder: join(folder, "media", "v1"),
    index: new MediaIndex(index),
    blocklist: new CreativeBlocklist(index),
    clock,
    line: lineOn(index),
    onDeferred,
    retryMs: 1,
    limits: { maxBytes: 1e9, minFreeBytes: 0, maxItemBytes: 1e9, ...limits },
    fetch: (...request) => follow(pageGetBy(fetch), ...request),
  });
  return { cache, index, clock, folder };
}

/** An answer with a body, whole at once. */
export function send(body: Buffer | string, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response.writeHead(200, { "content-length": Buffer.byteLength(body), ...headers }).end(body);
  };
}

/** An answer that brings the first half, and the rest when it is let go on. */
export function halting(body: Buffer): { answer: Answer; halfSent: Promise<void>; goOn: () => void } {
  let goOn = () => {};
  let tellHalf = () => {};
  const halfSent = new Promise<void>((resolve) => {
    tellHalf = resolve;
  });
  const going = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const answer: Answer = (_, response) => {
    const half = body.length >> 1;
    response.writeHead(200, { "content-length": body.length });
    response.write(body.subarray(0, half), () => tellHalf());
    void going.then(() => response.end(body.subarray(half)));
  };
  return { answer, halfSent, goOn: () => goOn() };
}

/** A file that begins as a PNG does. */
export function png(sizeBytes: number): Buffer {
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), randomBytes(sizeBytes - 8)]);
}

/** What was kept; fails where nothing was. */
export function kept(outcome: MediaOutcome): Kept {
  if (outcome.kind !== "kept") throw new Error(`not kept: ${outcome.reason}`);
  return outcome;
}
