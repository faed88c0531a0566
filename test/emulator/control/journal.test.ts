import { get, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { MOST_FOLLOWERS } from "../../../src/emulator/control/journal.ts";
import type { Emulator } from "../../../src/emulator/main.ts";
import { ask, call, json, nextSpot, running } from "../running.ts";

describe("the journal", () => {
  it("has every call on every listener, with both times, and says what a refused one fell short of", async () => {
    const emulator = await running();
    await nextSpot(emulator);
    await ask(emulator.baseUrl, "/v3/vendor/nobody/1/rt_ad/screen_demo?a=1");

    const calls = json(await ask(emulator.controlUrl, "/control/journal"));

    expect(calls).toMatchObject([
      {
        id: 1,
        at: "2026-03-02T08:00:00.000Z",
        listener: "service",
        method: "GET",
        path: "/v3/vendor/org_demo/1/rt_ad/screen_demo",
        route: "spot",
        screen_id: "screen_demo",
        status: 200,
        warnings: [],
        events: [],
        fault: null,
        near_miss: null,
      },
      {
        id: 2,
        path: "/v3/vendor/nobody/1/rt_ad/screen_demo?a=1",
        status: 401,
        near_miss: "the organization token is missing or not valid",
      },
    ]);
    expect(calls[0]).toMatchObject({ real_at: expect.stringMatching(/Z$/), ms: expect.any(Number) });
  });

  it.each([
    ["route=spot", [1, 2]],
    ["route=pop", [3]],
    ["screen_id=screen_kiosk", [2]],
    ["status=404", [4]],
    ["since=3", [4]],
    ["since=2026-03-02T08:00:06Z", [3, 4]],
    ["limit=2", [3, 4]],
    ["route=spot&limit=1", [2]],
  ])("is filtered by %s", async (query, ids) => {
    const emulator = await running();
    const { news } = await nextSpot(emulator);
    await nextSpot(emulator, "org_demo", "screen_kiosk");
    emulator.clock.advance(6000);
    await call(emulator, news.pop);
    await ask(emulator.mediaUrl, "/creatives/nothing");

    const calls = json(await ask(emulator.controlUrl, `/control/journal?${query}`));

    expect(calls.map((one: { id: number }) => one.id)).toEqual(ids);
  });

  it("refuses a filter that it does not know", async () => {
    const { controlUrl } = await running();

    const reply = await ask(controlUrl, "/control/journal?rout=spot");

    expect([reply.status, json(reply).detail]).toEqual([400, 'the query: Unrecognized key: "rout"']);
  });

  it("is emptied by DELETE", async () => {
    const emulator = await running();
    await nextSpot(emulator);

    const reply = await ask(emulator.controlUrl, "/control/journal", { method: "DELETE" });

    expect(json(reply)).toEqual({ deleted: 1 });
    expect(emulator.calls().map(({ path }) => path)).toEqual(["/control/journal"]);
  });
});

/** Opens the stream of the journal. */
function followed({ controlUrl }: Emulator, query = "", headers = {}): Promise<IncomingMessage> {
  return new Promise((resolve) =>
    get(`${controlUrl}/control/journal/stream${query}`, { headers, agent: false }, resolve),
  );
}

/** Reads the stream until so many calls have come, and hangs up. */
async function readCalls(stream: IncomingMessage, count: number) {
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    if (text.split("event: call\n").length > count && text.endsWith("\n\n")) break;
  }
  return [...text.matchAll(/id: (\d+)\nevent: call\ndata: (.*)\n\n/g)].map(([, id, data]) => {
    return { id: Number(id), ...JSON.parse(data ?? "") };
  });
}

async function waited({ controlUrl }: Emulator, query: string) {
  return ask(controlUrl, `/control/journal/wait?${query}`);
}

describe("the stream of the journal", () => {
  it("tells of calls as they are answered", async () => {
    const emulator = await running();
    const stream = await followed(emulator, "?route=spot");
    await nextSpot(emulator);
    await ask(emulator.baseUrl, "/nowhere");
    await nextSpot(emulator);

    expect(stream.headers["content-type"]).toBe("text/event-stream");
    expect(await readCalls(stream, 2)).toMatchObject([
      { route: "spot", screen_id: "screen_demo", status: 200 },
      { route: "spot", screen_id: "screen_demo", status: 200 },
    ]);
  });

  it("first sends what was missed to a follower that comes back", async () => {
    const emulator = await running();
    for (let turn = 0; turn < 3; turn += 1) await nextSpot(emulator);

    const byId = await readCalls(await followed(emulator, "?route=spot", { "last-event-id": "1" }), 2);
    const byTime = await readCalls(await followed(emulator, "?route=spot&since=2026-03-02T08:00:00Z"), 3);

    expect(byId.map(({ id }) => id)).toEqual([2, 3]);
    expect(byTime.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it("has a limited number of followers, and room again for each that goes", async () => {
    const emulator = await running();
    const streams: IncomingMessage[] = [];
    for (let one = 0; one < MOST_FOLLOWERS; one += 1) streams.push(await followed(emulator));

    const refused = await followed(emulator);
    for (const stream of streams) stream.destroy();
    let status = 429;
    while (status === 429) {
      const again = await followed(emulator);
      status = again.statusCode ?? 0;
      again.destroy();
    }

    expect([refused.statusCode, status]).toEqual([429, 200]);
  });
});

describe("a follower that has said since when", () => {
  it("hears of calls after the journal was emptied, which numbers from 1 again", async () => {
    const emulator = await running();
    for (let turn = 0; turn < 3; turn += 1) await nextSpot(emulator);
    const stream = await followed(emulator, "?route=spot&since=2");
    await ask(emulator.controlUrl, "/control/journal", { method: "DELETE" });
    const calls = readCalls(stream, 2);
    await nextSpot(emulator);
    for (let turn = 0; turn < 5; turn += 1) await nextSpot(emulator);

    expect((await calls).slice(0, 2).map(({ id }) => id)).toEqual([3, 2]);
  });
});

describe("waiting for the journal", () => {
  it("answers at once with what is there already", async () => {
    const emulator = await running();
    await nextSpot(emulator);
    await nextSpot(emulator);

    const reply = await waited(emulator, "route=spot&count=2");

    expect(json(reply).map(({ id }: { id: number }) => id)).toEqual([1, 2]);
  });

  it("answers once enough have come", async () => {
    const emulator = await running();
    await nextSpot(emulator);
    const waiting = waited(emulator, "route=spot&screen_id=screen_demo&status=200&count=3");
    await nextSpot(emulator);
    await nextSpot(emulator);

    expect(json(await waiting)).toHaveLength(3);
  });

  it("counts only those after since", async () => {
    const emulator = await running();
    await nextSpot(emulator);
    const waiting = waited(emulator, "route=spot&since=1");
    await nextSpot(emulator);

    expect(json(await waiting).map(({ route }: { route: string }) => route)).toEqual(["spot"]);
  });

  it("goes on when the journal is emptied meanwhile, until so many are there", async () => {
    const emulator = await running();
    await nextSpot(emulator);
    const waiting = waited(emulator, "route=spot&count=2");
    await ask(emulator.controlUrl, "/control/journal", { method: "DELETE" });
    await nextSpot(emulator);
    await nextSpot(emulator);

    const reply = await waiting;

    expect([reply.status, json(reply).length]).toEqual([200, 2]);
  });

  it("answers 504 when too few have come in time", async () => {
    const emulator = await running();
    await nextSpot(emulator);

    const reply = await waited(emulator, "route=spot&count=2&timeout_ms=1");

    expect([reply.status, json(reply).detail]).toEqual([504, "1 of 2 calls came in 1 ms"]);
  });

  it.each(["count=0", "count=x", "timeout_ms=999999", "limit=1", "colour=red"])("refuses %s", async (query) => {
    expect((await waited(await running(), query)).status).toBe(400);
  });
});
