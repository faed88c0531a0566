import { describe, expect, it, onTestFinished } from "vitest";
import { exchange } from "../faults/exchange.ts";
import { running } from "../running.ts";

/** An emulator as the command starts it, which replaces the process's `Request` and `Response` for as long. */
async function alone() {
  const { Request, Response } = globalThis;
  onTestFinished(() => {
    for (const [name, value] of Object.entries({ Request, Response })) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  });
  return running({ ownProcess: true });
}

describe.each(["GET", "HEAD"])("an emulator that has its process to itself, asked by %s", (method) => {
  it("leaves without an answer what a fault has hang", async () => {
    const emulator = await alone();
    emulator.setFaults([{ do: { hang: true } }]);
    const answer = exchange(emulator.mediaUrl, "/creatives/ad-bakery.png", method);
    await fetch(`${emulator.controlUrl}/control/journal/wait?route=media&timeout_ms=20000`);
    await fetch(`${emulator.controlUrl}/control/health`);

    await emulator.close();

    expect((await answer).status).toBe(0);
  });
});
