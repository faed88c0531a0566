import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenLocally, socketPath } from "../../../src/player/remote/remote.ts";
import type { Hands, Performance } from "../../../src/player/remote/remote-desk.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { command, openDesk } from "./desk.ts";

/** Long enough for anything but what is waited for. */
const WAITS = { sentWithinMs: 60_000, goneWithinMs: 60_000, closedWithinMs: 60_000 };

async function opened(folder = temporaryFolder(), waits: Partial<typeof WAITS> = {}, hands: Partial<Hands> = {}) {
  const remote = openDesk(folder, { hands });
  const path = socketPath(folder);
  const socket = await listenLocally(path, remote.desk, { ...WAITS, ...waits });
  if (socket.kind !== "listening") throw new Error(socket.reason);
  onTestFinished(() => socket.close());
  return { ...remote, path, socket };
}

/** What the socket answers to these bytes. */
async function answerTo(path: string, ...sent: readonly (Buffer | string)[]): Promise<unknown> {
  const socket = connect({ path, allowHalfOpen: true });
  for (const part of sent) socket.write(part);
  socket.end();
  return JSON.parse(await text(socket));
}

describe.skipIf(process.platform === "win32")("the socket of remote commands", () => {
  it("is its owner's alone, and takes a command in any pieces", async () => {
    const { path, done } = await opened();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const sent = command({ id: "one" });
    expect(await answerTo(path, sent.subarray(0, 9), sent.subarray(9), "\n")).toMatchObject({
      id: "one",
      outcome: "done",
    });
    expect(done).toEqual(["one"]);
  });

  it.each([
    ["nothing", "", "malformed"],
    ["nonsense", "GET / HTTP/1.1\r\n\r\n", "malformed"],
    ["more than a command can be", "x".repeat(100_000), "too-large"],
  ])("answers %s, and goes on", async (_what, sent, reason) => {
    const { path } = await opened();
    expect(await answerTo(path, sent)).toMatchObject({ outcome: "refused", reason });
    expect(await answerTo(path, command())).toMatchObject({ outcome: "done" });
  });

  it("does what ends the player once the answer is out, or nobody wants it", async () => {
    const folder = temporaryFolder();
    const ended: string[] = [];
    const path = socketPath(folder);
    const restart = async () => ({ kind: "done", text: "", afterwards: () => void ended.push("ended") }) as const;
    const { desk } = openDesk(folder, { hands: { restart } });
    const socket = await listenLocally(path, desk);
    onTestFinished(() => (socket.kind === "listening" ? socket.close() : undefined));
    await answerTo(path, command());
    await expect.poll(() => ended).toEqual(["ended"]);
    const leaver = connect(path, () => leaver.end(command(), () => leaver.destroy()));
    await expect.poll(() => ended).toEqual(["ended", "ended"]);
  });

  it("takes the place of one that a crash left, and goes with the player", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "remote.sock"), "");
    const { path, socket } = await opened(folder);
    expect(await answerTo(path, command())).toMatchObject({ outcome: "done" });
    if (socket.kind === "listening") await socket.close();
    expect(existsSync(path)).toBe(false);
  });

  it("lets go of who stays once the answer is out, so that others have a place", async () => {
    const { path, done } = await opened(temporaryFolder(), { goneWithinMs: 100 });
    for (let nth = 1; nth <= 8; nth++) {
      // It reads its answer, and keeps its own side open.
      const stayer = connect({ path, allowHalfOpen: true }, () => stayer.write(`${command()}\n`));
      onTestFinished(() => void stayer.destroy());
      await once(stayer.on("error", () => {}).resume(), "end");
    }
    expect(done.length).toBe(8);
    await expect.poll(() => answerTo(path, command()).catch(() => null)).toMatchObject({ outcome: "done" });
  });

  it("closes though a command takes longer than there is time for, which fails nothing when it ends", async () => {
    const ended: string[] = [];
    let end = () => {};
    const doctor = () =>
      new Promise<Performance>((resolve) => {
        end = () => resolve({ kind: "done", text: "well", afterwards: () => void ended.push("ended") });
      });
    const folder = temporaryFolder();
    const { path, socket } = await opened(folder, { closedWithinMs: 100 }, { doctor });
    const asked = connect(path, () => asked.end(command({ command: "doctor" })));
    const isLeft = new Promise((resolve) => asked.on("error", () => {}).once("close", resolve));
    asked.resume();
    await expect.poll(() => String(end)).toContain("well");
    if (socket.kind === "listening") await socket.close();
    await isLeft;
    expect(existsSync(path)).toBe(false);
    end();
    await expect.poll(() => ended).toEqual(["ended"]);
  });

  it("says so where its path is longer than the system takes", async () => {
    const { desk } = openDesk(temporaryFolder());
    const path = join(temporaryFolder(), "x".repeat(120));
    expect(await listenLocally(path, desk)).toMatchObject({ kind: "unavailable" });
  });
});
