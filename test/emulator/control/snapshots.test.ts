import { describe, expect, it } from "vitest";
import { virtualClock } from "../../../src/emulator/clock.ts";
import { MOST_SNAPSHOTS } from "../../../src/emulator/control/snapshots-and-forks.ts";
import type { Emulator } from "../../../src/emulator/main.ts";
import { ask, call, json, MONDAY_8, nextSpot, running } from "../running.ts";

async function snapshot({ controlUrl }: Emulator, name: string, method = "PUT") {
  const path = `/control/snapshots/${name}${method === "POST" ? "/restore" : ""}`;
  return ask(controlUrl, path, { method });
}

/** Calls of every kind that change something or show what has changed; the answers to the byte. */
async function anHour(emulator: Emulator): Promise<string[]> {
  const { baseUrl, controlUrl, clock } = emulator;
  const answers: string[] = [];
  const put = ({ status, headers, body }: Awaited<ReturnType<typeof ask>>) =>
    answers.push(`${status} ${headers.date} ${body}`);
  for (let turn = 0; turn < 8; turn += 1) {
    put(await ask(baseUrl, "/v3/vendor/org_demo/1/rt_ad/screen_demo"));
    const pop = emulator.spots().at(-1)?.news?.url ?? "";
    put(await call(emulator, pop, { method: "HEAD" }));
    clock.advance(450_000);
  }
  put(await ask(baseUrl, "/vendor/org_demo/locations", { method: "POST", headers: JSON_TYPE, body: { title: "New" } }));
  put(await ask(controlUrl, "/control/cars", { method: "POST", body: {} }));
  put(await ask(controlUrl, "/control/faults"));
  put(await ask(controlUrl, "/control/spots"));
  put(await ask(controlUrl, "/control/cars"));
  put(await ask(controlUrl, "/control/clock"));
  put(await ask(controlUrl, "/control/audit"));
  return answers;
}

const JSON_TYPE = { "content-type": "application/json" };

describe("a snapshot", () => {
  it("brings everything back: the same calls are answered the same, to the byte, any number of times", async () => {
    const emulator = await running();
    const fault = { match: { route: "spot" }, probability: 0.5, do: { status: 500 } };
    const spot = await nextSpot(emulator);
    await ask(emulator.controlUrl, "/control/faults", { method: "PUT", body: [fault] });
    emulator.clock.advance(60_000);
    await call(emulator, spot.news.pop);
    await snapshot(emulator, "before");
    const first = await anHour(emulator);

    await snapshot(emulator, "before", "POST");
    const second = await anHour(emulator);
    await ask(emulator.controlUrl, "/control/reset", { method: "POST" });
    await snapshot(emulator, "before", "POST");
    const third = await anHour(emulator);

    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(first.filter((answer) => answer.startsWith("500")).length).toBeGreaterThan(0);
  });

  it("keeps what has been proved, and that it was", async () => {
    const emulator = await running();
    const spot = await nextSpot(emulator);
    emulator.clock.advance(60_000);
    await call(emulator, spot.news.pop);
    await snapshot(emulator, "proved");
    await ask(emulator.controlUrl, "/control/reset", { method: "POST" });
    await snapshot(emulator, "proved", "POST");

    await call(emulator, spot.news.pop);

    expect(emulator.spots()[0]?.news?.pops.map(({ verdict }) => verdict)).toEqual(["counted", "duplicate"]);
  });

  it("brings the journal back, and its numbers", async () => {
    const emulator = await running();
    await nextSpot(emulator);
    await snapshot(emulator, "one");
    await nextSpot(emulator);
    await snapshot(emulator, "one", "POST");

    const calls = emulator.calls();
    expect(calls.map(({ id, route, path }) => [id, route ?? path])).toEqual([
      [1, "spot"],
      [2, "/control/snapshots/one/restore"],
    ]);
  });

  it("brings the calls of the journal back to the byte", async () => {
    const emulator = await running();
    await nextSpot(emulator);
    await call(emulator, "/nowhere");
    const firstCalls = async () => {
      const calls = json(await ask(emulator.controlUrl, "/control/journal"));
      return JSON.stringify(calls.slice(0, 2));
    };
    const before = await firstCalls();
    await snapshot(emulator, "calls");
    await ask(emulator.controlUrl, "/control/journal", { method: "DELETE" });
    await snapshot(emulator, "calls", "POST");

    expect(await firstCalls()).toBe(before);
  });

  it("goes on at its own time, however long ago it was kept", async () => {
    let now = 0;
    const clock = virtualClock({ now: () => now, wall: () => now }, { now: MONDAY_8 });
    const emulator = await running({ clock });
    await snapshot(emulator, "then");
    now += 3_600_000;
    const before = clock.now();
    await snapshot(emulator, "then", "POST");

    expect([before, clock.now()]).toEqual([MONDAY_8 + 3_600_000, MONDAY_8]);
  });

  it("can be replaced, listed and deleted", async () => {
    const emulator = await running();
    const statuses = [await snapshot(emulator, "a"), await snapshot(emulator, "b"), await snapshot(emulator, "a")];
    const listed = json(await ask(emulator.controlUrl, "/control/snapshots"));
    const gone = [await snapshot(emulator, "b", "DELETE"), await snapshot(emulator, "b", "POST")];

    expect(statuses.map(({ status }) => status)).toEqual([201, 201, 200]);
    expect(listed).toEqual([
      { name: "a", at: "2026-03-02T08:00:00.000Z", bytes: expect.any(Number) },
      { name: "b", at: "2026-03-02T08:00:00.000Z", bytes: expect.any(Number) },
    ]);
    expect(gone.map(({ status }) => status)).toEqual([200, 404]);
  });

  it("is one of a limited number, and has a plain name", async () => {
    const emulator = await running();
    for (let one = 0; one < MOST_SNAPSHOTS; one += 1) await snapshot(emulator, `s${one}`);

    const statuses = [
      await snapshot(emulator, "more"),
      await snapshot(emulator, "s0"),
      await snapshot(emulator, "%2F"),
    ];

    expect(statuses.map(({ status }) => status)).toEqual([409, 200, 400]);
  });
});
