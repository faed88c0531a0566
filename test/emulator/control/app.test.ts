import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { controlApp } from "../../../src/emulator/control/app.ts";
import { controlCalls } from "../../../src/emulator/control/calls.ts";
import { newForks } from "../../../src/emulator/control/snapshots-and-forks.ts";
import { demoWorld } from "../../../src/emulator/world/demo.ts";
import { errorSchema } from "../../../src/wire/errors.ts";
import { inside } from "../inside.ts";
import { ask, call, json, nextSpot, running } from "../running.ts";

describe("the control listener", () => {
  it("is healthy", async () => {
    const { controlUrl } = await running();

    const reply = await ask(controlUrl, "/control/health");

    expect([reply.status, json(reply)]).toEqual([200, { status: "ok" }]);
  });

  it("answers in the service's error shape when there is no such path or method (A1, A15)", async () => {
    const { controlUrl } = await running();

    const path = await ask(controlUrl, "/control/nothing");
    const method = await ask(controlUrl, "/control/journal", { method: "PUT" });

    expect([path.status, json(path).code]).toEqual([404, "not_found"]);
    expect([method.status, method.headers.allow, json(method).code]).toEqual([
      405,
      "GET, DELETE",
      "method_not_allowed",
    ]);
  });

  it.each(["evil.example", "127.0.0.1.evil.example", "10.0.0.1:8789", "localhost.evil.example:80"])(
    "refuses the Host %s, which a page elsewhere could have made up",
    async (host) => {
      const { controlUrl } = await running();

      const reply = await ask(controlUrl, "/control/health", { headers: { host } });

      expect([reply.status, json(reply).code]).toEqual([403, "bad_host"]);
    },
  );

  it.each(["localhost", "localhost:8789", "127.0.0.1:1", "127.9.9.9", "[::1]:8789"])(
    "takes the Host %s",
    async (host) => {
      const { controlUrl } = await running();

      expect((await ask(controlUrl, "/control/health", { headers: { host } })).status).toBe(200);
    },
  );

  it("refuses the pages of other origins and takes its own", async () => {
    const { controlUrl } = await running();
    const reset = (origin: string) => ask(controlUrl, "/control/reset", { method: "POST", headers: { origin } });

    const [other, own] = [await reset("http://127.0.0.1:1"), await reset(controlUrl)];

    expect([other.status, own.status]).toEqual([403, 200]);
  });

  it("describes the service at /openapi.json", async () => {
    const { controlUrl } = await running();

    const { openapi, paths, components } = json(await ask(controlUrl, "/openapi.json"));

    expect(openapi).toBe("3.1.0");
    const spot = paths["/v3/vendor/{org_token}/1/rt_ad/{screen_id}"].get;
    const { data } = spot.responses["200"].content["application/json"].schema.properties;
    expect(data).toEqual({ $ref: "#/components/schemas/Spot" });
    expect(components.schemas.Spot.required).toEqual(["requestId", "billable", "newsFirst", "news", "ad"]);
  });

  it.each(["/openapi.json", "/control/openapi.json"])("has in %s a name of its own for each call", async (at) => {
    const { controlUrl } = await running();
    const { paths } = json(await ask(controlUrl, at));
    const calls = Object.values<Record<string, { operationId?: string; tags?: string[] }>>(paths).flatMap(
      Object.values,
    );
    const ids = calls.map(({ operationId }) => operationId);
    expect(
      calls.filter(({ operationId, tags }) => !/^[a-z]+[A-Za-z]*$/.test(operationId ?? "") || !tags?.length),
    ).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("says in both descriptions on which listener the calls are, of a fork too", async () => {
    const { baseUrl, controlUrl } = await running();
    const { path } = json(await ask(controlUrl, "/control/forks", { method: "POST" }));
    const serversAt = async (at: string) => json(await ask(controlUrl, at)).servers;

    expect(await serversAt("/openapi.json")).toEqual([{ url: baseUrl }]);
    expect(await serversAt("/control/openapi.json")).toEqual([{ url: controlUrl }]);
    expect(await serversAt(`${path}/openapi.json`)).toEqual([{ url: baseUrl + path }]);
    expect(await serversAt(`${path}/control/openapi.json`)).toEqual([{ url: controlUrl + path }]);
  });
});

describe("a reset", () => {
  it("brings back the world, the time and the seed that the emulator started with", async () => {
    const emulator = await running();
    const before = await nextSpot(emulator);
    emulator.clock.advance(1000);
    emulator.next("screen_demo", [{ ad: null }]);

    const reply = await ask(emulator.controlUrl, "/control/reset", { method: "POST" });
    const clock = json(await ask(emulator.controlUrl, "/control/clock"));

    expect(reply.status).toBe(200);
    expect(clock.now).toBe("2026-03-02T08:00:00.000Z");
    expect(emulator.spots()).toEqual([]);
    expect(await nextSpot(emulator)).toEqual(before);
  });
});

/** Every call that the control listener answers, as the index writes them. */
function answered(): string[] {
  const { network } = inside(demoWorld());
  const urls = { baseUrl: "", mediaUrl: "", controlUrl: "" };
  const forks = newForks(network, () => () => {});
  const app = controlApp({ network, files: new Map(), urls, forks }, "127.0.0.1");
  const routes = app.routes.filter(({ method, path }) => method !== "ALL" && path.startsWith("/control"));
  return [...new Set(routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`))];
}

describe("the index of the control API", () => {
  it("has every call that is answered and no other, each with what it does", async () => {
    const { controlUrl } = await running();
    const index = json(await ask(controlUrl, "/control"));
    const calls: { call: string; does: string }[] = index.calls;

    expect(calls.map((one) => one.call).toSorted()).toEqual(answered().toSorted());
    expect(calls.filter(({ does }) => does === "")).toEqual([]);
    for (const path of [index.description, index.vendor_interface, index.metrics]) {
      expect((await ask(controlUrl, path)).status).toBe(200);
    }
  });
});

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** What a schema of the description has against a value. */
/** `components`: what the schemas of its document refer to. */
function flawsOf(schema: object, components: object, value: unknown): string[] {
  const fits = ajv.compile({ ...schema, components });
  return fits(value) ? [] : (fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe("the description of the control API", () => {
  it("says what may be sent, from the schemas that read it, and that errors are the service's", async () => {
    const { controlUrl } = await running();
    const { openapi, paths, components } = json(await ask(controlUrl, "/control/openapi.json"));
    const [, , fault] = paths["/control/faults"].post.requestBody.content["application/json"].schema.anyOf;

    expect(openapi).toBe("3.1.0");
    expect(Object.keys(fault.properties)).toContain("forSeconds");
    expect(fault.required).toEqual(["do"]);
    expect(paths["/control/spots"].get.parameters).toEqual([
      { name: "org_token", in: "query", required: false, schema: { type: "string" } },
      { name: "screen_id", in: "query", required: false, schema: { type: "string" } },
    ]);
    expect(paths["/control/cars/{id}/approve"].post.parameters[0]).toMatchObject({ name: "id", in: "path" });
    expect(Object.keys(components.schemas.Error.properties)).toEqual(Object.keys(errorSchema.shape));
  });

  it("says what is answered", async () => {
    const emulator = await running();
    const { controlUrl } = emulator;
    const { news, ad } = await nextSpot(emulator);
    emulator.setFaults([{ match: { kind: "ad" }, forSeconds: 60, do: { status: 503 } }]);
    await call(emulator, news.url);
    await call(emulator, news.pop);
    await call(emulator, ad.pop);
    await ask(controlUrl, "/control/snapshots/one", { method: "PUT" });
    await ask(controlUrl, "/control/forks", { method: "POST" });
    const gets = Object.values(controlCalls).filter(
      ({ call: one, answer }) => answer !== undefined && /^GET [^{]+$/.test(one),
    );

    expect(gets.length).toBeGreaterThan(10);
    for (const { call: one, answer } of gets) {
      const reply = await ask(controlUrl, one.slice("GET ".length));
      const read = (answer as z.ZodType).safeParse(json(reply));
      expect([one, reply.status, read.error?.issues]).toEqual([one, 200, undefined]);
    }
  });

  it.each([
    ["POST", "/control/faults", "/control/faults", '"offline"'],
    ["POST", "/control/faults", "/control/faults", { preset: "maintenance", forSeconds: 1 }],
    ["POST", "/control/faults", "/control/faults", { match: { route: "pop" }, do: { status: 503 } }],
    ["PUT", "/control/faults", "/control/faults", ["flaky-lte", { preset: "offline" }, { do: { hang: true } }]],
    ["PUT", "/control/snapshots/{name}", "/control/snapshots/one", undefined],
    ["PUT", "/control/snapshots/{name}", "/control/snapshots/one", undefined],
    ["POST", "/control/cars", "/control/cars", undefined],
    ["PUT", "/control/clock", "/control/clock", { mode: "frozen" }],
  ])("names what %s %s takes and answers, body and status", async (method, described, path, body) => {
    const { controlUrl } = await running();
    const { paths, components } = json(await ask(controlUrl, "/control/openapi.json"));
    const { requestBody, responses } = paths[described][method.toLowerCase()];

    const replies = [await ask(controlUrl, path, { method, body }), await ask(controlUrl, path, { method, body })];

    for (const reply of replies) {
      const answer = responses[reply.status]?.content["application/json"].schema;
      expect([reply.status, answer === undefined ? "not described" : flawsOf(answer, components, json(reply))]).toEqual(
        [expect.any(Number), []],
      );
    }
    const sent = typeof body === "string" ? JSON.parse(body) : body;
    if (sent !== undefined)
      expect(flawsOf(requestBody.content["application/json"].schema, components, sent)).toEqual([]);
    expect(requestBody?.required ?? false).toBe(sent !== undefined);
  });

  it.each([
    ["GET", "/control/nothing", undefined, 404],
    ["DELETE", "/control/clock", undefined, 405],
    ["PUT", "/control/clock", { mode: "wild" }, 400],
    ["POST", "/control/cars/car_coffee/approve", undefined, 409],
  ])("errors have the service's shape: %s %s", async (method, path, body, status) => {
    const { controlUrl } = await running();
    const reply = await ask(controlUrl, path, { method, body });

    expect([reply.status, errorSchema.safeParse(json(reply)).success]).toEqual([status, true]);
  });
});
