import { Hono } from "hono";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { addJournalStream, MOST_FOLLOWERS } from "../../../src/emulator/control/journal.ts";
import type { Env } from "../../../src/emulator/http/answers.ts";
import { type Call, newJournal } from "../../../src/emulator/http/journal.ts";

const CALL: Omit<Call, "id"> = {
  at: 0,
  realAt: 0,
  listener: "service",
  method: "GET",
  path: "/",
  route: "spot",
  orgToken: null,
  screenId: null,
  requestId: null,
  status: 200,
  ms: 1,
  warnings: [],
  events: [],
  fault: null,
  nearMiss: null,
};

async function following() {
  const journal = newJournal();
  const app = new Hono<Env>();
  addJournalStream(app, journal);
  const { body } = await app.request("/control/journal/stream");
  if (body === null) throw new Error("there is no stream");
  return { journal, reader: body.pipeThrough(new TextDecoderStream()).getReader() };
}

describe("a follower of the journal", () => {
  it("finds a place however often the head alone was asked for", async () => {
    const app = new Hono<Env>();
    addJournalStream(app, newJournal());
    for (let asked = 0; asked <= MOST_FOLLOWERS; asked += 1) {
      const head = await app.request("/control/journal/stream", { method: "HEAD" });
      expect([head.status, head.headers.get("content-type"), head.body]).toEqual([200, "text/event-stream", null]);
    }

    const stream = await app.request("/control/journal/stream");

    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  it("that takes nothing is let go after so many events", async () => {
    const { journal, reader } = await following();
    for (let call = 0; call < 5000; call += 1) journal.add(CALL);

    let events = 0;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) events += 1;

    expect(events).toBeGreaterThan(900);
    expect(events).toBeLessThan(1100);
  });

  it("hears something every 15 s", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { reader } = await following();
    const opening = await reader.read();

    vi.advanceTimersByTime(15_000);

    expect([opening.value, (await reader.read()).value]).toEqual(["retry: 1000\n\n", ": still here\n\n"]);
    await reader.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });
});
