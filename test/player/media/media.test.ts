import { expect, it } from "vitest";
import { MOST_HEADER_CHARS, pageHeaders } from "../../../src/player/media/media.ts";

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
