import { queryObjects } from "node:v8";
import { Pool } from "undici";
import { expect, it, onTestFinished, vi } from "vitest";
import { DOUBT_MS } from "../../../src/core/proofs/proof.ts";
import { FOUND_FOR_MS } from "../../../src/player/network/name-lookups.ts";
import {
  CONNECTION_FOR_MS,
  MOST_FORWARDED_HOSTS,
  routedRequests,
  routesBy,
} from "../../../src/player/network/routed-requests.ts";
import { DIRECT, requestsBy, type Uplink } from "../../../src/player/network/uplink.ts";
import { answer, serve } from "../../client/server.ts";

/** As long as the rules of a server that names all that its pages may load from. */
const RULES = `default-src ${"https://cdn.example ".repeat(2_000)}`;

it("an answer is read however much its server says in its head, up to what browsers read", async () => {
  const server = await serve((_, response) => {
    answer(200, { "content-security-policy": RULES }, "here")(response);
  });
  const proxy = { url: server.url, authorization: null };
  const proxied: Uplink = { ...DIRECT, http: proxy, https: proxy };
  const { signal } = new AbortController();
  for (const [uplink, origin] of [
    [DIRECT, server.url],
    [proxied, "http://service.example"],
  ] as const) {
    const requests = requestsBy(uplink, "service.example");
    expect(await (await requests.fetch(`${origin}/a`)).text()).toBe("here");
    expect(await requests.exactGet(`${origin}/{b}`, "/{b}", {}, signal)).toMatchObject({ status: 200 });
  }
});

it("a connection is given up while it is in use: a proof that was refused goes to where its name leads a minute later", async () => {
  // At its last use, the addresses of its name may have been asked for so long ago.
  expect(CONNECTION_FOR_MS + FOUND_FOR_MS).toBeLessThanOrEqual(DOUBT_MS);
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const connections: (number | undefined)[] = [];
  const server = await serve(({ socket }, response) => {
    connections.push(socket.remotePort);
    answer(404, { "keep-alive": "timeout=600" }, "moved away")(response);
  });
  const proxy = { url: server.url, authorization: null };
  for (const uplink of [DIRECT, { ...DIRECT, http: proxy }]) {
    connections.length = 0;
    const { fetch } = requestsBy(uplink, "service.example");
    const ask = async () => {
      await (await fetch(`${server.url}/a`)).text();
      // A connection is free a moment after its answer was read.
      await new Promise(setImmediate);
    };
    await ask();
    await ask();
    expect(new Set(connections.slice(-2)).size).toBe(1);
    vi.setSystemTime(Date.now() + CONNECTION_FOR_MS + 1);
    await ask();
    expect(new Set(connections.slice(-2)).size).toBe(2);
  }
});

it("of many hosts that a proxy is asked for only the last are remembered", async () => {
  const server = await serve((_, response) => answer(200, { connection: "close" }, "here")(response));
  const { fetch } = routedRequests(routesBy({ ...DIRECT, http: { url: server.url, authorization: null } }));
  const pools = () => Number(queryObjects(Pool));
  const before = pools();
  for (let host = 0; host < 3 * MOST_FORWARDED_HOSTS; host++) {
    await (await fetch(`http://cdn-${host}.example/a`)).text();
  }
  await expect
    .poll(() => pools() - before, { interval: 500, timeout: 30_000 })
    .toBeLessThan(1.5 * MOST_FORWARDED_HOSTS);
});
