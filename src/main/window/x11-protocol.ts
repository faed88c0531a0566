// The few messages of the X11 core protocol that tell whether a window can be seen ("X Window System Protocol", X.Org).

/** What the server says of a window that was asked about. */
export type WindowEvent = "mapped" | "unmapped" | "gone";

/** A window's place within the one that it is in, its border included, in pixels. */
export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Wider and higher than any window that it is in. */
const LARGEST = 0x7fff_7fff;
const BACKGROUND = 0x1;
const CARDINAL = 6;
const WM_CLASS = 67;
/** Of a program, in characters; both its names are asked for. */
const LONGEST_NAME = 60;
const OPAQUE = 0xffff_ffff;
const OVERRIDE_REDIRECT = 0x200;
const EVENT_MASK = 0x800;
const WIDTH = 0x4;
const HEIGHT = 0x8;
const BORDER = 0x10;
const STACK_MODE = 0x40;
const STRUCTURE_NOTIFY = 0x2_0000;
const SUBSTRUCTURE_NOTIFY = 0x8_0000;
const PROPERTY_CHANGE = 0x40_0000;
const SUBSTRUCTURE_REDIRECT = 0x10_0000;

/** Asks to be told whenever a window is mapped, unmapped, destroyed or put into another. */
export function watchRequest(window: number): Buffer {
  return request(2, [window, EVENT_MASK, STRUCTURE_NOTIFY]);
}

/**
 * Takes a window's background away: where it comes into sight, what was there stays until it is drawn on. The server would
 * paint it in the desktop theme's colour.
 */
export function bareRequest(window: number): Buffer {
  return request(2, [window, BACKGROUND, 0]);
}

/**
 * Says that nothing of what is below a window is to be seen through it, by the name's number of `_NET_WM_WINDOW_OPACITY`: a
 * program that draws all windows may do that with those that are not the active one.
 */
export function opaqueRequest(opacity: number, window: number): Buffer {
  return request(18, [window, opacity, CARDINAL, 32, 1, OPAQUE]);
}

/** Asks to be told whenever a window that is directly in the root comes, goes, or is moved up, down or aside, or its properties change. */
export function watchRootRequest(root: number): Buffer {
  return request(2, [root, EVENT_MASK, SUBSTRUCTURE_NOTIFY | PROPERTY_CHANGE]);
}

/** Asks which window a window is in, and which are in it. */
export function treeRequest(window: number): Buffer {
  return request(15, [window]);
}

/** The answer to that: the numbers of windows, the lowest first. */
export function treeIn(answer: Buffer): { readonly parent: number; readonly children: readonly number[] } {
  const count = answer.readUInt16LE(16);
  const children = Array.from({ length: count }, (_, index) => answer.readUInt32LE(32 + 4 * index));
  return { parent: answer.readUInt32LE(12), children };
}

export function frameRequest(window: number): Buffer {
  return request(14, [window]);
}

export function frameIn(answer: Buffer): Frame {
  const border = 2 * answer.readUInt16LE(20);
  const [x, y] = [answer.readInt16LE(12), answer.readInt16LE(14)];
  return { x, y, width: answer.readUInt16LE(16) + border, height: answer.readUInt16LE(18) + border };
}

export function attributesRequest(window: number): Buffer {
  return request(3, [window]);
}

/** Whether a window draws anything, and is mapped as are all that it is in. */
export function isViewableIn(answer: Buffer): boolean {
  return answer.readUInt16LE(12) === 1 && answer[26] === 2;
}

/** Asks for a window to be mapped: a window manager brings it back from wherever it put it. */
export function mapRequest(window: number): Buffer {
  return request(8, [window]);
}

/**
 * Takes a window out of the window manager's hands, who hears that it is unmapped: it is where, and above whom, its program
 * says.
 */
export function unmanageRequests(window: number): Buffer {
  return Buffer.concat([request(2, [window, OVERRIDE_REDIRECT, 1]), request(10, [window])]);
}

/** Shows such a window at its place, as large as that, above all others, without a border that the window manager gave it. */
export function showUnmanagedRequests(window: number, root: number, { x, y, width, height }: Frame): Buffer {
  // Put directly on the root, it is there, and above all others there.
  const placed = [
    request(7, [window, root, point(x, y)]),
    request(12, [window, WIDTH | HEIGHT | BORDER, width, height, 0]),
  ];
  return Buffer.concat([...placed, mapRequest(window)]);
}

/** Two numbers of 16 bits. */
function point(x: number, y: number): number {
  return (((y & 0xffff) << 16) | (x & 0xffff)) >>> 0;
}

/** Asks which program has something that only one can have, by its name's number. */
export function ownerRequest(selection: number): Buffer {
  return request(23, [selection]);
}

/** 0 for none. */
export function ownerIn(answer: Buffer): number {
  return answer.readUInt32LE(8);
}

/** Puts a window above those beside it: a window manager is asked whether it may. */
export function raiseRequest(window: number): Buffer {
  return request(12, [window, STACK_MODE, 0]);
}

/** Asks for the number of a name that clients agree on. */
export function atomRequest(name: string): Buffer {
  return named(16, name);
}

export function atomIn(answer: Buffer): number {
  return answer.readUInt32LE(8);
}

/** Asks for the first numbers of a window's property, by its name's number. */
export function propertyRequest(window: number, property: number, count = 1): Buffer {
  return request(20, [window, property, 0, 0, count]);
}

/** Asks what the program of a window calls itself (`WM_CLASS` of the "Inter-Client Communication Conventions", X.Org). */
export function programRequest(window: number): Buffer {
  return propertyRequest(window, WM_CLASS, LONGEST_NAME / 2);
}

/** The answer to that: the name of the program, which stands behind the one of this run of it; null for none. */
export function programIn(answer: Buffer): string | null {
  const [run = "", program = ""] = answer.toString("latin1", 32, 32 + answer.readUInt32LE(16)).split("\0");
  const name = (program || run).replaceAll(/[^\x20-\x7e]/g, "").slice(0, LONGEST_NAME);
  return name === "" ? null : name;
}

/** Whether a window manager has minimized a window, by its property `WM_STATE` (Inter-Client Communication Conventions). */
export function isMinimizedIn(answer: Buffer): boolean {
  return answer.readUInt32LE(16) > 0 && answer.readUInt32LE(32) === 3;
}

/** Whether somebody has changed to another console, by the property `XFree86_has_VT` that Xorg gives its root. */
export function isAwayIn(answer: Buffer): boolean {
  return answer.readUInt32LE(16) > 0 && answer.readUInt32LE(32) === 0;
}

/**
 * Tells the window manager that a window is to be the active one, as a pager does, whom it obeys (`_NET_ACTIVE_WINDOW` of
 * the Extended Window Manager Hints): a full-screen window that is active lies above all that are to stay on top.
 */
export function activateRequest(activeWindow: number, root: number, window: number): Buffer {
  const event = Buffer.alloc(32);
  event.set([33, 32]);
  event.writeUInt32LE(window, 4);
  event.writeUInt32LE(activeWindow, 8);
  event.writeUInt32LE(AS_PAGER, 12);
  const head = request(25, [root, SUBSTRUCTURE_REDIRECT | SUBSTRUCTURE_NOTIFY]);
  head.writeUInt16LE((head.length + event.length) / 4, 2);
  return Buffer.concat([head, event]);
}

const AS_PAGER = 2;

/**
 * Keeps the picture in a window as it is, whatever is drawn there, by a window `still` of its own size within it. That has
 * no background, so the server leaves what was there, and nobody draws on it.
 */
export function freezeRequests(still: number, window: number): Buffer {
  return Buffer.concat([request(1, [still, window, 0, LARGEST, 0, 0, BACKGROUND, 0]), request(8, [still])]);
}

/** Takes it away again; the picture stays until the window, which has no background either, is drawn on. */
export function thawRequest(still: number): Buffer {
  return request(4, [still]);
}

/** Asks for an extension: by the answer it is there, and has a code for its requests, and one for its events. */
export function extensionRequest(name: string): Buffer {
  return named(98, name);
}

export function extensionIn(answer: Buffer): { readonly code: number; readonly events: number } | null {
  const [kind, present, code = 0, events = 0] = [answer[0], answer[8], answer[9], answer[10]];
  return kind === 1 && present === 1 ? { code, events } : null;
}

/**
 * Has the pointer hidden for as long as it is over a window and this connection lasts (XFIXES 4): pages bring frames of
 * their own, and what these do about their pointer is theirs. Empty where a message is not the answer, or the extension
 * is not there.
 */
export function hideRequests(message: Buffer, window: number): Buffer {
  const extension = extensionIn(message);
  if (extension === null) return Buffer.alloc(0);
  return Buffer.concat([request(extension.code, [4, 0]), request(extension.code, [window], 29)]);
}

/** What an event says of a window; null where it says nothing of it. */
export function windowEventIn(event: Buffer, window: number): WindowEvent | null {
  const kind = (event[0] ?? 0) & 0x7f;
  if (event.readUInt32LE(8) !== window) return null;
  if (kind === 17) return "gone";
  if (kind === 18) return "unmapped";
  return kind === 19 ? "mapped" : null;
}

/** A request of so many numbers; those of an extension have its code, and a kind of their own. */
export function request(code: number, values: readonly number[], kind = 0): Buffer {
  const message = Buffer.alloc(4 + 4 * values.length);
  message.set([code, kind]);
  message.writeUInt16LE(1 + values.length, 2);
  values.forEach((value, index) => {
    message.writeUInt32LE(value, 4 + 4 * index);
  });
  return message;
}

/** A request with a name and nothing else. */
function named(code: number, name: string): Buffer {
  const text = padded(Buffer.from(name, "latin1"));
  const head = request(code, [name.length]);
  head.writeUInt16LE(2 + text.length / 4, 2);
  return Buffer.concat([head, text]);
}

/** As long as the protocol has it: four bytes, or so many times that. */
export function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
