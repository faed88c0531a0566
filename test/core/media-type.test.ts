import { describe, expect, it } from "vitest";
import { startsLike } from "../../src/core/media-type.ts";

const bytes = (latin1: string) => Buffer.from(latin1, "latin1");
const heads = {
  "video/mp4": bytes("\0\0\0\x20ftypisom"),
  "video/webm": bytes("\x1a\x45\xdf\xa3\x01"),
  "image/jpeg": bytes("\xff\xd8\xff\xe0"),
  "image/png": bytes("\x89PNG\r\n\x1a\n"),
  "image/webp": bytes("RIFF\x10\0\0\0WEBPVP8 "),
  "text/html": bytes("<!doctype html>"),
};

describe("the first bytes of a file", () => {
  it.each(Object.entries(heads))("are recognised as %s and as nothing else", (type, head) => {
    const taken = Object.keys(heads).filter((promised) => startsLike(promised, head));
    expect(taken).toEqual([type]);
  });

  it("are not taken for a picture when they are an error page", () => {
    expect(startsLike("image/png", bytes("<html><body>404"))).toBe(false);
  });

  it("are nothing when there are none", () => {
    expect(startsLike("video/mp4", bytes(""))).toBe(false);
  });
});
