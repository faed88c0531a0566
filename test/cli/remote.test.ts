import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { askPlayer } from "../../src/cli/remote/command.ts";
import { listenLocally, socketPath } from "../../src/player/remote/remote.ts";
import type { Hands } from "../../src/player/remote/remote-desk.ts";
import { openDesk } from "../player/remote/desk.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { lines, spotloopWith } from "./vendor/spotloop.ts";

/** A player's socket in a data folder, and what is asked of it. */
async function listening(hands: Partial<Hands> = {}) {
  const folder = temporaryFolder();
  const { desk, done } = openDesk(folder, {
    hands,
    wall: () => Date.now(),
    allow: ["screenshot", "message", "display"],
  });
  const socket = await listenLocally(socketPath(folder), desk);
  onTestFinished(() => (socket.kind === "listening" ? socket.close() : undefined));
  const remote = (...args: readonly string[]) => spotloopWith({})(["remote", ...args, "--data-dir", folder]);
  return { folder, done, remote };
}

it("says on Windows how commands reach a player there", async () => {
  const asked = askPlayer(temporaryFolder(), { command: "restart" }, "win32");
  await expect(asked).rejects.toMatchObject({
    exitCode: 69,
    message: expect.stringContaining("by remote.broker only"),
  });
});

describe.skipIf(process.platform === "win32")("spotloop remote", () => {
  it("sends a command and says what came of it", async () => {
    const shown: unknown[] = [];
    const message: Hands["message"] = async ({ text, seconds }) => {
      shown.push([text, seconds]);
      return { kind: "done", text: "shown" };
    };
    const { remote } = await listening({ message });
    expect(await remote("message", "Please leave", "--minutes", "5")).toMatchObject({ code: 0, stdout: "shown\n" });
    expect(await remote("message", "--clear")).toMatchObject({ code: 0, stdout: "shown\n" });
    expect(shown).toEqual([
      ["Please leave", 300],
      [null, null],
    ]);
  });

  it("writes what a command brings into a file for its owner", async () => {
    const attachment = { type: "image/jpeg", base64: Buffer.from("picture").toString("base64") } as const;
    const { folder, remote } = await listening({ screenshot: async () => ({ kind: "done", text: "", attachment }) });
    const out = join(folder, "shot.jpg");
    expect((await remote("screenshot", "--out", out)).code).toBe(0);
    expect(readFileSync(out, "utf8")).toBe("picture");
    const nowhere = await remote("screenshot", "--out", join(folder, "no", "shot.jpg"));
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("cannot be written (ENOENT)")]);
  });

  it("ends with 77 where a command is not allowed, and with 1 where the player refuses it", async () => {
    const { done, remote } = await listening({ display: async () => ({ kind: "unavailable", text: "no display" }) });
    expect(await remote("reboot")).toMatchObject({
      code: 77,
      stderr: lines("refused (not-allowed): reboot is not in remote.allow"),
    });
    expect(await remote("display", "off")).toMatchObject({
      code: 1,
      stderr: lines("refused (unavailable): no display"),
    });
    expect(done).toEqual([]);
  });

  it("ends with 69 where no player takes commands, and says why that may be", async () => {
    const folder = temporaryFolder();
    const { code, stderr } = await spotloopWith({})(["remote", "restart", "--data-dir", folder]);
    expect([code, stderr]).toEqual([69, expect.stringContaining("none runs, or its remote.allow lists none")]);
  });

  it.each([
    [["message"]],
    [["message", "text", "--clear"]],
    [["message", "text", "--minutes", "0"]],
    [["display", "dim"]],
    [["test-card", "--seconds", "3600"]],
    [["shell"]],
  ])("takes no command line of %j", async (args) => {
    const { done, remote } = await listening();
    expect([(await remote(...args)).code, done]).toEqual([64, []]);
  });
});
