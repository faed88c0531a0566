import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { localDisplay, screenIn, socketOf } from "../../player/display.ts";
import { atomIn, atomRequest, extensionIn, extensionRequest } from "./x11-protocol.ts";
import {
  type Authority,
  authorityIn,
  NO_AUTHORITY,
  numberMaskIn,
  ownNumber,
  rootIn,
  setupLength,
  setupRequest,
} from "./x11-setup.ts";

/** A connection of our own to this machine's X server, beside Chromium's. */
export interface X11Connection {
  /** The number that this connection may give to a window it makes. */
  readonly ownNumber: number;
  /** The number of the screen that `DISPLAY` names: an X server may have several, each with windows of its own. */
  readonly screen: number;
  /** The window that all others of that screen are in. */
  readonly root: number;
  /** Whether the same client made both windows. */
  isSameClient(one: number, other: number): boolean;
  /** Sends requests that have no answer. */
  send(requests: Buffer): void;
  /** Sends one request; resolves with its answer, or null where the server refuses it or is gone. */
  ask(request: Buffer): Promise<Buffer | null>;
  /** The number that the server has for a name, which it is asked for once; null where it is gone. */
  atom(name: string): Promise<number | null>;
  /** The codes of an extension's requests and events; null where there is none of that name. */
  extension(name: string): Promise<{ readonly code: number; readonly events: number } | null>;
  close(): void;
}

/** No answer that is asked for is longer; a server that sends more without sense is let go. */
const MOST_BYTES = 1024 * 1024;

/** Answers and events have this size at least; an answer says by how much it is longer. */
const MESSAGE_BYTES = 32;

const ERROR = 0;
const ANSWER = 1;

/**
 * Connects to the X server of `DISPLAY`; `onOpen` hears when it lets us in, `onEvent` of each event of 32 bytes. Returns
 * how to give up, or null where the display is not this machine's. Without an X server nothing is ever heard.
 */
export function connectX11(
  env: Readonly<Record<string, string | undefined>>,
  onOpen: (connection: X11Connection) => void,
  onEvent: (event: Buffer) => void,
): (() => void) | null {
  const display = localDisplay(env.DISPLAY ?? "");
  if (typeof display !== "number") return null;
  const screen = screenIn(env.DISPLAY ?? "");
  const [inFolder, abstract] = socketsOf(display);
  const socket = connect(existsSync(inFolder) ? inFolder : abstract);
  const waiting = new Map<number, (answer: Buffer | null) => void>();
  let received = Buffer.alloc(0);
  let isOpen = false;
  let sent = 0;

  const send = (requests: Buffer) => {
    if (socket.destroyed) return;
    sent += countOf(requests);
    socket.write(requests);
  };
  const ask = (request: Buffer) =>
    new Promise<Buffer | null>((resolve) => {
      if (socket.destroyed) return resolve(null);
      send(request);
      waiting.set(sent & 0xffff, resolve);
    });
  const atoms = new Map<string, number>();
  const atom = async (name: string) => {
    const known = atoms.get(name);
    if (known !== undefined) return known;
    const answer = await ask(atomRequest(name));
    if (answer === null) return null;
    atoms.set(name, atomIn(answer));
    return atomIn(answer);
  };
  const extension = async (name: string) => {
    const answer = await ask(extensionRequest(name));
    return answer && extensionIn(answer);
  };
  const settle = (sequence: number, answer: Buffer | null) => {
    waiting.get(sequence)?.(answer);
    waiting.delete(sequence);
  };

  const begin = (): boolean => {
    const sizeBytes = setupLength(received);
    // What is seen is then left to Electron to tell.
    if (sizeBytes === "refused") socket.destroy();
    if (typeof sizeBytes === "string" || received.length < sizeBytes) return false;
    const setup = received.subarray(0, sizeBytes);
    received = received.subarray(sizeBytes);
    isOpen = true;
    const ownBits = ~numberMaskIn(setup);
    const isSameClient = (one: number, other: number) => (one & ownBits) === (other & ownBits);
    const told = { ownNumber: ownNumber(setup), screen, root: rootIn(setup, screen) };
    onOpen({ ...told, isSameClient, send, ask, atom, extension, close: () => socket.destroy() });
    return true;
  };

  const read = () => {
    if (!isOpen && !begin()) return;
    while (received.length >= MESSAGE_BYTES) {
      const kind = received[0] ?? ERROR;
      const sizeBytes = MESSAGE_BYTES + (kind === ANSWER ? 4 * received.readUInt32LE(4) : 0);
      if (received.length < sizeBytes) return;
      const message = received.subarray(0, sizeBytes);
      received = received.subarray(sizeBytes);
      if (kind > ANSWER) onEvent(message);
      else settle(message.readUInt16LE(2), kind === ANSWER ? message : null);
    }
  };

  socket.on("connect", () => socket.write(setupRequest(authorityFor(display, env))));
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    if (received.length > MOST_BYTES) socket.destroy();
    else read();
  });
  // A server that is gone takes the player with it; one that cannot be reached is as good as none.
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    for (const sequence of [...waiting.keys()]) settle(sequence, null);
  });
  socket.unref();
  return () => socket.destroy();
}

/** A server's socket lies in a folder or, abstract, nowhere but in the kernel. */
function socketsOf(display: number): readonly [inFolder: string, abstract: string] {
  return [socketOf(display), `\0${socketOf(display)}`];
}

/** What lets this user in at a display of this machine. */
function authorityFor(display: number, env: Readonly<Record<string, string | undefined>>): Authority {
  try {
    return authorityIn(readFileSync(env.XAUTHORITY ?? join(homedir(), ".Xauthority")), display, hostname());
  } catch {
    return NO_AUTHORITY;
  }
}

/** How many requests there are one after the other: the server counts them, and answers by that number. */
function countOf(requests: Buffer): number {
  let count = 0;
  for (let at = 0; at < requests.length; at += 4 * requests.readUInt16LE(at + 2)) count++;
  return count;
}

/** As long as the unit waits for a display before it starts the player. */
const ANSWERS_WITHIN_MS = 60_000;
/** A server that is being started, or does not let this user in yet, is asked again. */
const AGAIN_MS = 500;

/**
 * Whether this machine's X server lets clients in, as soon as it does, or after a minute in which it did not. Chromium ends
 * the process where it does not, which would look like a crash. Another machine's display, and Wayland, are not waited for.
 */
export async function displayAnswers(
  env: Readonly<Record<string, string | undefined>>,
  withinMs = ANSWERS_WITHIN_MS,
): Promise<boolean> {
  const display = localDisplay(env.DISPLAY ?? "");
  if (process.platform !== "linux" || env.WAYLAND_DISPLAY || typeof display !== "number") return true;
  const until = performance.now() + withinMs;
  for (;;) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    for (const path of socketsOf(display)) {
      if (await letsIn(path, setupRequest(authorityFor(display, env)), leftMs)) return true;
    }
    await sleep(Math.min(AGAIN_MS, leftMs));
  }
}

/** Asks once, and waits for the answer for so long. */
function letsIn(path: string, request: Buffer, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect(path, () => socket.write(request));
    const end = (isIn: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isIn);
    };
    const timer = setTimeout(end, withinMs, false);
    socket.on("error", () => end(false));
    socket.on("close", () => end(false));
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const sizeBytes = setupLength(received);
      if (sizeBytes !== "awaited") end(sizeBytes !== "refused");
    });
  });
}
