import { describe, expect, it } from "vitest";
import { readSpot } from "../../src/wire/spot.ts";

const NEWS = {
  id: "n1",
  title: "Weather",
  mimeType: "text/html",
  height: 1080,
  width: 1920,
  duration: 6000,
  url: "https://media.example/n1/index.html",
  pop: "https://pop.example/p?a=%2F&b",
  newsType: "weather",
};
const AD = {
  id: "a1",
  title: "Coffee",
  mimeType: "video/mp4",
  height: 720,
  width: 1280,
  duration: 5000,
  url: "https://media.example/a1.mp4",
  pop: "https://pop.example/q",
};
const DATA = { requestId: "r1", billable: true, newsFirst: false, news: NEWS, ad: AD };

describe("reading a spot", () => {
  it("takes what the contract describes", () => {
    expect(readSpot({ data: DATA })).toEqual({
      kind: "spot",
      malformed: [],
      spot: {
        requestId: "r1",
        billable: true,
        newsFirst: false,
        news: {
          kind: "news",
          id: "n1",
          title: "Weather",
          form: "html",
          mimeType: "text/html",
          widthPx: 1920,
          heightPx: 1080,
          durationMs: 6000,
          url: "https://media.example/n1/index.html",
          pop: "https://pop.example/p?a=%2F&b",
          newsType: "weather",
          sizeBytes: null,
          md5: null,
        },
        ad: {
          kind: "ad",
          id: "a1",
          title: "Coffee",
          form: "video",
          mimeType: "video/mp4",
          widthPx: 1280,
          heightPx: 720,
          durationMs: 5000,
          url: "https://media.example/a1.mp4",
          pop: "https://pop.example/q",
          newsType: null,
          sizeBytes: null,
          md5: null,
        },
      },
    });
  });

  it("A10, A11 ignores what it does not know and takes null for absent", () => {
    const reading = readSpot({
      data: { ...DATA, ad: { ...AD, title: null, width: null, price: 3 }, more: {} },
      meta: 1,
    });

    expect(reading).toMatchObject({ kind: "spot", spot: { ad: { title: "", widthPx: null } } });
  });

  it.each([[{}], [{ data: null }], [{ data: {} }], [{ data: { news: null, ad: null } }]])(
    "F1 survives %j as an empty spot",
    (body) => {
      expect(readSpot(body)).toEqual({ kind: "empty", malformed: [] });
    },
  );

  it("F1 plays the one item that there is, and the news first when nothing is said", () => {
    const reading = readSpot({ data: { ad: AD } });

    expect(reading).toMatchObject({ kind: "spot", spot: { billable: false, newsFirst: true, news: null } });
  });

  it.each([null, [], "<html>", 7, { data: [] }, { data: "spot" }])("calls %j unreadable", (body) => {
    expect(readSpot(body).kind).toBe("unreadable");
  });

  it.each([
    ["duration", 0],
    ["duration", -1],
    ["duration", "5000"],
    ["duration", 600_001],
    ["duration", 9_999_999_999_999],
    ["duration", Number.POSITIVE_INFINITY],
    ["duration", undefined],
    ["url", "ftp://media.example/a"],
    ["url", "a.mp4"],
    ["url", undefined],
    ["url", "https://user:secret@media.example/a"],
    ["url", "http://media.example:6000/a"],
    ["pop", "javascript:1"],
    ["pop", ""],
    ["pop", "ftp://pop.example/q"],
    ["pop", "https://user@pop.example/q"],
    ["pop", "https://:secret@pop.example/q"],
    ["pop", "http://pop.example:25/q"],
    ["pop", "https://pop.example:10080/q"],
    ["pop", "http://pop.example:0/q"],
    ["pop", "http://pop.example:2\t5/q"],
    ["pop", "http://[2001:db8::1]:22"],
    ["pop", "http://pop.example:022?q"],
    ["mimeType", "video/quicktime"],
    ["mimeType", undefined],
    ["mimeType", "constructor"],
    ["mimeType", "__proto__"],
  ])("F18 leaves out an item whose %s is %j, and plays the other", (field, value) => {
    const reading = readSpot({ data: { ...DATA, ad: { ...AD, [field]: value } } });

    expect(reading).toMatchObject({
      kind: "spot",
      spot: { news: { id: "n1" }, ad: null },
      malformed: [{ kind: "ad", problems: [expect.stringMatching(`^${field}: `)] }],
    });
  });

  it.each([
    "https://pop.example:443/q",
    "http://pop.example:80/q",
    "http://pop.example:8080/q?at=user@x:25",
    "http://[2001:db8::25]/q",
  ])("F18 takes the pop %s as it is", (pop) => {
    expect(readSpot({ data: { ad: { ...AD, pop } } })).toMatchObject({ spot: { ad: { pop } } });
  });

  it("F18 takes an item of exactly ten minutes", () => {
    expect(readSpot({ data: { ad: { ...AD, duration: 600_000 } } }).kind).toBe("spot");
  });

  it("F18 has nothing to play when every item is malformed, and names them", () => {
    const reading = readSpot({ data: { news: { ...NEWS, duration: 0 }, ad: "coffee" } });

    expect(reading).toMatchObject({ kind: "empty", malformed: [{ kind: "news" }, { kind: "ad" }] });
  });

  it("F16 takes size and md5 when they make sense, and does without when not", () => {
    const md5 = "D41D8CD98F00B204E9800998ECF8427E";
    const good = readSpot({ data: { ad: { ...AD, size: 1, md5 } } });
    const odd = readSpot({ data: { ad: { ...AD, size: -1, md5: "x" } } });

    expect(good).toMatchObject({ spot: { ad: { sizeBytes: 1, md5: "d41d8cd98f00b204e9800998ecf8427e" } } });
    expect(odd).toMatchObject({ spot: { ad: { sizeBytes: null, md5: null } } });
  });

  it("F16 takes a size of 0 for one that is not known: nothing that can be shown is empty", () => {
    expect(readSpot({ data: { ad: { ...AD, size: 0, md5: "" } } })).toMatchObject({
      spot: { ad: { sizeBytes: null, md5: null } },
    });
  });

  it.each([[true], [{}], [[]], [Number.POSITIVE_INFINITY]])(
    "plays an item that is called %j: nobody needs its name",
    (id) => {
      expect(readSpot({ data: { ad: { ...AD, id } } })).toMatchObject({ kind: "spot", spot: { ad: { id: "" } } });
    },
  );

  it("keeps the names of a request and an item that are numbers", () => {
    const reading = readSpot({ data: { requestId: 81_723, ad: { ...AD, id: 5 } } });

    expect(reading).toMatchObject({ spot: { requestId: "81723", ad: { id: "5" } } });
  });

  it("F19 compares types by their base, in any case", () => {
    const reading = readSpot({ data: { ad: { ...AD, mimeType: 'Video/MP4; codecs="avc1"' } } });

    expect(reading).toMatchObject({ spot: { ad: { form: "video", mimeType: "video/mp4" } } });
  });

  it.each([
    ["image/gif", "image/gif"],
    ["image/avif", "image/avif"],
    ["image/svg+xml; charset=utf-8", "image/svg+xml"],
    ["image/apng", "image/apng"],
    ["image/JPG", "image/jpeg"],
  ])("F24 takes %s for a picture", (mimeType, taken) => {
    const reading = readSpot({ data: { ad: { ...AD, mimeType } } });

    expect(reading).toMatchObject({ spot: { ad: { form: "image", mimeType: taken } } });
  });
});
