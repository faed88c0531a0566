import { expect, it } from "vitest";
import { follow, type Get } from "../../src/client/http.ts";
import { serve } from "./server.ts";

const get: Get = (url, signal, headers = {}) => fetch(url, { redirect: "manual", signal, headers });

it("a request brings along the cookies that its redirects set, to the same host and port", async () => {
  const brought: (string | undefined)[] = [];
  const other = await serve(({ headers }, response) => {
    brought.push(headers.cookie);
    response.end("there");
  });
  // As one that looks whether its visitors take cookies.
  const server = await serve(({ headers: { cookie = "" } }, response) => {
    brought.push(cookie);
    const [location, cookies] = cookie.includes("checked=2")
      ? [`${other.url}/page`, []]
      : ["/page", cookie.includes("checked=1") ? ["checked=2"] : ["checked=1; Path=/", "who=you", "gone=; Max-Age=0"]];
    response.setHeader("set-cookie", cookies);
    response.writeHead(302, { location }).end();
  });
  const reply = await follow(get, `${server.url}/page`, new AbortController().signal, { cookie: "mine=1" });
  expect(reply).toMatchObject({ status: 200, url: `${other.url}/page` });
  expect(brought).toEqual(["mine=1", "mine=1; checked=1; who=you", "mine=1; who=you; checked=2", undefined]);
});
