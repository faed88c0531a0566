import { describe, expect, it } from "vitest";
import { ask, json, running } from "../running.ts";

function post(body: unknown) {
  return { method: "POST", headers: { "content-type": "application/json" }, body };
}

describe("the clock over HTTP", () => {
  it("is read, set and advanced", async () => {
    const { controlUrl } = await running();
    const put = (body: unknown) => ask(controlUrl, "/control/clock", { ...post(body), method: "PUT" });

    const read = json(await ask(controlUrl, "/control/clock"));
    const set = json(await put({ mode: "frozen", now: "2026-07-01T12:00:00+02:00", speed: 2 }));
    const advanced = json(await ask(controlUrl, "/control/clock/advance", post({ ms: 3_600_000 })));

    expect(read).toEqual({ mode: "frozen", now: "2026-03-02T08:00:00.000Z", speed: 1 });
    expect(set).toEqual({ mode: "frozen", now: "2026-07-01T10:00:00.000Z", speed: 2 });
    expect(advanced).toEqual({ mode: "frozen", now: "2026-07-01T11:00:00.000Z", speed: 2 });
  });

  it("is left as it is in what is not sent", async () => {
    const { controlUrl } = await running();
    const put = (body: unknown) => ask(controlUrl, "/control/clock", { ...post(body), method: "PUT" });

    const faster = json(await put({ speed: 60 }));
    const later = json(await put({ now: "2026-03-02T09:00:00Z" }));

    expect(faster).toEqual({ mode: "frozen", now: "2026-03-02T08:00:00.000Z", speed: 60 });
    expect(later).toEqual({ mode: "frozen", now: "2026-03-02T09:00:00.000Z", speed: 60 });
  });

  it.each([
    [{ mode: "fast" }, "mode"],
    [{ mode: "real", now: "yesterday" }, "now"],
    [{ mode: "real", speed: 0 }, "speed"],
  ])("refuses %j with 400", async (body, field) => {
    const { controlUrl } = await running();

    const reply = await ask(controlUrl, "/control/clock", { ...post(body), method: "PUT" });

    expect([reply.status, json(reply).errors[0].field]).toEqual([400, field]);
  });

  it("does not go back by being advanced", async () => {
    const { controlUrl } = await running();

    expect((await ask(controlUrl, "/control/clock/advance", post({ ms: -1 }))).status).toBe(400);
  });
});
