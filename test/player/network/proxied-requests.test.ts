import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { getBy } from "../../../src/client/http.ts";
import { reasonOf } from "../../../src/client/reply.ts";
import { SpotClient } from "../../../src/client/spot-client.ts";
import { VendorClient } from "../../../src/client/vendor-client.ts";
import { egressPolicy } from "../../../src/player/network/egress-policy.ts";
import { fetchGuardedBy, routedRequests, routesBy } from "../../../src/player/network/routed-requests.ts";
import { DIRECT, type Requests, requestsBy, type Uplink } from "../../../src/player/network/uplink.ts";
import { answer, serve } from "../../client/server.ts";
import { lacking, startSquid } from "../../support/site/squid.ts";

const NAMES = ["pop.signage.test", "cdn.signage.test", "router.lan"];
const signal = new AbortController().signal;

/** What stands behind Squid, and the uplink that leads there. */
async function behindSquid() {
  const squid = await startSquid({ name: "kiosk", password: "word" }, NAMES);
  onTestFinished(() => squid.stop());
  const server = await serve((_, response) => answer(200, { "content-type": "text/plain" }, "here")(response));
  const proxy = { url: squid.url, authorization: `Basic ${Buffer.from("kiosk:word").toString("base64")}` };
  const uplink: Uplink = { http: proxy, https: proxy, bypass: "", namedBy: "network.proxy", certificates: [] };
  return { squid, server, uplink, port: new URL(server.url).port };
}

function serviceBy(uplink: Uplink): SpotClient {
  return serviceAt("http://service.signage.test", requestsBy(uplink, "service.signage.test"));
}

function serviceAt(baseUrl: string, requests: Requests): SpotClient {
  const times = { spotTimeoutMs: 5_000, proofTimeoutMs: 5_000, spotRetryMs: 1 };
  return new SpotClient({ baseUrl, orgToken: "t", ...requests, ...times });
}

/** How proxies mark what they say for themselves, as where they do not know a name or do not serve this machine's address. */
const OWN_ANSWERS: readonly { readonly by: string; readonly status: number; readonly marks: Record<string, string> }[] =
  [
    { by: "tinyproxy", status: 403, marks: { server: "tinyproxy/1.11.1" } },
    // What it says where its name server does not answer, too.
    { by: "Privoxy", status: 404, marks: { "last-modified": "Wed, 08 Jun 1955 12:00:00 GMT" } },
  ];

it.each(OWN_ANSWERS)("leave a proof owed where $by answers for itself", async ({ status, marks }) => {
  const page = { "content-type": "text/html", ...marks };
  const proxy = await serve((_, response) => answer(status, page, "<html>Not here</html>")(response));
  const uplink = { ...DIRECT, http: { url: proxy.url, authorization: null } };
  for (const pop of ["http://pop.signage.test/1", "http://pop.signage.test/{1}"]) {
    expect(await serviceBy(uplink).sendProof(pop, signal)).toMatchObject({
      kind: "unreachable",
      reason: `the proxy does not connect (HTTP ${status})`,
    });
  }
});

it("leave a proof owed where a proxy that nobody named answers for itself, as Squid does on a site's router", async () => {
  const page = { "content-type": "text/html", "x-squid-error": "ERR_ACCESS_DENIED 0" };
  const { url } = await serve((_, response) => answer(403, page, "<html>Access denied</html>")(response));
  for (const pop of [`${url}/1`, `${url}/{1}`]) {
    expect(await serviceBy(DIRECT).sendProof(pop, signal)).toMatchObject({
      kind: "unreachable",
      reason: "the proxy does not connect (HTTP 403)",
    });
  }
});

it("hear no word of the service from such a proxy, be it at a command or at the first spot of a run", async () => {
  const page = { "content-type": "text/html", "x-squid-error": "ERR_ACCESS_DENIED 0" };
  const { url } = await serve((_, response) => answer(403, page, "<html>Access denied</html>")(response));
  const reason = "the proxy does not connect (HTTP 403)";
  const byCommand = requestsBy(DIRECT);
  for (const pop of [`${url}/1`, `${url}/{1}`]) {
    expect(await serviceAt("", byCommand).sendProof(pop, signal)).toMatchObject({ kind: "unreachable", reason });
  }
  for (const requests of [byCommand, requestsBy(DIRECT, new URL(url).hostname)]) {
    expect(await serviceAt(url, requests).getSpot("s", signal)).toMatchObject({ kind: "unavailable", reason });
  }
  const vendor = new VendorClient({ baseUrl: url, orgToken: "t", retryMs: 1, ...byCommand });
  expect(await vendor.getScreen("s")).toMatchObject({ kind: "unavailable", reason });
});

it("connect once where a proxy takes the connection and ends it, as a load balancer does that has none left", async () => {
  let connections = 0;
  const balancer = createServer((socket) => {
    connections++;
    socket.on("error", () => {}).once("data", () => socket.end());
  });
  balancer.listen(0, "127.0.0.1");
  await once(balancer, "listening");
  onTestFinished(() => void balancer.close());
  const { port } = balancer.address() as AddressInfo;
  const uplink = { ...DIRECT, https: { url: `http://127.0.0.1:${port}`, authorization: null } };
  for (const pop of ["https://pop.signage.test/1", "https://pop.signage.test/{1}"]) {
    expect(await serviceBy(uplink).sendProof(pop, signal)).toMatchObject({
      kind: "unreachable",
      reason: "the proxy does not answer (ECONNRESET)",
    });
  }
  expect(connections).toBe(2);
});

it.each([
  [["Negotiate", "NTLM"], "the proxy takes a login by Negotiate or NTLM only, which is not supported (HTTP 407)"],
  [
    ['Digest realm="Ask, Basic or not", nonce="a,b", qop="auth", stale=false'],
    "the proxy takes a login by Digest only, which is not supported (HTTP 407)",
  ],
  [["Negotiate", 'Basic realm="site"'], "the proxy wants a valid user and password (HTTP 407)"],
])("say how a proxy wants a login: %s", async (challenges, reason) => {
  const proxy = createHttpServer().on("connect", (_, socket) => {
    const asked = challenges.map((challenge) => `Proxy-Authenticate: ${challenge}\r\n`).join("");
    socket.on("error", () => {}).end(`HTTP/1.1 407 Login\r\n${asked}Content-Length: 0\r\n\r\n`);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const uplink = { ...DIRECT, https: { url: `http://127.0.0.1:${port}`, authorization: "Basic a2lvc2s6d29yZA==" } };
  for (const pop of ["https://pop.signage.test/1", "https://pop.signage.test/{1}"]) {
    expect(await serviceBy(uplink).sendProof(pop, signal)).toMatchObject({ kind: "unreachable", reason });
  }
});

it("leave no connection to a proxy that makes no tunnel, however long it would wait for the host", async () => {
  const ended = Promise.withResolvers<void>();
  const proxy = createServer(
    (socket) =>
      void socket
        .on("error", () => {})
        .on("close", () => ended.resolve())
        .resume(),
  );
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const uplink = { ...DIRECT, https: { url: `http://127.0.0.1:${port}`, authorization: null } };
  const { fetch } = routedRequests(routesBy(uplink, undefined, 100));
  const failure = await fetch("https://pop.signage.test/1").catch(reasonOf);
  expect(failure).toBe("the proxy does not answer (ETIMEDOUT)");
  await ended.promise;
});

describe.skipIf(lacking() !== null)(`requests through Squid (${lacking() ?? "it is there"})`, () => {
  it("carry a proof byte for byte, as fetch writes it and as it does not", async () => {
    const { server, uplink, port } = await behindSquid();
    const service = serviceBy(uplink);
    for (const target of ["/pop/1?sig=a", "/pop/{1}/../2?sig='b'"]) {
      expect(await service.sendProof(`http://pop.signage.test:${port}${target}`, signal)).toEqual({ kind: "accepted" });
    }
    expect(server.targets).toEqual(["/pop/1?sig=a", "/pop/{1}/../2?sig='b'"]);
  });

  it("leave a proof owed where the proxy answers for itself, however it is written", async () => {
    const { uplink, port } = await behindSquid();
    const proxy = { url: uplink.http?.url ?? "", authorization: null };
    for (const pop of [`http://pop.signage.test:${port}/1`, `http://pop.signage.test:${port}/{1}`]) {
      expect(await serviceBy({ ...uplink, http: proxy }).sendProof(pop, signal)).toMatchObject({
        kind: "unreachable",
        reason: "the proxy wants a valid user and password (HTTP 407)",
      });
    }
    expect(await serviceBy(uplink).sendProof("http://pop.signage.test:1/{1}", signal)).toMatchObject({
      kind: "unreachable",
      reason: "the proxy does not connect (HTTP 503)",
    });
  });

  it("never go through it to this machine itself, nor where NO_PROXY names the host", async () => {
    const { squid, server, uplink, port } = await behindSquid();
    const direct = getBy(requestsBy({ ...uplink, bypass: "signage.test" }).fetch);
    expect((await direct(`${server.url}/a`, signal)).status).toBe(200);
    await expect(direct(`http://pop.signage.test:${port}/b`, signal)).rejects.toThrow();
    expect(squid.asked().filter((line) => line.startsWith("GET"))).toEqual([]);
  });
});

describe.skipIf(lacking() !== null)(`creatives behind Squid (${lacking() ?? "it is there"})`, () => {
  const known: Readonly<Record<string, readonly string[]>> = {
    "cdn.signage.test": ["203.0.115.7"],
    "inward.signage.test": ["203.0.115.7", "192.168.1.1"],
  };
  const resolve = async (name: string) => known[name] ?? Promise.reject(new Error("no such name"));

  it.each([
    ["a name that is public here", "cdn.signage.test", true],
    ["a name that means a private address here, beside others", "inward.signage.test", false],
    ["a name that only the proxy knows", "pop.signage.test", true],
    ["a name that only the proxy knows and that can be no public one", "router.lan", false],
  ])("reach %s: %s", async (_, host, reached) => {
    const { squid, uplink, port } = await behindSquid();
    const config = { baseUrl: "https://network.example", creatives: { allowPrivateNetwork: false, allowHosts: [] } };
    const guarded = fetchGuardedBy(egressPolicy(config, resolve), uplink, resolve);
    const asked = guarded(`http://${host}:${port}/x`, { redirect: "manual" });
    if (reached) expect(await (await asked).text()).toBe("here");
    else await expect(asked).rejects.toThrow(`creatives may not reach ${host}`);
    // Squid notes what it was asked for once it has answered.
    await expect.poll(() => squid.asked().some((line) => line.includes(host))).toBe(reached);
  });

  it("reach what is private where they are allowed to", async () => {
    const { uplink, port } = await behindSquid();
    const config = {
      baseUrl: "https://network.example",
      creatives: { allowPrivateNetwork: false, allowHosts: ["router.lan"] },
    };
    const guarded = fetchGuardedBy(egressPolicy(config, resolve), uplink, resolve);
    expect((await guarded(`http://router.lan:${port}/x`, { redirect: "manual" })).status).toBe(200);
  });
});
