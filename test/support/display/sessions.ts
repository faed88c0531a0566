import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../../../scripts/setup/child.ts";
import { type Display, startDisplay } from "../../../scripts/setup/display.ts";
import { ROOT } from "../../../scripts/setup/paths.mjs";
import { ordinaryUser } from "../../../scripts/setup/user.ts";
import { connectX11, type X11Connection } from "../../../src/main/window/x11-connection.ts";
import { request, treeIn, treeRequest } from "../../../src/main/window/x11-protocol.ts";
import { eventually, userFolder } from "../machine/processes.ts";
import type { SessionDisplay } from "../player/rig.ts";

/**
 * What a kiosk may have on its display: X11 with a window manager, compositing or not, or whose bar lies above all windows;
 * or Wayland.
 */
export const SESSIONS = ["openbox", "openbox and picom", "icewm", "cage"] as const;
export type Session = (typeof SESSIONS)[number];

/** What runs on an X11 display, and how players find it, where that is not by the display's name. */
type Started = Pick<SessionDisplay, "env" | "switches" | "stop">;

/** Starts a session that fills a virtual X11 display, by which it can be watched. */
export async function startSession(session: Session, width: number, height: number): Promise<SessionDisplay> {
  const display = await startDisplay({ width, height });
  const started = session === "cage" ? await startCage(display) : startManagers(session, display);
  return {
    ...display,
    ...started,
    async stop() {
      await started.stop();
      await display.stop();
    },
  };
}

/** Picom lets what is below a window that is not the active one shine through it, as its sample configuration has it. */
const MANAGERS: Readonly<Record<Exclude<Session, "cage">, readonly (readonly [string, ...string[]])[]>> = {
  openbox: [["openbox"]],
  "openbox and picom": [["openbox"], ["picom", "--backend", "xrender", "--inactive-opacity", "0.8"]],
  icewm: [["icewm"]],
};

function startManagers(session: keyof typeof MANAGERS, { name }: Display): Started {
  const env = { ...process.env, DISPLAY: name };
  const managers = MANAGERS[session].map(([program, ...args]) => startChild(program, args, { env }));
  return {
    async stop() {
      for (const manager of managers.reverse()) await manager.stop();
    },
  };
}

/** Wayland's compositor in a window of an X11 display, as large as that. As root it does not run. */
async function startCage(display: Display): Promise<Started> {
  const { path, remove } = userFolder();
  const { uid, gid } = ordinaryUser();
  // As the kiosk's units have it: there is no pointer but one of a single pixel that cannot be seen.
  const pointers = join(path, "pointers", "default", "cursors");
  mkdirSync(pointers, { recursive: true });
  copyFileSync(`${ROOT}/assets/kiosk/no-pointer.xcursor`, join(pointers, "left_ptr"));
  const shared = { XDG_RUNTIME_DIR: path, XCURSOR_PATH: join(path, "pointers") };
  const nested = { DISPLAY: display.name, WLR_BACKENDS: "x11", WLR_RENDERER: "pixman" };
  const env = { PATH: process.env.PATH, HOME: path, ...shared, ...nested };
  const command = ["sh", "-c", 'echo "$WAYLAND_DISPLAY" > "$HOME/socket"; exec sleep infinity'];
  const cage = startChild("sh", [`${ROOT}/assets/kiosk/compositor.sh`, ...command], { env, uid, gid });
  const socket = await eventually("cage's socket", () => line(join(path, "socket")));
  await resizeOutput(display, display);
  return {
    env: { ...shared, WAYLAND_DISPLAY: socket },
    switches: ["--ozone-platform=wayland"],
    async stop() {
      await cage.stop();
      remove();
    },
  };
}

function line(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Gives cage's window on an X11 display another size: its output has that size then. */
export async function resizeOutput(
  { name }: Pick<Display, "name">,
  { width, height }: Pick<Display, "width" | "height">,
): Promise<void> {
  const connection = await new Promise<X11Connection>((resolve) => {
    connectX11({ DISPLAY: name }, resolve, () => {});
  });
  const window = await eventually("cage's window", async () => {
    const tree = await connection.ask(treeRequest(connection.root));
    return tree === null ? undefined : treeIn(tree).children.at(-1);
  });
  // Its answer says that the request before was done.
  connection.send(request(12, [window, 0xc, width, height]));
  await connection.ask(treeRequest(connection.root));
  connection.close();
}
