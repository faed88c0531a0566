import type { Authority } from "./authority.ts";

// The few messages of the X11 core protocol that tell whether a window can be seen ("X Window System Protocol", X.Org).

/** What the server says of a window that was asked about. */
export type WindowEvent = "mapped" | "unmapped" | "covered" | "uncovered" | "gone";

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
export const MESSAGE_BYTES = 32;

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
