import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../src/emulator/main.ts";
import { ask, running, smallWorld } from "./running.ts";

async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("starting an emulator", () => {
  it("says where it is and whom to ask for", async () => {
    const emulator = await running({ world: smallWorld() });

    expect(emulator).toMatchObject({ orgToken: "org_a", screenId: "screen_a", seed: 1 });
    for (const url of [emulator.baseUrl, emulator.mediaUrl, emulator.controlUrl]) {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    }
  });

  it("fails with the name of the port when something else is using it, and leaves none open", async () => {
    const [control, service] = [await takenPort(), 0];

    await expect(startEmulator({ ports: { service, control } })).rejects.toMatchObject({
      name: "PortError",
      message: `the control port ${control} on 127.0.0.1 cannot be opened: something else is using it`,
    });
  });

  it("fails with every problem of a world that has some", async () => {
    const world = { organizations: [{ org_token: "o" }], news: [{ creative: "none" }] };

    await expect(startEmulator({ world })).rejects.toMatchObject({
      name: "WorldError",
      problems: [{ path: "news[0].creative" }, { path: "organizations" }],
    });
  });

  it("can be done several times over in one process", async () => {
    const [one, two] = [await running(), await running()];

    const replies = await Promise.all([one, two].map(({ controlUrl }) => ask(controlUrl, "/control/health")));

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("follows the machine's time in a world that says nothing else", async () => {
    const before = Date.now();
    const emulator = await startEmulator({ world: smallWorld() });
    onTestFinished(() => emulator.close());

    expect(emulator.clock.reading()).toMatchObject({ mode: "real", speed: 1 });
    expect(Math.abs(emulator.clock.now() - before)).toBeLessThan(60_000);
  });

  it("begins at the time of its world", async () => {
    const clock = { mode: "frozen" as const, now: "2026-03-02T08:00:00Z" };
    const emulator = await startEmulator({ world: { ...smallWorld(), clock } });
    onTestFinished(() => emulator.close());

    expect(emulator.clock.reading()).toEqual({ mode: "frozen", now: Date.parse(clock.now), speed: 1 });
  });

  it("tells of each call once it is answered", async () => {
    const seen: string[] = [];
    const emulator = await running({ onCall: ({ listener, path }) => seen.push(`${listener} ${path}`) });

    await ask(emulator.controlUrl, "/control/health");

    expect(seen).toEqual(["control /control/health"]);
  });

  it("ends with its ports free again, even while somebody is connected", async () => {
    const emulator = await startEmulator();
    await fetch(`${emulator.controlUrl}/control/health`);

    await emulator.close();

    await expect(ask(emulator.baseUrl, "/")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
