import { get, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import type { FaultEffects } from "../../../src/emulator/faults/schema.ts";
import { ask, json, running, smallWorld } from "../running.ts";

const SPOT = "/v3/vendor/org_a/1/rt_ad/screen_a";

async function faulty(effects: FaultEffects) {
  return running({ world: { ...smallWorld(), faults: [{ do: effects }] } });
}

/** Resolves once the rule has struck, however long that takes. */
async function strike(controlUrl: string): Promise<void> {
  while (json(await ask(controlUrl, "/control/faults"))[0].applied === 0);
}

describe("a fault in time", () => {
  it.each([600_000, { min: 400_000, max: 600_000 }])(
    "holds the answer back by the virtual clock for %j",
    async (latencyMs) => {
      const emulator = await faulty({ latencyMs });
      let answered = false;
      const reply = ask(emulator.baseUrl, SPOT).finally(() => {
        answered = true;
      });
      await strike(emulator.controlUrl);
      emulator.clock.advance(300_000);
      await ask(emulator.controlUrl, "/control/health");
      const before = answered;
      emulator.clock.advance(300_000);

      expect([before, (await reply).status]).toEqual([false, 200]);
      expect(emulator.spots()[0]?.issued_at).toBe("2026-03-02T08:00:00.000Z");
    },
  );

  it("lets a call go whose client has gone", async () => {
    const emulator = await faulty({ latencyMs: 5000 });
    const asked = get(emulator.baseUrl + SPOT);
    asked.on("error", () => {});
    await strike(emulator.controlUrl);
    asked.destroy();

    const calls = await ask(emulator.controlUrl, "/control/journal/wait?route=spot&timeout_ms=20000");

    expect(json(calls)).toHaveLength(1);
  });

  it.each<FaultEffects>([{ latencyMs: 300 }, { bytesPerSecond: 2_000 }])(
    "goes by the machine's time while the clock is frozen: %j",
    async (effects) => {
      const emulator = await faulty(effects);
      const askedAt = performance.now();
      expect((await ask(emulator.baseUrl, SPOT)).status).toBe(200);
      expect(performance.now() - askedAt).toBeGreaterThanOrEqual(299);
    },
  );

  it("runs with a clock that runs", async () => {
    const emulator = await faulty({ latencyMs: 600_000 });
    emulator.clock.set({ mode: "real", speed: 10_000 });

    expect((await ask(emulator.baseUrl, SPOT)).status).toBe(200);
  });

  it.each<FaultEffects>([{ latencyMs: 1000 }, { bytesPerSecond: 100 }])(
    "lets nobody wait for a time that a reset has taken back: %j",
    async (effects) => {
      const emulator = await running({ world: smallWorld() });
      emulator.clock.advance(7 * 24 * 3_600_000);
      emulator.addFault({ do: effects });
      let isAnswered = false;
      const reply = ask(emulator.baseUrl, SPOT).finally(() => {
        isAnswered = true;
      });
      await strike(emulator.controlUrl);
      await ask(emulator.controlUrl, "/control/reset", { method: "POST" });
      for (let second = 0; second < 60 && !isAnswered; second += 1) {
        emulator.clock.advance(1000);
        await ask(emulator.controlUrl, "/control/health");
      }

      expect(isAnswered).toBe(true);
      expect((await reply).status).toBe(200);
    },
  );

  // By the machine's time it would take longer than a test may.
  it("sends a body at its pace by the virtual clock", async () => {
    const emulator = await faulty({ bytesPerSecond: 1 });
    emulator.clock.set({ mode: "frozen" });
    const [askedAt, frozenAt] = [performance.now(), emulator.clock.now()];
    const response = await new Promise<IncomingMessage>((resolve) => get(`${emulator.mediaUrl}/none`, resolve));
    let received = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      received += chunk.length;
      emulator.clock.advance(1000);
    }

    expect(received).toBe(Number(response.headers["content-length"]));
    const passedMs = emulator.clock.now() - frozenAt + performance.now() - askedAt;
    expect(passedMs).toBeGreaterThanOrEqual((received - 1) * 1000);
  });
});
