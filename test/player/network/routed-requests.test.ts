import { expect, it } from "vitest";
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
