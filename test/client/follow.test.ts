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

it("a redirect to where no client goes is not followed, and the answer is the redirect itself", async () => {
  for (const location of ["https://user:secret@there.example/", "file:///etc/passwd", "javascript:1", "http://"]) {
    const server = await serve((_, response) => response.writeHead(302, { location }).end());
    const reply = await follow(get, `${server.url}/page`, new AbortController().signal);
    expect(reply).toMatchObject({ status: 302, url: `${server.url}/page` });
  }
});

it("an answer comes with the cookies that redirects set for its host, each for the path where it was set", async () => {
  const server = await serve(({ url }, response) => {
    const isFirst = url === "/play/begin?for=7";
    response.setHeader("set-cookie", isFirst ? ["key=1", "who=you; Path=/; HttpOnly"] : ["who=me; Path=/"]);
    if (isFirst) response.writeHead(302, { location: "/film/" });
    response.end();
  });
  const reply = await follow(get, `${server.url}/play/begin?for=7`, new AbortController().signal);
  expect(reply.headers.getSetCookie()).toEqual(["key=1; Path=/play/", "who=you; Path=/; HttpOnly", "who=me; Path=/"]);
});

it("cookies that a redirect sets for a whole domain are sent to another host of it, and come with the answer", async () => {
  const brought: [host: string, cookie: string | undefined][] = [];
  const set = ["key=1; Domain=maker.example; Path=/", "own=2; Path=/", "odd=3; Domain=.other.example; Path=/"];
  const hops: Readonly<Record<string, Response>> = {
    "shop.maker.example": new Response(null, {
      status: 302,
      headers: [
        ["location", "https://films.maker.example/7/"],
        ...set.map((cookie): [string, string] => ["set-cookie", cookie]),
      ],
    }),
    "films.maker.example": new Response(null, { status: 302, headers: { location: "https://notmaker.example/" } }),
    "notmaker.example": new Response("there"),
  };
  const askedOf: Get = async (url, _signal, headers) => {
    const { hostname } = new URL(url);
    brought.push([hostname, headers?.cookie]);
    return hops[hostname] ?? Response.error();
  };
  const reply = await follow(askedOf, "https://shop.maker.example/play", new AbortController().signal);
  expect(brought).toEqual([
    ["shop.maker.example", undefined],
    ["films.maker.example", "key=1"],
    ["notmaker.example", undefined],
  ]);
  expect(reply.headers.getSetCookie()).toEqual([]);
});

/** What the second of two hosts is sent after a redirect from the first has set cookies. */
async function broughtTo(to: string, from: string, ...set: readonly string[]): Promise<string | undefined> {
  let brought: string | undefined;
  const askedOf: Get = async (url, _signal, headers) => {
    if (url !== from) {
      brought = headers?.cookie;
      return new Response("there");
    }
    const cookies = set.map((cookie): [string, string] => ["set-cookie", cookie]);
    return new Response(null, { status: 302, headers: [["location", to], ...cookies] });
  };
  await follow(askedOf, from, new AbortController().signal);
  return brought;
}

it("a cookie that is for encrypted connections alone goes over no other", async () => {
  const set = ["open=1; Domain=maker.example", "secret=2; Domain=maker.example; Secure"];
  const from = "https://shop.maker.example/play";
  expect(await broughtTo("http://films.maker.example/", from, ...set)).toBe("open=1");
  expect(await broughtTo("https://films.maker.example/", from, ...set)).toBe("open=1; secret=2");
});

it.each([
  ["a top-level domain", "https://films.example/", "https://evil.example/", "key=1; Domain=example"],
  ["a part of an address", "http://198.51.100.7/", "http://203.0.100.7/", "key=1; Domain=100.7"],
])("a cookie for %s is nobody else's", async (_, to, from, cookie) => {
  expect(await broughtTo(to, from, cookie)).toBeUndefined();
});

it("of a server that sets thousands of cookies those that it set last are brought along", async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `c${index}`);
  const brought: string[] = [];
  const askedOf: Get = async (_url, _signal, headers) => {
    brought.push(headers?.cookie ?? "");
    const cookies = names.map((name): [string, string] => ["set-cookie", `${name}=1`]);
    return new Response(null, { status: brought.length > 2 ? 200 : 302, headers: [["location", "/on"], ...cookies] });
  };
  const reply = await follow(askedOf, "https://maker.example/", new AbortController().signal, { cookie: "mine=1" });
  const last = names.slice(-180).map((name) => `${name}=1`);
  expect(brought).toEqual(["mine=1", ["mine=1", ...last].join("; "), ["mine=1", ...last].join("; ")]);
  expect(reply.headers.getSetCookie()).toHaveLength(180 + names.length);
});
