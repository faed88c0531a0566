/** What an X server asks of a client before it lets it in. */
export interface Authority {
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
