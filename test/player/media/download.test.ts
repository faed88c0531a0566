import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PROGRESS_TIMEOUT_MS } from "../../../src/player/media/download.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { type Answer, kept, mediaOrigin, openMediaCache, png, send } from "../../support/player/media-origin.ts";

const never = new AbortController().signal;
const BODY_BYTES = 400_000;
const HALF_BYTES = 200_000;
/** What a server gives of a file at a time that caps what it is asked for. */
const CAP_BYTES = 50_000;

/** Gives a file's beginning, and breaks off. */
function beginning(body: Buffer, headers: Record<string, string>): Answer {
  return (_, response) => {
    response.writeHead(200, { "content-length": body.length, ...headers });
    response.write(body.subarray(0, HALF_BYTES), () => response.destroy());
  };
}

/** Gives what is asked for of a file from some byte on, at most so much of it. */
function rest(
  body: Buffer,
  headers: Record<string, string>,
  mostBytes = body.length,
  total = `${body.length}`,
): Answer {
  return (request, response) => {
    const start = Number(/\d+/.exec(request.headers.range ?? "0")?.[0]);
    const part = body.subarray(start, start + mostBytes);
    const range = `bytes ${start}-${start + part.length - 1}/${total}`;
    response.writeHead(206, { "content-length": part.length, "content-range": range, ...headers }).end(part);
  };
}

/** Obtains a file whose server gives one answer after the other, the last of them again and again. */
async function obtain(...given: readonly Answer[]) {
  const { answers, wanted } = await mediaOrigin();
  const ranges: (string | undefined)[] = [];
  answers["/a"] = (request, response) => {
    ranges.push(request.headers.range);
    given[Math.min(ranges.length, given.length) - 1]?.(request, response);
  };
  const { cache } = await openMediaCache();
  const outcome = await cache.obtain(wanted("/a", { mimeType: "image/png" }), never);
  return { outcome, ranges };
}

it("a URL that fetch refuses is in none of the words about it", async () => {
  const { wanted } = await mediaOrigin();
  const { cache } = await openMediaCache();
  const request = { ...wanted("/a"), url: "http://user:secret@127.0.0.1/a?signature" };
  expect(await cache.obtain(request, never)).toMatchObject({ kind: "failed", reason: "network error" });
});

describe("the rest of a file", () => {
  const v1 = { etag: '"v1"' };

  it("is asked for again where a server gives less of it than was asked for", async () => {
    const body = png(BODY_BYTES);
    const { outcome } = await obtain(beginning(body, v1), rest(body, v1, CAP_BYTES));
    expect(readFileSync(kept(outcome).media.path).equals(body)).toBe(true);
  });

  it("is asked for again where only the server's second answer says how long the file is", async () => {
    const body = png(BODY_BYTES);
    const begun: Answer = (_, response) => {
      response.writeHead(200, v1);
      response.write(body.subarray(0, HALF_BYTES), () => response.destroy());
    };
    const { outcome } = await obtain(begun, rest(body, v1, CAP_BYTES));
    expect(readFileSync(kept(outcome).media.path).equals(body)).toBe(true);
  });

  it.each(["identity", "aws-chunked", "utf-8"])("is asked for in %s, which nobody decodes", async (encoding) => {
    const body = png(BODY_BYTES);
    const headers = { ...v1, "content-encoding": encoding };
    const { outcome, ranges } = await obtain(beginning(body, headers), rest(body, headers));
    expect(readFileSync(kept(outcome).media.path).equals(body)).toBe(true);
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
  });

  const since = { "last-modified": "Mon, 02 Nov 2026 10:00:00 GMT" };
  const later = { "last-modified": "Tue, 03 Nov 2026 10:00:00 GMT" };
  it.each([
    ["another ETag", v1, { etag: '"v2"' }, BODY_BYTES],
    ["another date", since, later, BODY_BYTES],
    ["another size", v1, {} as Record<string, string>, BODY_BYTES + 1],
  ])("is not taken from a version with %s, though nothing else was asked for: that begins anew", async (...given) => {
    const [, before, after, sizeBytes] = given;
    const [old, current] = [png(BODY_BYTES), png(sizeBytes)];
    const { outcome, ranges } = await obtain(beginning(old, before), rest(current, after), send(current, after));
    expect(readFileSync(kept(outcome).media.path).equals(current)).toBe(true);
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=\d+-$/), undefined]);
  });

  it("is taken where the server does not say again how long the file is", async () => {
    const body = png(BODY_BYTES);
    const { outcome, ranges } = await obtain(beginning(body, v1), rest(body, {}, BODY_BYTES, "*"));
    expect(readFileSync(kept(outcome).media.path).equals(body)).toBe(true);
    expect(ranges).toHaveLength(2);
  });

  it.each([408, 429, 500, 503])("is asked for after a %i: what has come before is kept", async (status) => {
    const body = png(BODY_BYTES);
    const busy: Answer = (_, response) => response.writeHead(status).end("<p>later</p>");
    const { outcome, ranges } = await obtain(beginning(body, v1), busy, rest(body, v1));
    expect(readFileSync(kept(outcome).media.path).equals(body)).toBe(true);
    expect(ranges[2]).toMatch(/^bytes=[1-9]\d*-$/);
    expect(ranges).toHaveLength(3);
  });
});

describe("a whole file", () => {
  it.each([
    [
      "203, by a proxy that changes what passes",
      (body: Buffer): Answer =>
        (_, reply) =>
          reply.writeHead(203).end(body),
    ],
    ["206, as the range that it is", (body: Buffer) => rest(body, {})],
  ])("is taken where it comes as %s", async (_, answerWith) => {
    const body = png(BODY_BYTES);
    const { outcome, ranges } = await obtain(answerWith(body));
    expect(readFileSync(kept(outcome).media.path).equals(body)).toBe(true);
    expect(ranges).toHaveLength(1);
  });

  it("is not what a server gives of it by itself: the rest is asked for, too", async () => {
    const body = png(BODY_BYTES);
    const { outcome } = await obtain(rest(body, { etag: '"v1"' }, CAP_BYTES));
    expect(readFileSync(kept(outcome).media.path).equals(body)).toBe(true);
  });
});

/** The disk takes ten times as long for the first flush as a server may be silent. */
async function stallDisk(): Promise<void> {
  const file = await open(join(temporaryFolder(), "any"), "w");
  const handle = Object.getPrototypeOf(file);
  await file.close();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  vi.spyOn(handle, "datasync").mockImplementationOnce(async () => {
    for (let passed = 0; passed < 10 * PROGRESS_TIMEOUT_MS; passed += 1_000) {
      // Meanwhile the server sends, as long as anybody reads.
      for (let turns = 0; turns < 20; turns++) await setImmediate();
      vi.advanceTimersByTime(1_000);
    }
    vi.useRealTimers();
  });
}

it("a disk that stands still is not taken for a silent server: the file is asked for once", async () => {
  const body = png(2_000_000);
  await stallDisk();
  const { outcome, ranges } = await obtain(send(body));
  expect(readFileSync(kept(outcome).media.path).equals(body)).toBe(true);
  expect(ranges).toHaveLength(1);
});
