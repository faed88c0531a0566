import { describe, expect, it } from "vitest";
import { popLabel, SpotClient, type SpotClientOptions } from "../../src/client/spot-client.ts";
import { answer, inTurn, nobody, serve } from "./server.ts";

const never = () => new AbortController().signal;
const clientWith = (options: Partial<SpotClientOptions> = {}) =>
  new SpotClient({
    baseUrl: "http://127.0.0.1:9",
    orgToken: "t",
    fetch,
    spotTimeoutMs: 5_000,
    proofTimeoutMs: 5_000,
    ...options,
  });

describe("sending a proof", () => {
  it.each([200, 201, 204])("is accepted with %i", async (status) => {
    const server = await serve(inTurn(answer(status)));
    expect(await clientWith().sendProof(`${server.url}/pop/1`, never())).toEqual({ kind: "accepted" });
  });

  it.each(["/pop/1", "/pop/../1"])("asks caches on the way not to answer for %s", async (path) => {
    const asked: unknown[] = [];
    const server = await serve((request, response) => {
      asked.push(request.headers["cache-control"]);
      answer(204)(response);
    });
    await clientWith().sendProof(`${server.url}${path}`, never());
    expect(asked).toEqual(["no-cache"]);
  });

  it("asks nobody where a redirect may not lead, and tries again later", async () => {
    const inside = await serve(inTurn(answer(200)));
    const outside = await serve(inTurn(answer(302, { location: `${inside.url}/control` })));
    const asked: string[][] = [];
    const mayFollow = async (from: URL, to: URL) => {
      asked.push([from.href, to.href]);
      return false;
    };

    const delivery = await clientWith({ mayFollow }).sendProof(`${outside.url}/pop/1`, never());

    expect(delivery).toEqual({ kind: "unreachable", reason: "redirected out of reach", retryAfterMs: null });
    expect(asked).toEqual([[`${outside.url}/pop/1`, `${inside.url}/control`]]);
    expect([outside.targets, inside.targets]).toEqual([["/pop/1"], []]);
    expect(await clientWith().sendProof(`${outside.url}/pop/1`, never())).toEqual({ kind: "accepted" });
  });

  it("is refused for good with 410", async () => {
    const server = await serve(inTurn(answer(410, {}, "gone")));
    expect(await clientWith().sendProof(`${server.url}/pop/1`, never())).toEqual({ kind: "refused", status: 410 });
    expect(server.targets).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 409, 422, 451])(
    "is in doubt with %i: a firewall may have answered (G8)",
    async (status) => {
      const server = await serve(inTurn(answer(status, {}, "gone")));
      expect(await clientWith().sendProof(`${server.url}/pop/1`, never())).toEqual({ kind: "doubtful", status });
      expect(server.targets).toHaveLength(1);
    },
  );

  it.each([408, 425, 429, 500, 502, 503, 504])("finds nobody with %i, and tries only once", async (status) => {
    const server = await serve(inTurn(answer(status, { "retry-after": "3" })));
    expect(await clientWith().sendProof(`${server.url}/pop/1`, never())).toEqual({
      kind: "unreachable",
      reason: `HTTP ${status}`,
      retryAfterMs: 3_000,
    });
    expect(server.targets).toHaveLength(1);
  });

  it("finds nobody with 407, by a proxy that wants a login, however the URL is written", async () => {
    const server = await serve(inTurn(answer(407)));
    expect(await clientWith().sendProof(`${server.url}/pop/1`, never())).toMatchObject({ kind: "unreachable" });
    expect(await clientWith().sendProof(`${server.url}/pop/{1}`, never())).toMatchObject({
      reason: "the proxy wants a valid user and password (HTTP 407)",
    });
  });

  it("finds nobody where nobody listens", async () => {
    expect(await clientWith().sendProof(`${await nobody()}/pop`, never())).toEqual({
      kind: "unreachable",
      reason: "ECONNREFUSED",
      retryAfterMs: null,
    });
  });

  it("finds nobody where nobody answers in time", async () => {
    const server = await serve(() => undefined);
    expect(await clientWith({ proofTimeoutMs: 20 }).sendProof(`${server.url}/pop`, never())).toMatchObject({
      kind: "unreachable",
      reason: "timeout",
    });
  });

  it("is accepted by the status, though the body never ends", async () => {
    const server = await serve((_, response) => void response.writeHead(200).write("{"));
    expect(await clientWith().sendProof(`${server.url}/pop`, never())).toEqual({ kind: "accepted" });
  });

  it("is accepted by the status, however long the body", async () => {
    const server = await serve(inTurn(answer(200, {}, "x".repeat(1_000_000))));
    expect(await clientWith().sendProof(`${server.url}/pop`, never())).toEqual({ kind: "accepted" });
  });

  it.each(["/pop?who=1", "/pop?who={1}"])(
    "of %s is accepted by a server that first looks, by a redirect, whether cookies are taken",
    async (path) => {
      const server = await serve(({ headers: { cookie } }, response) => {
        const isSeen = cookie === "seen=1; who=you";
        if (!isSeen) response.setHeader("set-cookie", ["seen=1; Path=/", "who=you"]);
        answer(isSeen ? 204 : 302, { location: path })(response);
      });
      expect(await clientWith().sendProof(`${server.url}${path}`, never())).toEqual({ kind: "accepted" });
    },
  );

  it("is accepted where its redirects lead, and in doubt where they lead nowhere", async () => {
    const server = await serve(inTurn(answer(307, { location: "/there" }), answer(200)));
    const endless = await serve(inTurn(answer(302, { location: "/again" })));
    expect(await clientWith().sendProof(`${server.url}/pop`, never())).toEqual({ kind: "accepted" });
    expect(await clientWith().sendProof(`${endless.url}/pop`, never())).toEqual({ kind: "doubtful", status: 302 });
    expect(server.targets).toEqual(["/pop", "/there"]);
  });

  it.each([
    "/pop/a%2fb%7Ec?sig=AbC%3d&x=1",
    "/pop/{macro}/a|b?who=o'neil&list[]=1",
    "/pop/./a/../b",
    "/pop//double/?",
    "?only=query",
    '/pop/"quoted"?<a>=`b`',
  ])("goes out byte for byte as received: %s", async (target) => {
    const server = await serve(inTurn(answer(200)));
    const sent = await clientWith().sendProof(`${server.url}${target}#fragment`, never());
    expect(sent).toEqual({ kind: "accepted" });
    expect(server.targets).toEqual([target.startsWith("?") ? `/${target}` : target]);
  });

  it("is encoded only where HTTP cannot carry it", async () => {
    const server = await serve(inTurn(answer(200)));
    for (const target of ["/x/../{id}?title=Kaffee für 2€", "/plain ü?x=1", "/a\\{id}"])
      await clientWith().sendProof(`${server.url}${target}`, never());
    expect(server.targets).toEqual([
      "/x/../{id}?title=Kaffee%20f%C3%BCr%202%E2%82%AC",
      "/plain%20%C3%BC?x=1",
      "/a/%7Bid%7D",
    ]);
  });

  it("follows redirects and times out with such a URL like with any other", async () => {
    const server = await serve(inTurn(answer(302, { location: "/there" }), answer(503), () => undefined));
    const odd = `${server.url}/pop/{id}`;
    expect(await clientWith().sendProof(odd, never())).toMatchObject({ reason: "HTTP 503" });
    expect(await clientWith({ proofTimeoutMs: 250 }).sendProof(odd, never())).toMatchObject({ reason: "timeout" });
    expect(server.targets).toEqual(["/pop/{id}", "/there", "/pop/{id}"]);
  });

  const page = (status: number) => answer(status, { "content-type": "text/html; charset=utf-8" }, "<h1>Log in</h1>");
  const portal = { kind: "unreachable", reason: "captive portal", retryAfterMs: null };

  it.each([200, 403, 410])(
    "finds nobody where another host answers with a page and %i: a captive portal (G8)",
    async (status) => {
      const login = await serve(inTurn(page(status)));
      const server = await serve(inTurn(answer(302, { location: `${login.url}/login` })));
      expect(await clientWith().sendProof(`${server.url}/pop/1`, never())).toEqual(portal);
      expect(await clientWith().sendProof(`${server.url}/pop/{odd}`, never())).toEqual(portal);
      expect(login.targets).toEqual(["/login", "/login"]);
    },
  );

  it("is accepted where another host answers with anything but a page, and by a page of its own host", async () => {
    const other = await serve(inTurn(answer(200, { "content-type": "application/json" }, "{}")));
    const server = await serve(inTurn(answer(302, { location: `${other.url}/counted` }), page(200)));
    const client = clientWith({ baseUrl: other.url });
    expect(await client.sendProof(`${server.url}/pop/1`, never())).toEqual({ kind: "accepted" });
    expect(await client.sendProof(`${server.url}/pop/2`, never())).toEqual({ kind: "accepted" });
    expect(await clientWith({ baseUrl: "" }).sendProof(`${server.url}/pop/3`, never())).toEqual({ kind: "accepted" });
  });

  it("finds nobody by a page of its own host, before spots met the portal, where the service is not there either", async () => {
    const server = await serve(inTurn(page(200)));
    for (const baseUrl of [server.url, await nobody()]) {
      const client = clientWith({ baseUrl });
      const sent = [1, 2, 3].map((pop) => client.sendProof(`${server.url}/pop/${pop}`, never()));
      expect(await Promise.all(sent)).toEqual([portal, portal, portal]);
    }
    expect(server.targets.some((target) => target.endsWith("/venue_types"))).toBe(true);
  });

  it.each(["", "{}"])("is accepted with the body %j by a service that calls all that it sends a page", async (body) => {
    const type = { "content-type": "text/html; charset=UTF-8" };
    const server = await serve(({ url = "" }, response) => {
      answer(200, type, url.startsWith("/pop/") ? body : '\n[{"id":"4"}]')(response);
    });
    const client = clientWith({ baseUrl: server.url });
    expect(await client.sendProof(`${server.url}/pop/1`, never())).toEqual({ kind: "accepted" });
  });

  it.each([undefined, "text/plain", "application/octet-stream", "application/json; charset=utf-8"])(
    "finds nobody by a page of its own host whose type is told as %s",
    async (type) => {
      const body = "\n<!DOCTYPE html><h1>Log in</h1>";
      const server = await serve(inTurn(answer(200, type === undefined ? {} : { "content-type": type }, body)));
      const client = clientWith({ baseUrl: server.url });
      expect(await client.sendProof(`${server.url}/pop/1`, never())).toEqual(portal);
      expect(await client.sendProof(`${server.url}/pop/{odd}`, never())).toEqual(portal);
      await client.getSpot("s", never());
      expect(client.meetsPortal).toBe(true);
      expect(await client.sendProof(`${server.url}/pop/2`, never())).toEqual(portal);
    },
  );

  it.each([
    "<html>",
    "<head><title>Log in</title>",
    "<script>location='/login'</script>",
    '<meta http-equiv="refresh" content="0;url=/login">',
    "<!-- gateway --><p>Log in</p>",
    '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">',
    "<BODY onload=login()>",
  ])("finds nobody by a page of its own host that says nothing of its type and begins %s", async (body) => {
    const server = await serve(inTurn(answer(200, {}, body)));
    const client = clientWith({ baseUrl: server.url });
    expect(await client.sendProof(`${server.url}/pop/1`, never())).toEqual(portal);
    expect(await client.sendProof(`${server.url}/pop/{odd}`, never())).toEqual(portal);
  });

  it("finds nobody by a page of its own host either, as long as spots meet a captive portal", async () => {
    const spot = answer(200, { "content-type": "application/json" }, `{"data":null}`);
    const server = await serve(inTurn(page(200), page(200), spot, page(200), spot));
    const client = clientWith({ baseUrl: server.url });
    await client.getSpot("s", never());
    expect(client.meetsPortal).toBe(true);
    expect(await client.sendProof(`${server.url}/pop/1`, never())).toEqual(portal);
    await client.getSpot("s", never());
    expect(client.meetsPortal).toBe(false);
    expect(await client.sendProof(`${server.url}/pop/1`, never())).toEqual({ kind: "accepted" });
  });

  it("finds nobody by a page over TLS, as of a filter that looks into it, as long as spots meet one", async () => {
    const page = () => new Response("<!doctype html><h1>Blocked</h1>", { headers: { "content-type": "text/html" } });
    let answers: (url: string) => Response = page;
    const client = clientWith({ baseUrl: "https://service.example", fetch: async (url) => answers(String(url)) });
    const send = () => client.sendProof("https://pop.example/1", never());
    await client.getSpot("s", never());
    expect(await send()).toEqual(portal);
    // Some servers answer proofs with pages of their own, and all but spots.
    answers = (url) => (url.includes("/pop.example/") ? page() : Response.json([]));
    expect(await send()).toEqual({ kind: "accepted" });
    answers = (url) => (url.includes("/rt_ad/") ? Response.json({ data: null }) : page());
    await client.getSpot("s", never());
    expect(await send()).toEqual({ kind: "accepted" });
  });

  it("is called off by its signal", async () => {
    const control = new AbortController();
    const server = await serve(() => control.abort());
    expect(await clientWith().sendProof(`${server.url}/pop`, control.signal)).toMatchObject({ reason: "called off" });
  });

  it("finds nobody at what is no URL", async () => {
    expect(await clientWith().sendProof("not a URL", never())).toMatchObject({ kind: "unreachable" });
  });
});

describe("the label of a proof-of-play URL", () => {
  it("tells the host and nothing else of it", () => {
    expect(popLabel("https://pop.example:8443/p/secret?sig=key")).toMatch(/^pop\.example:8443#[0-9a-f]{8}$/);
  });

  it("tells two URLs of one host apart", () => {
    expect(popLabel("https://pop.example/1")).not.toBe(popLabel("https://pop.example/2"));
  });

  it("gives nothing away of what is no URL", () => {
    expect(popLabel("secret")).toMatch(/^not a URL#[0-9a-f]{8}$/);
  });
});
