import { connectX11, type X11Connection } from "../../../src/main/window/x11-connection.ts";
import { extensionIn, extensionRequest, request } from "../../../src/main/window/x11-protocol.ts";

/** Hears whenever anything is drawn on a display. */
export interface DrawingWatch {
  /** When what was grabbed at `at`, after another frame at `before`, came in sight; `at` where that was not heard. */
  since(before: number, at: number): number;
  close(): void;
}

/** A frame is grabbed so soon after its stamp. */
const GRABBED_WITHIN_MS = 10;
/** Longer than a frame is on its way to us. */
const KEPT_MS = 10_000;

/** Requests of the extension, by their kinds ("The DAMAGE Extension", X.Org). */
const [QUERY_VERSION, CREATE] = [0, 1];
/** To be told of each drawing as it is made. */
const RAW = 0;

/**
 * Watches an X11 display or, as in `:99+960,0`, what of it lies from there on. The server stamps each drawing with the
 * monotonic clock, which `now` tells, to a millisecond: so it is known when a frame came in sight, however late it was grabbed.
 */
export function watchDrawing(display: string, now: () => number): DrawingWatch {
  const [, name = display, left = "0", top = "0"] = /^(.*)\+(\d+),(\d+)$/.exec(display) ?? [];
  const drawn: number[] = [];
  let told = Number.NaN;
  const begin = async ({ root, ownNumber, send, ask }: X11Connection) => {
    const answer = await ask(extensionRequest("DAMAGE"));
    const extension = answer && extensionIn(answer);
    if (!extension) return;
    await ask(request(extension.code, [1, 1], QUERY_VERSION));
    told = extension.events;
    send(request(extension.code, [ownNumber, root, RAW], CREATE));
  };
  const onEvent = (event: Buffer) => {
    if (((event[0] ?? 0) & 0x7f) !== told) return;
    const right = event.readInt16LE(16) + event.readUInt16LE(20);
    const bottom = event.readInt16LE(18) + event.readUInt16LE(22);
    if (right <= Number(left) || bottom <= Number(top)) return;
    const heardAt = Math.floor(now());
    // Of its clock the server tells the lower 32 bits.
    drawn.push(heardAt - ((heardAt - event.readUInt32LE(12)) >>> 0));
    while ((drawn[0] ?? heardAt) < heardAt - KEPT_MS) drawn.shift();
  };
  const close = connectX11({ ...process.env, DISPLAY: name }, (connection) => void begin(connection), onEvent);
  return { since: (before, at) => sinceIn(drawn, before, at), close: () => close?.() };
}

/** The last drawing before the grab, or else the first one that may have come in before it was made. */
export function sinceIn(drawn: readonly number[], before: number, at: number): number {
  const within = drawn.filter((instant) => instant > before && instant <= at + GRABBED_WITHIN_MS);
  return within.findLast((instant) => instant <= at) ?? within[0] ?? at;
}
