import { describe, expect, it } from "vitest";
import { startsLike } from "../../../src/core/media/media-type.ts";

const bytes = (latin1: string) => Buffer.from(latin1, "latin1");
const heads = {
  "video/mp4": bytes("\0\0\0\x20ftypisom"),
  "video/webm": bytes("\x1a\x45\xdf\xa3\x01"),
  "image/jpeg": bytes("\xff\xd8\xff\xe0"),
  "image/png": bytes("\x89PNG\r\n\x1a\n"),
  "image/webp": bytes("RIFF\x10\0\0\0WEBPVP8 "),
  "image/gif": bytes("GIF89a\x01\0\x01\0"),
  "image/avif": bytes("\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf"),
  "text/html": bytes("<!doctype html>"),
};

describe("the first bytes of a file", () => {
  it.each(Object.entries(heads))("are recognised as %s and as nothing else", (type, head) => {
    const taken = Object.keys(heads).filter((promised) => startsLike(promised, head));
    expect(taken).toEqual([type]);
  });

  it.each([
    ["image/jpg", heads["image/jpeg"]],
    ["image/apng", heads["image/png"]],
    ["image/gif", bytes("GIF87a\x01\0\x01\0")],
    ["image/avif", bytes("\0\0\0\x20ftypavis\0\0\0\0avismsf1iso8mif1")],
    ["image/avif", bytes("\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf")],
    ["video/mp4", bytes("\0\0\0\x18ftypmp42\0\0\0\0mp42isommif1")],
  ])("are recognised as %s by another name or brand", (type, head) => {
    expect(startsLike(type, head)).toBe(true);
  });

  it("are no AVIF and no clip when they are HEIC, which is not decoded", () => {
    const heic = bytes("\0\0\0\x18ftypmif1\0\0\0\0mif1heic");
    expect(["image/avif", "video/mp4", "image/jpeg"].filter((type) => startsLike(type, heic))).toEqual([]);
  });

  it("do not tell AVIF by what comes after the brands", () => {
    expect(startsLike("image/avif", bytes("\0\0\0\x14ftypisom\0\0\0\0isomavif"))).toBe(false);
  });

  it.each([
    ["its root", "<svg xmlns='http://www.w3.org/2000/svg'/>"],
    ["an upper-case root", "<SVG>"],
    ["a prefix", "<svg:svg xmlns:svg='http://www.w3.org/2000/svg'>"],
    ["a declaration", "<?xml version='1.0' encoding='UTF-8'?>\r\n<svg>"],
    ["a byte order mark", "\xef\xbb\xbf<svg>"],
    [
      "comments and a document type",
      "<!-- made > by -->\n<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x.dtd'><!-- --><svg>",
    ],
    ["entities of an editor", "<?xml version='1.0'?><!DOCTYPE svg [ <!ENTITY a 'b'> <!ENTITY c 'd'> ]>\n<svg a='&a;'>"],
    ["a long licence", `<!--${" x".repeat(1_500)}--><svg>`],
    ["UTF-16", `\xff\xfe${[..."<svg "].join("\0")}\0`],
  ])("are an SVG that begins with %s", (_, text) => {
    expect(startsLike("image/svg+xml", bytes(text))).toBe(true);
  });

  it.each(["<!doctype html><svg>", "<html><svg>", "<svgx>", "<?xml version='1.0'?><html>", "<!-- <svg> -->", ""])(
    "are no SVG when they are %j",
    (text) => {
      expect(startsLike("image/svg+xml", bytes(text))).toBe(false);
    },
  );

  it("are told from an SVG in no time, whatever they are", () => {
    const begun = "<!-- ".repeat(800);
    expect(startsLike("image/svg+xml", bytes(begun))).toBe(false);
    expect(startsLike("image/svg+xml", bytes("<!DOCTYPE svg [".repeat(270)))).toBe(false);
    expect(startsLike("image/svg+xml", bytes("<!----> ".repeat(500)))).toBe(false);
    expect(startsLike("image/svg+xml", bytes("<!--".repeat(10) + "-->".repeat(1000)))).toBe(false);
  });

  it("are not taken for a picture when they are an error page", () => {
    expect(startsLike("image/png", bytes("<html><body>404"))).toBe(false);
  });

  it("are nothing when there are none", () => {
    expect(startsLike("video/mp4", bytes(""))).toBe(false);
  });
});
