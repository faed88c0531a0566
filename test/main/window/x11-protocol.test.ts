import { describe, expect, it } from "vitest";
import {
  activateRequest,
  atomRequest,
  bareRequest,
  extensionRequest,
  freezeRequests,
  hideRequests,
  mapRequest,
  opaqueRequest,
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

  it("say that nothing is to be seen through a window", () => {
    expect(opaqueRequest(0x99, WINDOW).toString("hex")).toBe(
      "120007000300200099000000".concat("06000000", "20000000", "01000000", "ffffffff"),
    );
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
});
