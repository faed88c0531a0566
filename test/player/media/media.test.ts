import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { fetch } from "undici";
import { expect, it } from "vitest";
import { MOST_HEADER_CHARS, pageHeaders, sizeIn, validatorIn } from "../../../src/player/media/media.ts";
import { mediaOrigin, send } from "../../support/player/media-origin.ts";

const keptOf = (headers: Record<string, string>) => Object.keys(pageHeaders(new Headers(headers)));

it.each([
  ["Content-Security-Policy", "default-src 'self'"],
  ["Content-Type", "text/html"],
  ["Last-Modified", "Sat, 03 Feb 2018 04:05:06 GMT"],
  ["Link", "</a.css>; rel=preload; as=style"],
  ["Refresh", "0; url=/b.html"],
  ["X-Offers", "two for one"],
])("a page gets what its server says in %s", (name, value) => {
  expect(keptOf({ [name]: value })).toEqual([name.toLowerCase()]);
});

it.each([
  ["Accept-CH", "Sec-CH-UA-Model"],
  ["Cache-Control", "max-age=60"],
  ["Content-Disposition", "attachment"],
  ["Content-Encoding", "gzip"],
  ["Content-Length", "5"],
  ["Content-Security-Policy-Report-Only", "default-src 'none'; report-uri /report"],
  ["Date", "Sat, 03 Feb 2018 04:05:06 GMT"],
  ["NEL", "{}"],
  ["Speculation-Rules", '"/rules.json"'],
  ["Strict-Transport-Security", "max-age=60"],
  ["Transfer-Encoding", "chunked"],
])("a page hears nothing of %s", (name, value) => {
  expect(keptOf({ [name]: value })).toEqual([]);
});

it("each cookie is kept on a line of its own, and nothing that would be kept in part", () => {
  const headers = new Headers({ "x-long": "x".repeat(MOST_HEADER_CHARS - 2), "x-short": "abc" });
  for (const cookie of ["a=1; Path=/", "b=2"]) headers.append("set-cookie", cookie);
  expect(pageHeaders(headers)).toEqual({ "set-cookie": "a=1; Path=/\nb=2", "x-short": "abc" });
});

it("cookies count once, however many there are, and leave room for what comes behind them", () => {
  const headers = new Headers({ "x-policy": "p".repeat(MOST_HEADER_CHARS / 2) });
  const cookies = Array.from({ length: 20 }, (_, index) => `c${index}=${"x".repeat(MOST_HEADER_CHARS / 100)}`);
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  expect(Object.keys(pageHeaders(headers))).toEqual(["set-cookie", "x-policy"]);
});

const plain = Buffer.from("the file");
it.each([
  ["identity", plain],
  ["aws-chunked", plain],
  ["utf-8", plain],
  ["", plain],
  ["identity, gzip", gzipSync(plain)],
  ["gzip", gzipSync(plain)],
  ["X-GZIP", gzipSync(plain)],
  ["deflate", deflateSync(plain)],
  ["br", brotliCompressSync(plain)],
  ["zstd", zstdCompressSync(plain)],
  ["gzip, br", brotliCompressSync(gzipSync(plain))],
])("an answer in %j can be measured and resumed unless the HTTP client decodes it", async (encoding, sent) => {
  const { origin, answers } = await mediaOrigin();
  answers["/a"] = send(sent, { "content-encoding": encoding, etag: '"v1"' });
  const reply = await fetch(`${origin}/a`);
  const isAsSent = Buffer.from(await reply.arrayBuffer()).equals(sent);
  const headers = new Headers([...reply.headers]);
  expect([sizeIn(headers), validatorIn(headers)]).toEqual(isAsSent ? [sent.length, '"v1"'] : [null, null]);
});
