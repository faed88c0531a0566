import { padded } from "./x11-protocol.ts";

// How a connection to an X server begins ("X Window System Protocol", 8; Xsecurity(7)).

/** What an X server asks of a client before it lets it in. */
export interface Authority {
  readonly name: string;
  readonly secret: Buffer;
}

/** A server that asks for nothing, such as one started for tests. */
export const NO_AUTHORITY: Authority = { name: "", secret: Buffer.alloc(0) };

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

/** The number of the window that all others of a screen are in, by the server's answer; a screen that it lacks has the last's. */
export function rootIn(setup: Buffer, screen: number): number {
  const vendorBytes = 4 * Math.ceil(setup.readUInt16LE(24) / 4);
  const [screens = 1, formats = 0] = setup.subarray(28);
  let at = 40 + vendorBytes + 8 * formats;
  for (let left = Math.min(screen, screens - 1); left > 0; left--) at = endOfScreen(setup, at);
  return setup.readUInt32LE(at);
}

/** After a screen come its depths, and after each of these its kinds of pixels. */
function endOfScreen(setup: Buffer, begin: number): number {
  let at = begin + 40;
  for (let left = setup[begin + 39] ?? 0; left > 0; left--) at += 8 + 24 * setup.readUInt16LE(at + 2);
  return at;
}

/** The bits in which the numbers of one client's windows differ; the others are its own. */
export function numberMaskIn(setup: Buffer): number {
  return setup.readUInt32LE(16);
}

const COOKIE = "MIT-MAGIC-COOKIE-1";

/** Families of addresses: this machine by its name, and any machine. */
const LOCAL = 0x0100;
const WILD = 0xffff;

/**
 * The cookie for a display's number in an Xauthority file (Xsecurity(7)): big-endian fields, each with its length. One for
 * this machine, by its name, goes before others: what was written under a name that the machine no longer has stays there.
 */
export function authorityIn(file: Buffer, display: number, host: string): Authority {
  let found = NO_AUTHORITY;
  try {
    for (let at = 0; at < file.length; ) {
      const family = file.readUInt16BE(at);
      const fields: Buffer[] = [];
      at += 2;
      for (let field = 0; field < 4; field++) {
        const end = at + 2 + file.readUInt16BE(at);
        fields.push(file.subarray(at + 2, end));
        at = end;
      }
      const [address = "", number = "", name = "", secret = Buffer.alloc(0)] = fields;
      const fits = number.length === 0 || number.toString() === String(display);
      if (!fits || name.toString() !== COOKIE) continue;
      const authority = { name: COOKIE, secret };
      if (family === WILD || (family === LOCAL && address.toString() === host)) return authority;
      if (found === NO_AUTHORITY) found = authority;
    }
  } catch (error) {
    // A file that ends too early holds no more.
    if (!(error instanceof RangeError)) throw error;
  }
  return found;
}
