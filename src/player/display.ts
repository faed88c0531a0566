import { existsSync, readFileSync } from "node:fs";
import type { Environment } from "./config/environment.ts";

/** What tells whether there is a display to open windows on. */
export interface DisplayFacts {
  /** As Node names it: `linux`, `win32`. */
  readonly platform: string;
  /** `DISPLAY` and `WAYLAND_DISPLAY` of the environment; empty is as good as none. */
  readonly x11: string | undefined;
  readonly wayland: string | undefined;
  /** Whether an X server of this number can be reached on this machine. */
  readonly isServed: (number: number) => boolean;
}

/**
 * Why there is no display, in words that follow "spotloop: ", or null where there is one, or it cannot be told from here: on
 * another system, under Wayland, on another machine.
 */
export function displayTrouble({ platform, x11, wayland, isServed }: DisplayFacts): string | null {
  if (platform !== "linux" || wayland) return null;
  if (!x11) return "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set";
  const number = localDisplay(x11);
  if (number === "elsewhere") return null;
  return number !== null && isServed(number) ? null : `there is no display ${x11}`;
}

/**
 * Whether a process with these arguments opens its windows under Wayland rather than X11: by `--ozone-platform`, as the
 * unit and every script here say it, or else as Chromium chooses from version 140 on, by the session.
 */
export function isWayland(env: Environment, argv: readonly string[], platform = process.platform): boolean {
  if (platform !== "linux") return false;
  const names = argv.flatMap((argument) => /^--ozone-platform=(.*)$/.exec(argument)?.[1] ?? []);
  // Of several Chromium, too, goes by the last.
  const said = names.at(-1);
  return said === undefined ? env.XDG_SESSION_TYPE === "wayland" && Boolean(env.WAYLAND_DISPLAY) : said === "wayland";
}

/** Whether this is a session of GNOME, under X11 or Wayland (Desktop Entry Specification, `XDG_CURRENT_DESKTOP`). */
export function isGnome({ XDG_CURRENT_DESKTOP: names = "" }: Environment): boolean {
  return names.split(":").includes("GNOME");
}

/** The number of an X display of this machine, as in `:0`, `:0.1` and `unix:0`; null where the name is none (X(7)). */
export function localDisplay(name: string): number | "elsewhere" | null {
  const [, host = "", number = ""] = /^(.*):(\d{1,5})(?:\.\d+)?$/.exec(name) ?? [];
  // A socket by its whole path is a name, too.
  if (number === "") return name.startsWith("/") ? "elsewhere" : null;
  return host === "" || host === "unix" ? Number(number) : "elsewhere";
}

/** The number of the server's screen that a display's name says, as 1 in `:0.1`; 0 where it says none (X(7)). */
export function screenIn(name: string): number {
  return Number(/:\d+\.(\d+)$/.exec(name)?.[1] ?? 0);
}

/** The socket of an X server of this machine. */
export function socketOf(display: number): string {
  return `/tmp/.X11-unix/X${display}`;
}

/** Why this process has no display to open windows on, or null. Asks no server, and so waits for none. */
export function displayTroubleHere(env: Environment): string | null {
  const { DISPLAY: x11, WAYLAND_DISPLAY: wayland } = env;
  return displayTrouble({ platform: process.platform, x11, wayland, isServed });
}

/** By its socket, which lies in a folder or, as abstract sockets do, nowhere but in the kernel's list. */
function isServed(number: number): boolean {
  const path = socketOf(number);
  return existsSync(path) || abstractSockets().includes(`@${path}`);
}

function abstractSockets(): readonly string[] {
  try {
    return readFileSync("/proc/net/unix", "utf8").split(/\s+/);
  } catch {
    return [];
  }
}
