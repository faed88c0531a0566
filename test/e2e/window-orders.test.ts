import { execFileSync } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Display, startDisplay } from "../../scripts/setup/display.ts";
import { connectX11, type X11Connection } from "../../src/main/window/x11-connection.ts";
import { atomIn, atomRequest, frameRequest, mapRequest, request } from "../../src/main/window/x11-protocol.ts";
import { BLACK, FOREIGN, openEye, type Sight } from "../support/display/eye.ts";
import { recordDisplay } from "../support/display/recording.ts";
import { startSession } from "../support/display/sessions.ts";
import { sightingsIn } from "../support/display/sightings.ts";
import { watchDisplay } from "../support/display/watching.ts";
import { eventually } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type RigChanges } from "../support/player/rig.ts";

async function connected(env: NodeJS.ProcessEnv, onEvent: (event: Buffer) => void = () => {}): Promise<X11Connection> {
  const connection = await new Promise<X11Connection>((resolve) => void connectX11(env, resolve, onEvent));
  onTestFinished(() => connection.close());
  return connection;
}

/** Tells a window, or by the root the window manager, something by its name (Inter-Client Communication Conventions 4.2.8). */
async function tell(connection: X11Connection, window: number, name: string, ...values: readonly (number | string)[]) {
  const numbers = await Promise.all(
    [name, ...values].map(async (value) => {
      const answer = typeof value === "number" ? value : await connection.ask(atomRequest(value));
      return typeof answer === "number" ? answer : answer === null ? 0 : atomIn(answer);
    }),
  );
  const event = Buffer.alloc(32);
  event.set([33, 32]);
  [window, ...numbers].forEach((value, index) => void event.writeUInt32LE(value, 4 + 4 * index));
  const head = request(25, [window, window === connection.root ? MANAGER_HEARS : 0]);
  head.writeUInt16LE((head.length + event.length) / 4, 2);
  connection.send(Buffer.concat([head, event]));
  // Answered after that.
  await connection.ask(frameRequest(window));
}

const REDIRECT = 0x10_0000;
const MANAGER_HEARS = REDIRECT | 0x8_0000;

/** What a window manager that tiles does: each window is as large as it says, and stays so. */
async function startTiling({ name, width, height }: Display): Promise<void> {
  const connection = await connected({ DISPLAY: name }, (event) => {
    if (event[0] !== 20) return;
    const window = event.readUInt32LE(8);
    connection.send(Buffer.concat([request(12, [window, 0xf, 0, 0, width / 2, height]), mapRequest(window)]));
  });
  connection.send(request(2, [connection.root, 0x800, REDIRECT]));
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
  const playsOn = (items = 2) => {
    const before = shown();
    return eventually(`${items} more items`, () => shown() >= before + items || undefined, 60_000);
  };
  return { player, display: rig.display, home: rig.home, env, xdotool, windows, playsOn };
}

describe("a player whose window somebody", () => {
  it("wants closed, as by Alt+F4, plays on in it", async () => {
    const { player, env, windows, playsOn } = await playing();
    const connection = await connected(env);
    // As a window manager does at Alt+F4.
    for (const window of windows) await tell(connection, Number(window), "WM_PROTOCOLS", "WM_DELETE_WINDOW");

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

  it("hides with all others, to see the desktop, is back by itself", async () => {
    const { env, playsOn } = await playing({ start: () => startSession("openbox", 640, 360) });
    const connection = await connected(env);
    await tell(connection, connection.root, "_NET_SHOWING_DESKTOP", 1);
    await playsOn();
  });

  it("makes inactive is not seen through, where a compositing program lets inactive windows be", async () => {
    const { display, env, xdotool, playsOn } = await playing({
      start: () => startSession("openbox and picom", 640, 360),
    });
    const connection = await connected(env);
    // A window of another program's, below, in which somebody types.
    const other = connection.ownNumber;
    connection.send(request(1, [other, connection.root, 0, 0x28_0064, 0x1_0000, 0, 0]));
    connection.send(mapRequest(other));
    await eventually("it to be there", () => xdotool("getactivewindow") === String(other) || undefined);
    connection.send(request(42, [other, 0]));
    await playsOn(1);
    const recording = await recordDisplay(display.name, display.width, display.height);
    await playsOn(1);
    const sights = sightingsIn(await recording.stop(), await openEye()).map(({ sight }) => sight);
    expect(sights).not.toContain(FOREIGN);
  });

  it("moves aside just before an item ends proves it no more", async () => {
    const { player, home, xdotool, windows, playsOn } = await playing();
    const onAir = await eventually("the end of an item", async () => {
      const now = (await readHealth(home))?.onAir;
      const leftMs = typeof now === "object" ? Date.parse(now.since) + now.durationMs - Date.now() : 0;
      return leftMs > 500 && leftMs < 700 ? now : undefined;
    });
    const before = player.stderr.length;
    for (const window of windows) xdotool("windowmove", window, "200", "120");
    await playsOn();
    const lines = player.stderr.slice(before);
    const id = typeof onAir === "object" ? onAir.id : "";
    expect(lines.find((line) => line.includes(`item=${id} `))).toMatch(/item failed .*hidden/);
  });

  it("hides by the X server's own screen saver is back by itself, and nothing was proved meanwhile", async () => {
    const { player, display, env, playsOn } = await playing();
    const xset = (...args: readonly string[]) => execFileSync("xset", args, { env });
    const watch = await watchDisplay(display, await openEye());
    // Where no display can be made dark, it shows a window that is black.
    xset("s", "noblank");
    xset("s", "activate");
    await watch.until([(sight) => sight === BLACK, (sight) => sight !== BLACK]);
    await watch.stop();
    await playsOn();
    const [meanwhile] = /nobody can see.*screen saver.*?can be seen again/s.exec(player.stderr.join("\n")) ?? [];
    expect(meanwhile).toMatch(/item failed .*hidden/);
    expect(meanwhile).not.toContain(" item shown ");
  });

  it("leaves to a window manager that never gives it all of the display takes all of it", async () => {
    const start = async () => {
      const display = await startDisplay({ width: 640, height: 360 });
      await startTiling(display);
      return display;
    };
    const { playsOn } = await playing({ start });
    await playsOn();
  });
});

it("the page that says what is wrong with the configuration is back by itself from behind the desktop", async () => {
  const rig = await openRig({ start: () => startSession("openbox", 640, 360) });
  onTestFinished(() => rig.close());
  const player = rig.play(["--config", rig.configure({ screenId: 5 })]);
  const watch = await watchDisplay(rig.display, await openEye());
  const isPage = (sight: Sight) => sight === FOREIGN;
  await watch.until([isPage]);
  const connection = await connected({ DISPLAY: rig.display.name });
  await tell(connection, connection.root, "_NET_SHOWING_DESKTOP", 1);
  await watch.until([(sight) => sight === BLACK, isPage]);
  await watch.stop();

  rig.configure();
  await eventually("an item", () => player.stderr.some((line) => line.includes(" item shown ")) || undefined, 60_000);
  expect(await player.stop()).toBe(0);
});
