import { once } from "node:events";
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Emulator } from "../../src/emulator/main.ts";
import { vendor } from "./behaviour/venue.ts";
import { ask, json, nextSpot, running } from "./running.ts";

const JSON_TYPE = { "content-type": "application/json" };

function connected(origin: string): Socket {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Writes bytes, says that there are no more, and waits until the other side is done. */
async function sendBytes(origin: string, bytes: Uint8Array | string): Promise<string> {
  const socket = connected(origin);
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
  });
  // Not `once`, which takes a connection that is reset for a failure.
  await new Promise((resolve) => {
    socket.on("close", resolve);
    socket.end(bytes);
  });
  return answer;
}

/** The status of the answer to a request of one line, without headers. */
async function statusOf(origin: string, line: string): Promise<number> {
  const socket = connected(origin);
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
  });
  socket.write(`${line}\r\n\r\n`);
  await once(socket, "close");
  return Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]);
}

describe("a client of another age or kind", () => {
  it("may speak HTTP/1.0, without Host, to every listener", async () => {
    const { baseUrl, controlUrl, mediaUrl } = await running();

    expect(await statusOf(baseUrl, "GET /vendor/org_demo/venue_types HTTP/1.0")).toBe(200);
    expect(await statusOf(mediaUrl, "HEAD /creatives/ad-bakery.png HTTP/1.0")).toBe(200);
    expect(await statusOf(controlUrl, "GET /control/health HTTP/1.0")).toBe(200);
  });

  it("may name the whole URL, as proxies are told it (RFC 9112, 3.2.2)", async () => {
    const emulator = await running();
    const { news } = await nextSpot(emulator);
    emulator.clock.advance(60_000);

    expect(await statusOf(emulator.mediaUrl, `GET ${news.pop} HTTP/1.0`)).toBe(200);
    expect(emulator.spots()).toMatchObject([{ news: { pops: [{ verdict: "counted" }] } }]);
  });
});

/** It answers on every listener, and nothing went wrong inside. */
async function isWell({ baseUrl, calls, controlUrl, mediaUrl }: Emulator): Promise<void> {
  const replies = await Promise.all([
    ask(baseUrl, "/v3/vendor/nobody/1/rt_ad/x"),
    ask(mediaUrl, "/creatives/ad-bakery.png", { method: "HEAD" }),
    ask(controlUrl, "/control/health"),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([401, 200, 200]);
  expect(calls({ status: 500 })).toEqual([]);
}

describe("nothing that is sent brings the emulator down:", () => {
  it("random bytes", async () => {
    const emulator = await running();
    const origin = fc.constantFrom(emulator.baseUrl, emulator.mediaUrl, emulator.controlUrl);
    const property = fc.asyncProperty(
      origin,
      fc.uint8Array({ minLength: 1, maxLength: 2000 }),
      async (where, bytes) => {
        await sendBytes(where, bytes);
      },
    );

    await fc.assert(property, { numRuns: 60 });
    await isWell(emulator);
  });

  it("requests of random methods, paths and headers", async () => {
    const emulator = await running();
    const path = fc.webPath().map((text) => `/${text}`.replace(/^\/+/, "/"));
    const method = fc.constantFrom("GET", "POST", "PATCH", "OPTIONS", "TRACE", "PURGE", "CONNECT", "get");
    const known = fc.constantFrom(
      "/vendor/org_demo/locations",
      "/vendor//screens",
      "/control/journal",
      "/pop/x",
      "*",
      "//",
      "/%",
    );
    const line = fc.tuple(
      method,
      fc.oneof(path, known),
      fc.webQueryParameters(),
      fc.constantFrom("HTTP/1.1", "HTTP/1.0", "HTTP/9.9"),
    );
    const header = fc.constantFrom(
      ...["host: x", "content-length: 5", "content-length: -1", "transfer-encoding: chunked", "range: bytes=9-1"],
      ...[
        "expect: 100-continue",
        "upgrade: websocket\r\nconnection: upgrade",
        "content-type: application/json",
        "host: \u00ff",
      ],
    );
    const property = fc.asyncProperty(
      fc.constantFrom(emulator.baseUrl, emulator.mediaUrl, emulator.controlUrl),
      line,
      fc.array(header, { maxLength: 4 }),
      async (where, [verb, target, query, version], headers) => {
        await sendBytes(
          where,
          Buffer.from(`${verb} ${target}?${query} ${version}\r\n${headers.join("\r\n")}\r\n\r\nabcde`, "latin1"),
        );
      },
    );

    await fc.assert(property, { numRuns: 150 });
    await isWell(emulator);
  });

  it("JSON of any kind, to whatever takes a body", async () => {
    const { emulator } = await vendor();
    const service = ["locations", "locations/loc_draft", "screens", "screens/screen_a", "cars/car_pending/reject"];
    const targets = [
      ...service.map((path) => [emulator.baseUrl, `/vendor/org_a/${path}`] as const),
      ...["organizations", "cars", "clock/advance", "screens/screen_a/next", "locations/loc_review/approve"].map(
        (path) => [emulator.controlUrl, `/control/${path}`] as const,
      ),
    ];
    const field = fc.constantFrom(
      "title",
      "lat",
      "opening_168",
      "status",
      "rejection_reasons",
      "spots",
      "ms",
      "__proto__",
      "item",
    );
    const property = fc.asyncProperty(
      fc.constantFrom(...targets),
      fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.jsonValue())),
      async ([origin, path], body) => {
        const reply = await ask(origin, path, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
        expect(reply.status).toBeLessThan(500);
      },
    );

    await fc.assert(property, { numRuns: 200 });
    await isWell(emulator);
  });

  it.each(["[", '{"title":', '{"a":['])("JSON as deep as a body can be, of %j", async (opening) => {
    const { emulator } = await vendor();
    const deep = opening.repeat(Math.floor((1024 * 1024) / opening.length));

    const statuses = [
      (await ask(emulator.baseUrl, "/vendor/org_a/locations", { method: "POST", headers: JSON_TYPE, body: deep }))
        .status,
      (await ask(emulator.controlUrl, "/control/cars", { method: "POST", body: deep })).status,
    ];

    expect(statuses).toEqual([400, 400]);
    await isWell(emulator);
  });

  it("well-formed JSON that is deep", async () => {
    const { emulator } = await vendor();
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const send = (body: string) =>
      ask(emulator.baseUrl, "/vendor/org_a/locations", { method: "POST", headers: JSON_TYPE, body });

    const statuses = [await send(deep), await send(`{"title":${deep}}`), await send(`{"title":"T","x":${deep}}`)];

    expect(statuses.map(({ status }) => status)).toEqual([400, 400, 201]);
    await isWell(emulator);
  });

  it("a planned item that is deep, which no answer could be written with", async () => {
    const { emulator } = await vendor();
    const item = '"id":"a","title":"A","mimeType":"image/png","width":1,"height":1,"duration":1,"url":"x"';
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

    const reply = await ask(emulator.controlUrl, "/control/screens/screen_a/next", {
      method: "POST",
      body: `{"spots":[{"ad":{${item},"extra":${deep}}}]}`,
    });

    expect(reply.status).toBe(400);
    await isWell(emulator);
  });

  it("a list that is wrong all over, which is told only so much of it", async () => {
    const { emulator } = await vendor();
    const body = { title: "T", opening_168: Array(200_000).fill("x"), visitors_7: Array(50_000).fill(-1) };

    const reply = await ask(emulator.baseUrl, "/vendor/org_a/locations", { method: "POST", headers: JSON_TYPE, body });

    expect(reply.status).toBe(400);
    expect(json(reply).errors.length).toBeLessThanOrEqual(20);
    await isWell(emulator);
  });

  it("a name that is part of every object", async () => {
    const { emulator, get } = await vendor();
    const body = '{"title":"T","location_id":"__proto__","__proto__":{"status":"APPROVED"},"toString":1}';

    const made = await ask(emulator.baseUrl, "/vendor/org_a/locations", { method: "POST", headers: JSON_TYPE, body });
    const paths = ["/locations/__proto__", "/locations/constructor", "/screens/toString", "/cars/__proto__"];
    const read = await Promise.all(paths.map(get));

    expect([made.status, json(made).status]).toEqual([201, "DRAFT"]);
    expect(read.map(({ status }) => status)).toEqual([200, 404, 404, 404]);
    await isWell(emulator);
  });

  it("headers without end, which are answered 431", async () => {
    const emulator = await running();
    const long = `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20 * 1024)}\r\n\r\n`;
    const many = `GET / HTTP/1.1\r\nhost: x\r\n${"x: y\r\n".repeat(4_000)}\r\n`;

    expect(await sendBytes(emulator.baseUrl, long)).toMatch(/^HTTP\/1.1 431 /);
    expect(await sendBytes(emulator.baseUrl, many)).toMatch(/^HTTP\/1.1 431 /);
    await isWell(emulator);
  });

  it("requests that stop halfway, which keep nobody waiting", async () => {
    const { emulator, post } = await vendor();
    const heads = ["POST /vendor/org_a/loc", "POST /vendor/org_a/locations HTTP/1.1\r\nhost: x\r\ncontent-ty"];
    const body =
      'POST /vendor/org_a/locations HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"ti';
    const sockets = [...heads, body].flatMap((text) =>
      [emulator.baseUrl, emulator.controlUrl].map((origin) => {
        const socket = connected(origin);
        socket.write(text);
        return socket;
      }),
    );

    expect((await post("/locations", { title: "T" })).status).toBe(201);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => emulator.calls({ status: 400 }).length).toBe(1);
    await isWell(emulator);
  });

  it("a thousand connections at a time", async () => {
    const emulator = await running();
    const path = "/v3/vendor/org_demo/1/rt_ad/screen_demo";
    const sockets = Array.from({ length: 1000 }, () => connected(emulator.baseUrl));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));

    const answers = sockets.map(async (socket) => {
      const answered = once(socket, "data");
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      const [chunk] = await answered;
      return String(chunk).slice(0, 12);
    });

    expect(new Set(await Promise.all(answers))).toEqual(new Set(["HTTP/1.1 200"]));
    expect(emulator.spots()).toHaveLength(1000);
    await isWell(emulator);
  });
});
