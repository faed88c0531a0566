import { get, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { MOST_FOLLOWERS } from "../../src/emulator/control/journal-stream.ts";
import type { Emulator } from "../../src/emulator/main.ts";
import { ask, json, nextSpot, running } from "./running.ts";

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
