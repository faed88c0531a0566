import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { localDisplay, socketOf } from "../../player/display.ts";

/** A window that is watched from outside of Electron, and that no pointer is shown over. */
export interface WindowWatch {
  /** Has a window that was unmapped mapped again. */
  map(): void;
  /** Keeps what is to be seen of it as it is, whatever happens to what draws it, until it is thawed. */
  freeze(): void;
  thaw(): void;
  readonly frozen: boolean;
  /** Resolves when it is not frozen. */
  readonly thawed: Promise<void>;
  close(): void;
}

/** Nothing that was asked for is longer; a server that sends more than this without sense is let go. */
const MOST_BYTES = 1024 * 1024;

/**
 * Hides the pointer over a window, and hears from the X server itself when the window is unmapped, mapped, covered or
 * uncovered by whomever: Electron says nothing of what was not its own doing. `null` where this machine's display is not
 * an X server's.
 */
export function watchWindow(
  window: number,
  env: Readonly<Record<string, string | undefined>>,
  onEvent: (event: WindowEvent) => void,
): WindowWatch | null {
  const display = localDisplay(env.DISPLAY ?? "");
  if (typeof display !== "number") return null;
  const socket = connect(socketOf(display));
  let received = Buffer.alloc(0);
  let open = false;
  let still = 0;
  let frozen = false;
  let thawed = Promise.resolve();
  let onThawed = () => {};

  const take = (sizeBytes: number): Buffer => {
    const taken = received.subarray(0, sizeBytes);
    received = received.subarray(sizeBytes);
    return taken;
  };

  // The first answer is about the extension; a later one is about its version.
  let asked = false;
  const hide = (message: Buffer) => {
    const requests = hideRequests(message, window);
    asked = requests.length > 0;
    socket.write(requests);
  };

  const read = () => {
    if (!open) {
      const sizeBytes = setupLength(received);
      // What is seen is then left to Electron to tell.
      if (sizeBytes === "refused") socket.destroy();
      if (typeof sizeBytes === "string" || received.length < sizeBytes) return;
      still = ownNumber(take(sizeBytes));
      open = true;
      socket.write(Buffer.concat([watchRequest(window), extensionRequest()]));
    }
    while (received.length >= MESSAGE_BYTES) {
      const message = take(MESSAGE_BYTES);
      const event = windowEventIn(message, window);
      if (event !== null) onEvent(event);
      if (!asked) hide(message);
    }
  };

  socket.on("connect", () => socket.write(setupRequest(authorityFor(Number(display), env))));
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    if (received.length > MOST_BYTES) socket.destroy();
    else read();
  });
  // A server that is gone takes the player with it; one that cannot be reached is as good as none.
  socket.on("error", () => socket.destroy());
  socket.unref();
  const send = (requests: Buffer) => {
    if (open && !socket.destroyed) socket.write(requests);
  };
  return {
    map: () => send(mapRequest(window)),
    freeze() {
      if (frozen) return;
      frozen = true;
      thawed = new Promise((resolve) => {
        onThawed = resolve;
      });
      send(freezeRequests(still, window));
    },
    thaw() {
      if (!frozen) return;
      frozen = false;
      send(thawRequests(still, window));
      onThawed();
    },
    get frozen() {
      return frozen;
    },
    get thawed() {
      return thawed;
    },
    close: () => socket.destroy(),
  };
}

/** What lets this user in at a display of this machine. */
export function authorityFor(display: number, env: Readonly<Record<string, string | undefined>>): Authority {
  try {
    return authorityIn(readFileSync(env.XAUTHORITY ?? join(homedir(), ".Xauthority")), display);
  } catch {
    return NO_AUTHORITY;
  }
}

// The few messages of the X11 core protocol that tell whether a window can be seen ("X Window System Protocol", X.Org).

/** What the server says of a window that was asked about. */
type WindowEvent = "mapped" | "unmapped" | "covered" | "uncovered" | "gone";

/** Wider and higher than any window that it is in. */
const LARGEST = 0x7fff_7fff;
const BACKGROUND = 0x1;
const EVENT_MASK = 0x800;
const VISIBILITY_CHANGE = 0x1_0000;
const STRUCTURE_NOTIFY = 0x2_0000;

/** Opens a connection; little-endian from here on. */
export function setupRequest({ name, secret }: Authority): Buffer {
  const head = Buffer.alloc(12);
  head.write("l", "latin1");
  head.writeUInt16LE(11, 2);
  head.writeUInt16LE(name.length, 6);
  head.writeUInt16LE(secret.length, 8);
  return Buffer.concat([head, padded(Buffer.from(name, "latin1")), padded(secret)]);
}

/** The length of the server's answer to it; "awaited" while too little of it is there, "refused" when it lets nobody in. */
export function setupLength(received: Buffer): number | "awaited" | "refused" {
  if (received.length < 8) return "awaited";
  return received[0] === 1 ? 8 + 4 * received.readUInt16LE(6) : "refused";
}

/** The number that this connection may give to something it makes, by the server's answer. */
export function ownNumber(setup: Buffer): number {
  return setup.readUInt32LE(12);
}

/** Asks to be told whenever a window is mapped, unmapped, covered or uncovered. */
export function watchRequest(window: number): Buffer {
  return request(2, [window, EVENT_MASK, VISIBILITY_CHANGE | STRUCTURE_NOTIFY]);
}

/** Asks for a window to be mapped: a window manager brings it back from wherever it put it. */
export function mapRequest(window: number): Buffer {
  return request(8, [window]);
}

/**
 * Keeps the picture in a window as it is, whatever is drawn there, by a window `still` of its own size within it. That has
 * no background, so the server leaves what was there, and nobody draws on it.
 */
export function freezeRequests(still: number, window: number): Buffer {
  return Buffer.concat([request(1, [still, window, 0, LARGEST, 0, 0, BACKGROUND, 0]), request(8, [still])]);
}

/** Takes it away again; the picture stays until the window is drawn on. */
export function thawRequests(still: number, window: number): Buffer {
  return Buffer.concat([request(2, [window, BACKGROUND, 0]), request(4, [still])]);
}

/** Asks for the extension that hides pointers; its answer is what `hideRequests` are made from. */
export function extensionRequest(): Buffer {
  const name = padded(Buffer.from("XFIXES", "latin1"));
  const head = request(98, []);
  head.writeUInt16LE(2 + name.length / 4, 2);
  return Buffer.concat([head, Buffer.from([6, 0, 0, 0]), name]);
}

/**
 * Has the pointer hidden for as long as it is over a window and this connection lasts (XFIXES 4): pages bring frames of
 * their own, and what these do about their pointer is theirs. Empty where a message is not the answer, or the extension
 * is not there.
 */
export function hideRequests(message: Buffer, window: number): Buffer {
  const [kind, present, opcode = 0] = [message[0], message[8], message[9]];
  if (kind !== 1 || present !== 1) return Buffer.alloc(0);
  const version = request(opcode, [4, 0]);
  const hide = request(opcode, [window]);
  hide[1] = 29;
  return Buffer.concat([version, hide]);
}

/** Every message is of this size at least, and those that were asked for are of no other. */
const MESSAGE_BYTES = 32;

/** What a message says of a window; null where it says nothing of it. */
export function windowEventIn(message: Buffer, window: number): WindowEvent | null {
  const kind = (message[0] ?? 0) & 0x7f;
  if (kind === 0) return "gone";
  if (kind === 15 && message.readUInt32LE(4) === window) return message[8] === 2 ? "covered" : "uncovered";
  if (message.readUInt32LE(8) !== window) return null;
  if (kind === 17) return "gone";
  if (kind === 18) return "unmapped";
  return kind === 19 ? "mapped" : null;
}

function request(code: number, values: readonly number[]): Buffer {
  const message = Buffer.alloc(4 + 4 * values.length);
  message[0] = code;
  message.writeUInt16LE(1 + values.length, 2);
  values.forEach((value, index) => {
    message.writeUInt32LE(value, 4 + 4 * index);
  });
  return message;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

/** What an X server asks of a client before it lets it in. */
interface Authority {
  readonly name: string;
  readonly secret: Buffer;
}

/** A server that asks for nothing, such as one started for tests. */
export const NO_AUTHORITY: Authority = { name: "", secret: Buffer.alloc(0) };

const COOKIE = "MIT-MAGIC-COOKIE-1";

/** The cookie for a display's number in an Xauthority file (Xsecurity(7)): big-endian fields, each with its length. */
export function authorityIn(file: Buffer, display: number): Authority {
  try {
    for (let at = 0; at < file.length; ) {
      const fields: Buffer[] = [];
      // The address family comes first: where the server is, which is this machine.
      at += 2;
      for (let field = 0; field < 4; field++) {
        const end = at + 2 + file.readUInt16BE(at);
        fields.push(file.subarray(at + 2, end));
        at = end;
      }
      const [, number = "", name = "", secret = Buffer.alloc(0)] = fields;
      const fits = number.length === 0 || number.toString() === String(display);
      if (fits && name.toString() === COOKIE) return { name: COOKIE, secret };
    }
  } catch (error) {
    // A file that ends too early holds no more.
    if (!(error instanceof RangeError)) throw error;
  }
  return NO_AUTHORITY;
}
