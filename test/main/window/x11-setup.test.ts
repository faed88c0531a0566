import { describe, expect, it } from "vitest";
import { authorityIn, NO_AUTHORITY, ownNumber, setupLength, setupRequest } from "../../../src/main/window/x11-setup.ts";

/** Families of addresses in an Xauthority file. */
const LOCAL = 0x0100;
const WILD = 0xffff;

function entry(display: string, name: string, secret: string, host = "host", family = LOCAL): Buffer {
  const fields = [host, display, name, secret].map((text) => {
    const bytes = Buffer.from(text);
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
  });
  return Buffer.concat([Buffer.from([family >> 8, family & 255]), ...fields]);
}

describe("the messages by which a connection to an X server begins", () => {
  it("are asked for as the protocol has it", () => {
    expect(setupRequest({ name: "abc", secret: Buffer.from([1]) }).toString("hex")).toBe(
      "6c000b0000000300010000006162630001000000",
    );
  });

  it("give out the numbers of what a client makes", () => {
    const setup = Buffer.alloc(40);
    setup.writeUInt32LE(0x40_0000, 12);
    expect(ownNumber(setup)).toBe(0x40_0000);
  });

  it("begin with an answer of its own length, or none", () => {
    expect(setupLength(Buffer.from([1, 0, 11, 0]))).toBe("awaited");
    expect(setupLength(Buffer.from([1, 0, 11, 0, 0, 0, 2, 0]))).toBe(16);
    expect(setupLength(Buffer.from([0, 0, 11, 0, 0, 0, 2, 0]))).toBe("refused");
  });
});

describe("an Xauthority file", () => {
  const cookie = "MIT-MAGIC-COOKIE-1";

  it("gives the cookie of a display, or one that is for all", () => {
    const file = Buffer.concat([entry("1", "OTHER", "a"), entry("1", cookie, "b"), entry("", cookie, "c")]);
    expect(authorityIn(file, 1, "host")).toEqual({ name: cookie, secret: Buffer.from("b") });
    expect(authorityIn(file, 2, "host")).toEqual({ name: cookie, secret: Buffer.from("c") });
  });

  it.each([
    ["this machine's own", entry("1", cookie, "own", "kiosk-7")],
    ["that of any machine", entry("1", cookie, "own", "", WILD)],
  ])("gives %s, though one is left from when the machine had another name", (_, own) => {
    const file = Buffer.concat([entry("1", cookie, "old", "master-image"), own]);
    expect(authorityIn(file, 1, "kiosk-7").secret.toString()).toBe("own");
  });

  it("gives one of another name where there is no other", () => {
    expect(authorityIn(entry("1", cookie, "old", "master-image"), 1, "kiosk-7").secret.toString()).toBe("old");
  });

  it.each([
    ["empty", Buffer.alloc(0)],
    ["of another display", entry("7", cookie, "a")],
    ["cut off", entry("1", cookie, "a").subarray(0, 9)],
  ])("gives none when it is %s", (_, file) => {
    expect(authorityIn(file, 1, "host")).toEqual(NO_AUTHORITY);
  });
});
