import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { follow } from "../../../src/client/follow.ts";
import type { Reply } from "../../../src/client/reply.ts";
import { fetchGuardedBy } from "../../../src/player/media/guarded-fetch.ts";
import { confinedTo, mayConnect, mayReach, type ReachPolicy, reachPolicy } from "../../../src/player/media/reach.ts";

const { signal } = new AbortController();

function policy(serviceHost: string, allowHosts: string[] = [], allowPrivateNetwork = false): ReachPolicy {
  const names: Record<string, string[]> = { "signage.lan": ["192.168.1.2"], "network.example": ["203.0.115.7"] };
  const config = { baseUrl: `http://${serviceHost}/api`, creatives: { allowPrivateNetwork, allowHosts } };
  return reachPolicy(config, async (hostname) => names[hostname] ?? Promise.reject(new Error("no such name")));
}
const PUBLIC = policy("network.example");

describe("where a creative may reach", () => {
  it.each([
    ["https://cdn.example/x", PUBLIC, true],
    ["http://127.0.0.1:9/x", PUBLIC, false],
    ["http://localhost/x", PUBLIC, false],
    ["http://192.168.1.1/x", PUBLIC, false],
    ["http://[::1]/x", PUBLIC, false],
    ["http://169.254.169.254/latest/meta-data", PUBLIC, false],
    ["http://192.168.1.1/x", policy("192.168.1.2"), true],
    ["http://127.0.0.1:9/x", policy("192.168.1.2"), false],
    ["http://127.0.0.1:9/x", policy("127.0.0.1"), true],
    ["http://192.168.1.1/x", policy("signage.lan"), true],
    ["http://127.0.0.1:9/x", policy("signage.lan"), false],
    ["http://192.168.1.1/x", policy("unknown.example"), false],
    ["http://10.0.0.5/x", policy("network.example", ["10.0.0.5"]), true],
    ["http://10.0.0.5/x", policy("network.example", [], true), true],
  ])("%s under %o: %s", async (url, by, allowed) => expect(await mayReach(new URL(url), by)).toBe(allowed));

  it("is judged by what a name resolves to as well", async () => {
    expect(await mayConnect("cdn.example", "127.0.0.1", PUBLIC)).toBe(false);
    expect(await mayConnect("cdn.example", "192.168.1.7", PUBLIC)).toBe(false);
    expect(await mayConnect("cdn.example", "192.168.1.7", policy("signage.lan"))).toBe(true);
    expect(await mayConnect("cdn.lan", "192.168.1.7", policy("network.example", ["cdn.lan"]))).toBe(true);
  });

  it("is judged again at every redirect", async () => {
    const gone: string[] = [];
    const get = async (url: string): Promise<Reply> => {
      gone.push(url);
      return { status: 302, headers: new Headers({ location: "http://127.0.0.1:8789/control/reset" }), body: null };
    };
    await expect(follow(confinedTo(PUBLIC, get), "https://cdn.example/x", signal)).rejects.toThrow(/may not reach/);
    expect(gone).toEqual(["https://cdn.example/x"]);
  });
});

describe("a guarded fetch", () => {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(request.url ?? "");
    response.end("here");
  });
  let port: number;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it("does not connect where a name leads to an address out of reach", async () => {
    const guarded = fetchGuardedBy(PUBLIC);
    await expect(guarded(`http://localhost:${port}/secret`, {})).rejects.toMatchObject({
      cause: { message: "creatives may not reach localhost" },
    });
    expect(calls).toEqual([]);
  });

  it("connects where the service itself lives there", async () => {
    const guarded = fetchGuardedBy(policy("127.0.0.1"));
    const response = await guarded(`http://localhost:${port}/media`, { redirect: "manual" });
    expect(await response.text()).toBe("here");
    expect(calls).toEqual(["/media"]);
  });
});
