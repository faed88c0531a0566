import { describe, expect, it } from "vitest";
import {
  activateRequest,
  atomRequest,
  authorityIn,
  bareRequest,
  extensionRequest,
  freezeRequests,
  hideRequests,
  mapRequest,
  NO_AUTHORITY,
  ownNumber,
  setupLength,
  setupRequest,
  thawRequest,
  watchRequest,
  windowEventIn,
} from "../../../src/main/window/x11-protocol.ts";

const WINDOW = 0x20_0003;

/** An event of 32 bytes with its window where its kind has it. */
function event(kind: number, window = WINDOW): Buffer {
  const message = Buffer.alloc(32);
  message[0] = kind;
  message.writeUInt32LE(window, 8);
  return message;
}

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

describe("the X server's messages", () => {
  it.each([
    ["unmapped", event(18)],
    ["mapped", event(19)],
    ["gone", event(17)],
    ["unmapped", event(18 | 0x80)],
    [null, event(18, 5)],
    [null, event(22)],
  ])("say %s", (what, message) => {
    expect(windowEventIn(message, WINDOW)).toBe(what);
  });

  it("are asked for as the protocol has it", () => {
    expect(watchRequest(WINDOW).toString("hex")).toBe("0200040003002000".concat("00080000", "00000200"));
    expect(mapRequest(WINDOW).toString("hex")).toBe("0800020003002000");
    expect(setupRequest({ name: "abc", secret: Buffer.from([1]) }).toString("hex")).toBe(
      "6c000b0000000300010000006162630001000000",
    );
  });

  it("hide the pointer where the server can, by the number that it gave to that extension", () => {
    const answer = Buffer.alloc(32);
    answer.set([1, 0, 0, 0, 0, 0, 0, 0, 1, 138]);
    expect(extensionRequest("XFIXES").toString("hex")).toBe("620004000600000058464958455300".concat("00"));
    expect(hideRequests(answer, WINDOW).toString("hex")).toBe("8a0003000400000000000000".concat("8a1d020003002000"));
    answer[8] = 0;
    expect(hideRequests(answer, WINDOW)).toHaveLength(0);
  });

  it("keep the picture in a window still by one within it that has no background, and let go of it again", () => {
    const still = 0x40_0000;
    expect(freezeRequests(still, WINDOW).toString("hex")).toBe(
      "01000900000040000300200000000000".concat("ff7fff7f00000000000000000100000000000000", "0800020000004000"),
    );
    expect(thawRequest(still).toString("hex")).toBe("0400020000004000");
  });

  it("take a window's background away", () => {
    expect(bareRequest(WINDOW).toString("hex")).toBe("02000400030020000100000000000000");
  });

  it("have a window manager make a window the active one, as a pager does", () => {
    expect(atomRequest("_NET").toString("hex")).toBe("1000030004000000".concat("5f4e4554"));
    expect(activateRequest(0x99, 0x50, WINDOW).toString("hex")).toBe(
      "19000b005000000000001800".concat("212000000300200099000000", "02000000", "00".repeat(16)),
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
