import { execFileSync } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectX11, type X11Connection } from "../../src/main/window/x11-connection.ts";
import { atomIn, atomRequest, frameRequest, request } from "../../src/main/window/x11-protocol.ts";
import { startSession } from "../support/display/sessions.ts";
import { eventually } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type RigChanges } from "../support/player/rig.ts";

/** Asks a window to close, as a window manager does at Alt+F4 (Inter-Client Communication Conventions 4.2.8.1). */
async function askToClose(connection: X11Connection, window: number): Promise<void> {
  const names = ["WM_PROTOCOLS", "WM_DELETE_WINDOW"];
  const answers = await Promise.all(names.map((name) => connection.ask(atomRequest(name))));
  const [protocols = 0, closing = 0] = answers.map((answer) => (answer === null ? 0 : atomIn(answer)));
  const event = Buffer.alloc(32);
  event.set([33, 32]);
  [window, protocols, closing].forEach((value, index) => void event.writeUInt32LE(value, 4 + 4 * index));
  const head = request(25, [window, 0]);
  head.writeUInt16LE((head.length + event.length) / 4, 2);
  connection.send(Buffer.concat([head, event]));
  // Answered after that.
  await connection.ask(frameRequest(window));
}

/** A player with an item on air, its windows, and a way to act on them. */
async function playing(changes: RigChanges = { width: 640, height: 360 }) {
  const rig = await openRig(changes);
  onTestFinished(() => rig.close());
  const player = rig.play(["--config", rig.configure()]);
  const isOnAir = async () => typeof (await readHealth(rig.home))?.onAir === "object" || undefined;
  await eventually("an item on air", isOnAir, 60_000);
  const env = { ...process.env, DISPLAY: rig.display.name };
  const xdotool = (...args: readonly string[]) => execFileSync("xdotool", args, { env, encoding: "utf8" }).trim();
  const windows = xdotool("search", "--name", "^Spotloop$").split("\n");
  const shown = () => player.stderr.filter((line) => line.includes(" item shown ")).length;
  /** Not what was on air just now, and the next one. */
  const playsOn = () => {
    const before = shown();
    return eventually("two more items", () => shown() >= before + 2 || undefined, 60_000);
  };
  return { player, env, xdotool, windows, playsOn };
}

describe("a player whose window somebody", () => {
  it("wants closed, as by Alt+F4, plays on in it", async () => {
    const { player, env, windows, playsOn } = await playing();
    const connection = await new Promise<X11Connection>((resolve) => void connectX11(env, resolve, () => {}));
    onTestFinished(() => connection.close());
    for (const window of windows) await askToClose(connection, Number(window));

    await playsOn();
    expect(player.stderr.join("\n")).not.toMatch(/ERROR|FATAL|item failed/);
    expect(await player.stop()).toBe(0);
  });

  it("destroys asks for a new start, since nothing brings that window back", async () => {
    const { player, xdotool, windows } = await playing();
    for (const window of windows) xdotool("windowclose", window);
    expect(await player.ended).toBe(75);
  });

  it("puts on another of the window manager's desktops, or who changes to another one, is back by itself", async () => {
    const { xdotool, windows, playsOn } = await playing({ start: () => startSession("openbox", 640, 360) });
    xdotool("set_desktop", "1");
    await playsOn();
    for (const window of windows) xdotool("set_desktop_for_window", window, "2");
    await playsOn();
  });
});
