import { describe, expect, it } from "vitest";
import { typeOf } from "../../../src/core/media/media-type.ts";

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
  const types = Object.entries(heads);
  const images = [...Object.keys(heads).filter((type) => type.startsWith("image/")), "image/svg+xml"];

  it.each(types)("are recognised as %s", (type, head) => {
    expect(typeOf(type, head)).toBe(type);
  });

  it.each(types.filter(([type]) => images.includes(type)))("of %s stand for every other picture", (type, head) => {
    expect(images.map((promised) => typeOf(promised, head))).toEqual(images.map(() => type));
  });

  it("of a clip stand for every other clip, and of a drawing for every other picture", () => {
    expect(typeOf("video/mp4", heads["video/webm"])).toBe("video/webm");
    expect(typeOf("video/webm", heads["video/mp4"])).toBe("video/mp4");
    expect(typeOf("image/png", bytes("<svg>"))).toBe("image/svg+xml");
  });

  it.each([
    ["image/png", heads["video/mp4"]],
    ["image/svg+xml", heads["text/html"]],
    ["video/mp4", heads["image/gif"]],
    ["video/webm", heads["text/html"]],
    ["text/html", heads["image/png"]],
  ])("are not taken for %s when they are of another form", (promised, head) => {
    expect(typeOf(promised, head)).toBeNull();
  });

  it.each([
    ["image/gif", bytes("GIF87a\x01\0\x01\0")],
    ["image/avif", bytes("\0\0\0\x20ftypavis\0\0\0\0avismsf1iso8mif1")],
    ["image/avif", bytes("\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf")],
    ["video/mp4", bytes("\0\0\0\x18ftypmp42\0\0\0\0mp42isommif1")],
  ])("are recognised as %s by another brand", (type, head) => {
    expect(typeOf(type, head)).toBe(type);
  });

  it.each(["moov", "mdat", "wide", "free", "skip"])(
    "are those of a clip where it begins with %s, without its type",
    (box) => {
      const head = bytes(`\0\0\x02\x6c${box}\0\0\0\0`);
      expect(["video/mp4", "video/webm"].map((type) => typeOf(type, head))).toEqual(["video/mp4", "video/mp4"]);
      expect(typeOf("text/html", head)).toBeNull();
      expect(typeOf("text/html", bytes(`Get ${box} coffee`))).toBe("text/html");
      expect(typeOf("video/mp4", bytes(`Get ${box} coffee`))).toBeNull();
    },
  );

  it("of an animated PNG are those of a PNG", () => {
    expect(typeOf("image/apng", heads["image/png"])).toBe("image/png");
  });

  it("are no AVIF and no clip when they are HEIC, which is not decoded", () => {
    const heic = bytes("\0\0\0\x18ftypmif1\0\0\0\0mif1heic");
    expect(["image/avif", "video/mp4", "image/jpeg"].map((type) => typeOf(type, heic))).toEqual([null, null, null]);
  });

  it("do not tell AVIF by what comes after the brands", () => {
    expect(typeOf("image/avif", bytes("\0\0\0\x14ftypisom\0\0\0\0isomavif"))).toBeNull();
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
    expect(typeOf("image/svg+xml", bytes(text))).toBe("image/svg+xml");
  });

  it.each(["<!doctype html><svg>", "<html><svg>", "<svgx>", "<?xml version='1.0'?><html>", "<!-- <svg> -->", ""])(
    "are no SVG when they are %j",
    (text) => {
      expect(typeOf("image/svg+xml", bytes(text))).toBeNull();
    },
  );

  it("are told from an SVG in no time, whatever they are", () => {
    const begun = "<!-- ".repeat(800);
    expect(typeOf("image/svg+xml", bytes(begun))).toBeNull();
    expect(typeOf("image/svg+xml", bytes("<!DOCTYPE svg [".repeat(270)))).toBeNull();
    expect(typeOf("image/svg+xml", bytes("<!----> ".repeat(500)))).toBeNull();
    expect(typeOf("image/svg+xml", bytes("<!--".repeat(10) + "-->".repeat(1000)))).toBeNull();
  });

  it("are not taken for a picture when they are an error page", () => {
    expect(typeOf("image/png", bytes("<html><body>404"))).toBeNull();
  });

  it("are nothing when there are none", () => {
    expect(typeOf("video/mp4", bytes(""))).toBeNull();
  });
});
