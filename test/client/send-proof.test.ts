import { describe, expect, it } from "vitest";
import { Service, type ServiceOptions } from "../../src/client/service.ts";
import { answer, inTurn, nobody, serve } from "./server.ts";

const never = () => new AbortController().signal;
const service = (options: Partial<ServiceOptions> = {}) =>
  new Service({
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
    expect(await service().sendProof(`${server.url}/pop/1`, never())).toEqual({ kind: "accepted" });
  });

  it.each([400, 401, 403, 404, 409, 410, 422])("is refused for good with %i", async (status) => {
    const server = await serve(inTurn(answer(status, {}, "gone")));
    expect(await service().sendProof(`${server.url}/pop/1`, never())).toEqual({ kind: "refused", status });
    expect(server.targets).toHaveLength(1);
  });

  it.each([408, 425, 429, 500, 502, 503, 504])("finds nobody with %i, and tries only once", async (status) => {
    const server = await serve(inTurn(answer(status, { "retry-after": "3" })));
    expect(await service().sendProof(`${server.url}/pop/1`, never())).toEqual({
      kind: "unreachable",
      reason: `HTTP ${status}`,
      retryAfterMs: 3_000,
    });
    expect(server.targets).toHaveLength(1);
  });

  it("finds nobody where nobody listens", async () => {
    expect(await service().sendProof(`${await nobody()}/pop`, never())).toEqual({
      kind: "unreachable",
      reason: "ECONNREFUSED",
      retryAfterMs: null,
    });
  });

  it("finds nobody where nobody answers in time", async () => {
    const server = await serve(() => undefined);
    expect(await service({ proofTimeoutMs: 20 }).sendProof(`${server.url}/pop`, never())).toMatchObject({
      kind: "unreachable",
      reason: "timeout",
    });
  });

  it("is accepted by the status, though the body never ends", async () => {
    const server = await serve((_, response) => void response.writeHead(200).write("{"));
    expect(await service().sendProof(`${server.url}/pop`, never())).toEqual({ kind: "accepted" });
  });

  it("is accepted by the status, however long the body", async () => {
    const server = await serve(inTurn(answer(200, {}, "x".repeat(1_000_000))));
    expect(await service().sendProof(`${server.url}/pop`, never())).toEqual({ kind: "accepted" });
  });

  it("is accepted where its redirects lead, and refused where they lead nowhere", async () => {
    const server = await serve(inTurn(answer(307, { location: "/there" }), answer(200)));
    const endless = await serve(inTurn(answer(302, { location: "/again" })));
    expect(await service().sendProof(`${server.url}/pop`, never())).toEqual({ kind: "accepted" });
    expect(await service().sendProof(`${endless.url}/pop`, never())).toEqual({ kind: "refused", status: 302 });
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
    const sent = await service().sendProof(`${server.url}${target}#fragment`, never());
    expect(sent).toEqual({ kind: "accepted" });
    expect(server.targets).toEqual([target.startsWith("?") ? `/${target}` : target]);
  });

  it("follows redirects and times out with such a URL like with any other", async () => {
    const server = await serve(inTurn(answer(302, { location: "/there" }), answer(503), () => undefined));
    const odd = `${server.url}/pop/{id}`;
    expect(await service().sendProof(odd, never())).toMatchObject({ reason: "HTTP 503" });
    expect(await service({ proofTimeoutMs: 20 }).sendProof(odd, never())).toMatchObject({ reason: "timeout" });
    expect(server.targets).toEqual(["/pop/{id}", "/there", "/pop/{id}"]);
  });

  it("is called off by its signal", async () => {
    const control = new AbortController();
    const server = await serve(() => control.abort());
    expect(await service().sendProof(`${server.url}/pop`, control.signal)).toMatchObject({ reason: "called off" });
  });

  it("finds nobody at what is no URL", async () => {
    expect(await service().sendProof("not a URL", never())).toMatchObject({ kind: "unreachable" });
  });
});
