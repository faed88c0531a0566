import callbackDns, { type LookupAddress } from "node:dns";
import dns from "node:dns/promises";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { type AddressInfo, isIP } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { SpotClient } from "../../../src/client/spot-client.ts";
import { scopeOf } from "../../../src/core/network/address.ts";
import { type EgressPolicy, resolveSoon } from "../../../src/player/network/egress-policy.ts";
import { FOUND_FOR_MS, lookupBy, lookupWithin, STALE_FOR_MS } from "../../../src/player/network/name-lookups.ts";
import type { HasWay } from "../../../src/player/network/own-network.ts";
import { fetchGuardedBy } from "../../../src/player/network/routed-requests.ts";
import { DIRECT, requestsBy } from "../../../src/player/network/uplink.ts";
import { serve } from "../../client/server.ts";

const MINUTE = 60_000;

/** Look-ups one at a time, by a name server that answers what it is asked when it is told to. */
/** `tickMs`: by how much the clock goes on with each reading. */
function heldLookups(tickMs = 0) {
  const asked: string[] = [];
  const held: PromiseWithResolvers<{ address: string; family: number }[]>[] = [];
  const clock = { now: 0 };
  const find = (hostname: string) => {
    asked.push(hostname);
    const answer = Promise.withResolvers<{ address: string; family: number }[]>();
    held.push(answer);
    return answer.promise;
  };
  const look = lookupWithin(1, find, () => {
    clock.now += tickMs;
    return clock.now;
  });
  return {
    asked,
    clock,
    look,
    /** Asks for names, one after the other; nobody minds how that ends. */
    async ask(...hostnames: string[]) {
      for (const hostname of hostnames) {
        look(hostname, ALL).catch(silent);
        await settled();
      }
    },
    async answer(address = "203.0.113.1") {
      held.shift()?.resolve([{ address, family: 4 }]);
      await settled();
    },
    /** Nobody answers, for as long as the runtime waits. */
    async giveUp() {
      clock.now += 10_000;
      held.shift()?.reject(new Error("nobody answers"));
      await settled();
    },
  };
}

const ALL = { all: true } as const;
const silent = () => {};
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("the look-ups of media's names", () => {
  it("are so many at a time that spots and proofs have a place, whatever nobody answers", async () => {
    const { asked, look, ask, answer } = heldLookups();
    await ask("a.example");
    const next = look("b.example", ALL);
    await settled();
    expect(asked).toEqual(["a.example"]);
    await answer();
    expect(asked).toEqual(["a.example", "b.example"]);
    await answer();
    expect(await next).toEqual([{ address: "203.0.113.1", family: 4 }]);
  });

  it("are not made again at once of what nobody answered, but of what was unknown at once", async () => {
    let now = 0;
    const asked: string[] = [];
    const find = async (hostname: string) => {
      asked.push(hostname);
      if (hostname.startsWith("dead")) now += 10_000;
      throw new Error("unknown");
    };
    const look = lookupWithin(1, find, () => now);
    const fails = (hostname: string) => expect(look(hostname, ALL)).rejects.toThrow("unknown");
    for (const hostname of ["dead.example", "dead.example", "none.example", "none.example"]) await fails(hostname);
    expect(asked).toEqual(["dead.example", "none.example", "none.example"]);
    now += MINUTE;
    await fails("dead.example");
    expect(asked.at(-1)).toBe("dead.example");
  });

  it("need no place for a name that was found just now", async () => {
    const { asked, look, ask, clock, answer, giveUp } = heldLookups();
    await ask("cdn.example");
    await answer("203.0.113.1");
    await ask("dead.example");
    clock.now = FOUND_FOR_MS - 1;
    expect(await look("cdn.example", ALL)).toEqual([{ address: "203.0.113.1", family: 4 }]);
    clock.now = FOUND_FOR_MS;
    const again = look("cdn.example", ALL);
    await giveUp();
    expect(asked).toEqual(["cdn.example", "dead.example", "cdn.example"]);
    await answer("203.0.113.2");
    expect(await again).toEqual([{ address: "203.0.113.2", family: 4 }]);
  });

  it("are made once for all who wait for the same name", async () => {
    const { asked, look, answer } = heldLookups();
    const parts = [1, 2, 3].map(() => look("cdn.example", ALL));
    await settled();
    await answer();
    expect(await Promise.all(parts)).toHaveLength(3);
    expect(asked).toEqual(["cdn.example"]);
  });

  it("put a name that was found before in front of those that may be nobody's", async () => {
    const { asked, ask, clock, answer, giveUp } = heldLookups();
    await ask("cdn.example");
    await answer();
    clock.now = MINUTE;
    await ask("dead1.example", "cdn.example", "dead2.example");
    await giveUp();
    expect(asked).toEqual(["cdn.example", "dead1.example", "cdn.example"]);
  });

  it("put it there no more once nobody answers for it", async () => {
    const { asked, ask, clock, answer, giveUp } = heldLookups();
    await ask("gone.example");
    await answer();
    clock.now = MINUTE;
    await ask("gone.example");
    await giveUp();
    clock.now += MINUTE;
    await ask("dead.example", "gone.example", "new.example");
    await giveUp();
    expect(asked.slice(2)).toEqual(["dead.example", "new.example"]);
  });

  it("go ahead of others for a name that was found before, by a clock that goes on all the while", async () => {
    const { asked, clock, ask, answer } = heldLookups(0.01);
    await ask("cdn.example");
    await answer();
    clock.now += FOUND_FOR_MS;
    await ask("dead.example", "cdn.example", "new.example");
    await answer();
    expect(asked).toEqual(["cdn.example", "dead.example", "cdn.example"]);
  });

  it("find again what was found last while no name server answers, for a day at most", async () => {
    let now = 0;
    let failure: Error | null = null;
    const asked: number[] = [];
    const find = async () => {
      asked.push(now);
      if (failure !== null) throw failure;
      return [{ address: "203.0.113.1", family: 4 }];
    };
    const look = lookupWithin(1, find, () => now);
    const found = await look("cdn.example", ALL);
    failure = Object.assign(new Error("nobody answers"), { code: "EAI_AGAIN" });
    now = MINUTE + 1;
    expect(await look("cdn.example", ALL)).toEqual(found);
    await look("cdn.example", ALL);
    expect(asked).toEqual([0, MINUTE + 1]);
    await expect(look("other.example", ALL)).rejects.toThrow("nobody answers");
    now = STALE_FOR_MS;
    await expect(look("cdn.example", ALL)).rejects.toThrow("nobody answers");
  });

  it("find nothing any more where a name server says that there is none", async () => {
    let now = 0;
    let failure: Error | null = null;
    const find = async () => (failure === null ? [{ address: "203.0.113.1", family: 4 }] : Promise.reject(failure));
    const look = lookupWithin(1, find, () => now);
    await look("cdn.example", ALL);
    failure = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    now = MINUTE + 1;
    await expect(look("cdn.example", ALL)).rejects.toThrow("no such name");
  });

  it("find nobody where a name server that filters answers with no address at all, least of all this machine", async () => {
    const nowhere = ["0.0.0.0", "::"].map((address) => ({ address, family: isIP(address) }));
    const real = { address: "203.0.113.1", family: 4 };
    const look = lookupWithin(1, async (hostname) => (hostname === "half.example" ? [...nowhere, real] : nowhere));
    await expect(look("blocked.example", ALL)).rejects.toMatchObject({ code: "ENOTFOUND" });
    expect(await look("half.example", ALL)).toEqual([real]);
  });

  it("serve the name first that was asked for last, whose asker can still wait for longest", async () => {
    const { asked, ask, giveUp } = heldLookups();
    await ask("dead1.example", "dead2.example", "cdn.example");
    await giveUp();
    expect(asked).toEqual(["dead1.example", "cdn.example"]);
  });

  it("are not made for those who waited too long for their turn", async () => {
    const { asked, look, ask, giveUp } = heldLookups();
    await ask("dead.example");
    const gone = expect(look("gone.example", ALL, 2_000)).rejects.toMatchObject({ code: "EAI_AGAIN" });
    await ask("patient.example");
    await giveUp();
    await gone;
    expect(asked).toEqual(["dead.example", "patient.example"]);
  });
});

/**
 * Stands in for the look-ups of the runtime, by either of their names: what they were asked for, and `end` for those of names
 * that nobody answers.
 */
function fakeRuntime(
  isDead = (hostname: string) => hostname.startsWith("dead"),
  found: readonly LookupAddress[] = [{ address: "127.0.0.1", family: 4 }],
) {
  const { lookup } = dns;
  const { lookup: lookupFor } = callbackDns;
  const asked: string[] = [];
  const ended = Promise.withResolvers<void>();
  const find = async (hostname: string) => {
    if (isIP(hostname) === 0) asked.push(hostname);
    if (isDead(hostname)) await ended.promise;
    return found;
  };
  const findFor = (hostname: string, _: object, answer: (error: null, found: unknown) => void) => {
    void find(hostname).then((found) => answer(null, found));
  };
  const use = (one: unknown, oneFor: unknown) => {
    Object.assign(dns, { lookup: one });
    Object.assign(callbackDns, { lookup: oneFor });
    syncBuiltinESMExports();
  };
  use(find, findFor);
  onTestFinished(() => use(lookup, lookupFor));
  return { asked, end: ended.resolve };
}

describe("media's one place for look-ups", () => {
  const policy = (scope: "loopback" | "public"): EgressPolicy => {
    return { allowPrivateNetwork: false, allowHosts: [], scopeOf, serviceScope: async () => scope };
  };

  it("has its remembered addresses judged by the policy each time", async () => {
    const { asked } = fakeRuntime();
    const host = createServer((_, response) => response.end("here"));
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void host.close());
    const url = `http://remembered.example:${(host.address() as AddressInfo).port}/x`;
    expect(await (await fetchGuardedBy(policy("loopback"), DIRECT)(url)).text()).toBe("here");
    await expect(fetchGuardedBy(policy("public"), DIRECT)(url)).rejects.toMatchObject({
      cause: { message: "creatives may not reach remembered.example" },
    });
    expect(asked).toEqual(["remembered.example"]);
  });

  it("has no more of a name's thousands of addresses judged than a connection may come to", async () => {
    const many = Array.from({ length: 4_000 }, (_, index) => {
      return { address: `127.0.${index >> 8}.${index & 0xff || 1}`, family: 4 };
    });
    fakeRuntime(undefined, many);
    const judged: string[] = [];
    const by: EgressPolicy = {
      ...policy("public"),
      scopeOf(address) {
        judged.push(address);
        return scopeOf(address);
      },
    };
    await expect(fetchGuardedBy(by, DIRECT)("http://crowded.example/")).rejects.toMatchObject({
      cause: { message: "creatives may not reach crowded.example" },
    });
    expect(judged).toEqual(many.slice(0, 40).map(({ address }) => address));
  });

  it("serves names that are judged before a proxy is asked, and names that are connected to", async () => {
    const { asked, end } = fakeRuntime();
    const resolve = resolveSoon();
    const judged = ["dead1.example", "dead2.example"].map((hostname) => resolve(hostname));
    const fetched = fetchGuardedBy(policy("public"), DIRECT)("http://dead3.example/");
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    for (let turn = 0; turn < 10; turn++) await settled();
    expect(asked).toHaveLength(1);
    // The place is free again for whoever comes after.
    end();
    await Promise.allSettled([...judged, fetched]);
    expect(asked).toHaveLength(3);
  });
});

describe("the service's own name", () => {
  const signal = new AbortController().signal;

  /** A service under a name, which no other test has found, and a client that waits for it and for proofs so long. */
  async function namedService(
    name: string,
    timeouts: { readonly spotTimeoutMs: number; readonly proofTimeoutMs: number },
  ) {
    const { url } = await serve((_, response) => response.writeHead(204, { connection: "close" }).end());
    const baseUrl = url.replace("127.0.0.1", name);
    const requests = requestsBy(DIRECT, name);
    return new SpotClient({ baseUrl, orgToken: "t", spotRetryMs: 1, ...requests, ...timeouts });
  }

  it("is looked up beside one other name at most, however many proofs go to names that nobody answers", async () => {
    const { asked, end } = fakeRuntime();
    const client = await namedService("service1.example", { spotTimeoutMs: 5_000, proofTimeoutMs: 5_000 });
    const pops = ["http://dead1.example/", "http://dead2.example/{id}", "http://dead2.example/3"];
    const proofs = pops.map((pop) => client.sendProof(pop, signal));
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    expect(await client.getSpot("screen", signal)).toMatchObject({ kind: "empty" });
    expect(asked).toHaveLength(2);
    expect(asked).toContain("service1.example");
    end();
    await Promise.all(proofs);
  });

  it("is looked up once by all requests after the first, those that could not wait for it and the one that comes later", async () => {
    const { asked, end } = fakeRuntime((hostname) => hostname === "service2.example");
    const client = await namedService("service2.example", { spotTimeoutMs: 50, proofTimeoutMs: 50 });
    const ask = () => client.getSpot("screen", signal);
    for (const spot of [await ask(), await ask(), await ask()]) {
      expect(spot).toMatchObject({ kind: "unavailable", reason: "timeout" });
    }
    end();
    await settled();
    expect(await ask()).toMatchObject({ kind: "empty" });
    expect(asked).toEqual(["service2.example", "service2.example"]);
  });
});

it("find a proxy's own name again as they do the service's, while no name server answers", async () => {
  let isOut = false;
  const { asked } = fakeRuntime(() => isOut);
  const proxy = await serve((_, response) => response.writeHead(204, { connection: "close" }).end());
  const named = { url: proxy.url.replace("127.0.0.1", "proxy.example"), authorization: null };
  const timeouts = { spotTimeoutMs: 5_000, proofTimeoutMs: 1_000 };
  const requests = requestsBy({ ...DIRECT, http: named }, "service.example");
  const client = new SpotClient({ baseUrl: "http://service.example", orgToken: "t", ...requests, ...timeouts });
  const signal = new AbortController().signal;
  expect(await client.sendProof("http://pop.example/1", signal)).toEqual({ kind: "accepted" });
  isOut = true;
  expect(await client.sendProof("http://pop.example/2", signal)).toEqual({ kind: "accepted" });
  expect(asked).toEqual(["proxy.example"]);
});

describe("of a host with addresses of both kinds a connection is told", () => {
  const v4 = ["192.0.2.1", "192.0.2.2"].map((address) => ({ address, family: 4 }));
  const v6 = ["2001:db8::1", "2001:db8::2"].map((address) => ({ address, family: 6 }));
  const told = (found: readonly LookupAddress[], hasWay?: HasWay) => {
    const look = lookupBy(async () => found, hasWay);
    return new Promise((resolve) => look("service.example", ALL, (_, addresses) => resolve(addresses)));
  };

  it("those to which there is a way, so that the last of them has as long as it takes over a slow line", async () => {
    expect(await told([...v4, ...v6], async ({ family }) => family === 4)).toEqual(v4);
    expect(await told([...v4, ...v6], async () => true)).toEqual([...v4, ...v6]);
    const here = { address: "127.0.0.1", family: 4 };
    // Everybody at once is nobody that one could connect to.
    const nowhere = { address: "::ffff:255.255.255.255", family: 6 };
    expect(await told([here, nowhere])).toEqual([here]);
  });

  it("few of each kind where it has thousands, and no more are looked for a way to", async () => {
    const many = [6, 4].flatMap((family) =>
      Array.from({ length: 2_000 }, (_, index) => ({ address: `${index}`, family })),
    );
    const asked: LookupAddress[] = [];
    const found = await told(many, async (one) => asked.push(one) > 0);
    expect(found).toEqual([...many.slice(0, 40), ...many.slice(2_000, 2_040)]);
    expect(asked).toEqual(found);
  });

  it("all where there is a way to none, or all are of one kind", async () => {
    expect(await told([...v4, ...v6], async () => false)).toEqual([...v4, ...v6]);
    expect(await told(v4, async ({ address }) => address === "192.0.2.2")).toEqual(v4);
  });
});
