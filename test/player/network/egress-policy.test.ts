import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import os from "node:os";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { follow, type Reply } from "../../../src/client/http.ts";
import {
  type EgressPolicy,
  egressPolicy,
  limitedBy,
  mayConnect,
  mayFollow,
  mayReach,
  resolveSoon,
} from "../../../src/player/network/egress-policy.ts";
import { UNKNOWN_FOR_MS } from "../../../src/player/network/name-lookups.ts";
import { fetchGuardedBy } from "../../../src/player/network/routed-requests.ts";
import { DIRECT } from "../../../src/player/network/uplink.ts";

const { signal } = new AbortController();

function policy(serviceHost: string, allowHosts: string[] = [], allowPrivateNetwork = false): EgressPolicy {
  const names: Record<string, string[]> = { "signage.lan": ["192.168.1.2"], "network.example": ["203.0.115.7"] };
  const config = { baseUrl: `http://${serviceHost}/api`, creatives: { allowPrivateNetwork, allowHosts } };
  const resolve = async (hostname: string) => names[hostname] ?? Promise.reject(new Error("no such name"));
  return egressPolicy(config, resolve, () => OWN);
}
const OWN = [{ address: "192.168.1.9" }, { address: "62.1.2.3" }, { address: "2a01:4f8:1:2::5" }];
const PUBLIC = policy("network.example");

describe("where a creative may reach", () => {
  it.each([
    ["https://cdn.example/x", PUBLIC, true],
    ["http://127.0.0.1:9/x", PUBLIC, false],
    ["http://localhost/x", PUBLIC, false],
    ["http://192.168.1.1/x", PUBLIC, false],
    ["http://0.0.0.0:9/x", PUBLIC, false],
    ["http://[::]:9/x", PUBLIC, false],
    ["http://0.0.0.0:9/x", policy("192.168.1.2"), false],
    ["http://[64:ff9b::7f00:1]/x", policy("192.168.1.2"), false],
    ["http://[2002:c0a8:101::1]/x", PUBLIC, false],
    ["http://[::ffff:192.168.1.1]/x", PUBLIC, false],
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

  it.each([
    ["CMS.local", "http://cms.local/x"],
    ["http://cms.local/", "http://cms.local:8080/x"],
    ["10.0.0.5:8080", "http://10.0.0.5:8080/x"],
    ["fd00::10", "http://[fd00::10]/x"],
    ["[FD00::10]:80", "http://[fd00::10]/x"],
  ])("takes %s in allowHosts for the host that it names", async (named, url) => {
    const by = policy("network.example", [named]);
    expect(await mayReach(new URL(url), by)).toBe(true);
    expect(await mayConnect(new URL(url).hostname, "10.0.0.5", by)).toBe(true);
    expect(await mayReach(new URL("http://10.0.0.6/x"), by)).toBe(false);
  });

  it.each([
    ["http://[2a01:4f8:1:2::5]:631/", PUBLIC, false],
    ["http://[2a01:4f8:1:2::99]/", PUBLIC, false],
    ["http://[2a01:4f8:1:3::99]/", PUBLIC, true],
    ["http://62.1.2.3:631/", PUBLIC, false],
    ["http://[::ffff:62.1.2.3]:631/", PUBLIC, false],
    ["http://62.1.2.4/", PUBLIC, true],
    ["http://62.1.2.3/", policy("62.1.2.3"), true],
    ["http://[2a01:4f8:1:2::99]/", policy("192.168.1.2"), true],
    ["http://127.0.0.1/", policy("62.1.2.3"), false],
  ])(
    "is no nearer than the service, by a public address of this site's own: %s under %o: %s",
    async (url, by, allowed) => {
      expect(await mayReach(new URL(url), by)).toBe(allowed);
      expect(await mayConnect("cdn.example", new URL(url).hostname, by)).toBe(allowed);
    },
  );

  it("is no private address once a captive portal, by whose name server all names were its own, has let go", async () => {
    let addresses = ["10.0.0.1"];
    const config = { baseUrl: "https://network.example", creatives: { allowPrivateNetwork: false, allowHosts: [] } };
    const by = egressPolicy(
      config,
      async () => addresses,
      () => OWN,
    );
    expect(await mayReach(new URL("http://192.168.1.1/"), by)).toBe(true);
    addresses = ["203.0.115.7"];
    expect(await mayReach(new URL("http://192.168.1.1/"), by)).toBe(false);
  });

  it("is as near as the service was when its name was last known", async () => {
    let addresses: string[] | null = ["192.168.1.2"];
    const config = { baseUrl: "https://signage.lan", creatives: { allowPrivateNetwork: false, allowHosts: [] } };
    const by = egressPolicy(
      config,
      async () => addresses ?? Promise.reject(new Error("no such name")),
      () => OWN,
    );
    expect(await mayReach(new URL("http://192.168.1.1/"), by)).toBe(true);
    addresses = null;
    expect(await mayReach(new URL("http://192.168.1.1/"), by)).toBe(true);
  });

  it("is told for thousands of addresses without asking the system for its own each time", async () => {
    const { networkInterfaces } = os;
    let asked = 0;
    const use = (one: typeof networkInterfaces) => {
      Object.assign(os, { networkInterfaces: one });
      syncBuiltinESMExports();
    };
    onTestFinished(() => use(networkInterfaces));
    use(() => {
      asked++;
      return networkInterfaces();
    });
    const config = { baseUrl: "https://network.example", creatives: { allowPrivateNetwork: false, allowHosts: [] } };
    const by = egressPolicy(config, async () => ["203.0.115.7"]);
    const many = Array.from({ length: 2_000 }, (_, index) => `203.0.${index >> 8}.${index & 0xff}`);
    for (const address of many) by.scopeOf(address);
    expect(asked).toBeLessThan(20);
  });

  it("is judged again at every redirect", async () => {
    const gone: string[] = [];
    const get = async (url: string): Promise<Reply> => {
      gone.push(url);
      return { status: 302, headers: new Headers({ location: "http://127.0.0.1:8789/control/reset" }), body: null };
    };
    await expect(follow(limitedBy(PUBLIC, get), "https://cdn.example/x", signal)).rejects.toThrow(/may not reach/);
    expect(gone).toEqual(["https://cdn.example/x"]);
  });
});

describe("where a redirect of a proof may lead", () => {
  const addresses: Record<string, string[]> = {
    "pop.example": ["203.0.115.7"],
    "tracker.example": ["203.0.115.8", "2606:4700::1111"],
    "inward.example": ["203.0.115.9", "127.0.0.1"],
    "pop.lan": ["192.168.1.3"],
    "::1": ["::1"],
  };
  const resolve = async (name: string) => addresses[name] ?? Promise.reject(new Error("no such name"));

  it.each([
    ["http://pop.example/1", "https://tracker.example/1", true],
    ["http://pop.example/1", "http://127.0.0.1:8790/health", false],
    ["http://pop.example/1", "http://[::1]/", false],
    ["http://pop.example/1", "http://0.0.0.0/", false],
    ["http://pop.example/1", "http://192.168.1.1/login", false],
    ["http://pop.example/1", "http://inward.example/", false],
    ["http://pop.example/1", "http://62.1.2.3:631/", false],
    ["http://pop.example/1", "http://unknown.example/", true],
    ["http://pop.lan/1", "http://192.168.1.1/2", true],
    ["http://pop.lan/1", "http://127.0.0.1/2", false],
    ["http://127.0.0.1:1/1", "http://127.0.0.1:2/2", true],
  ])("%s to %s: %s", async (from, to, allowed) => {
    expect(await mayFollow(new URL(from), new URL(to), PUBLIC, resolve)).toBe(allowed);
  });

  it("follows what the operator and the service allow creatives", async () => {
    const inward = [new URL("http://pop.example/1"), new URL("http://192.168.1.1/2")] as const;
    for (const by of [policy("192.168.1.2"), policy("network.example", ["192.168.1.1"])]) {
      expect(await mayFollow(...inward, by, resolve)).toBe(true);
    }
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
    const guarded = fetchGuardedBy(PUBLIC, DIRECT);
    await expect(guarded(`http://localhost:${port}/secret`, {})).rejects.toMatchObject({
      cause: { message: "creatives may not reach localhost" },
    });
    expect(calls).toEqual([]);
  });

  it("connects where the service itself lives there", async () => {
    const guarded = fetchGuardedBy(policy("127.0.0.1"), DIRECT);
    const response = await guarded(`http://localhost:${port}/media`, { redirect: "manual" });
    expect(await response.text()).toBe("here");
    expect(calls).toEqual(["/media"]);
  });
});

describe("a name that is resolved soon", () => {
  it("is asked for each time while it is known", async () => {
    let asked = 0;
    const resolve = resolveSoon(async () => [`192.0.2.${++asked}`]);
    expect([await resolve("a.example"), await resolve("a.example")]).toEqual([["192.0.2.1"], ["192.0.2.2"]]);
  });

  it("is not asked for again at once where it is unknown, but is after a minute", async () => {
    let [asked, now] = [0, 0];
    const unknown = async () => {
      asked++;
      throw new Error("no such name");
    };
    const resolve = resolveSoon(unknown, () => now);
    for (now of [0, UNKNOWN_FOR_MS - 1]) await expect(resolve("a.example")).rejects.toThrow();
    expect(asked).toBe(1);
    now = UNKNOWN_FOR_MS;
    await expect(resolve("a.example")).rejects.toThrow("no such name");
    expect(asked).toBe(2);
  });
});
