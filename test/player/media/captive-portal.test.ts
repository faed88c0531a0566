import { describe, expect, it } from "vitest";
import { refusingPortals } from "../../../src/player/media/captive-portal.ts";
import { FREE_LINE } from "../../../src/player/network/media-line.ts";

const never = new AbortController().signal;

/** What comes of asking for a URL where an answer of that type comes from `other.example` in the end. */
function answerTo(url: string, type = "text/html", from = "https://other.example/login") {
  const reply = { status: 200, headers: new Headers({ "content-type": type }), body: null, url: from };
  const get = refusingPortals(async () => reply, FREE_LINE);
  return get(url, never).then(
    () => "taken",
    (error: Error) => String(error),
  );
}

describe("a page of another host in the place of a file", () => {
  it("is a captive portal's where the file was asked for by http", async () => {
    expect(await answerTo("http://ads.example/a.js")).toBe("CaptivePortal: other.example answers with a page");
    expect(await answerTo("HTTP://ads.example/a.js")).toMatch(/^CaptivePortal/);
  });

  it("is its server's doing where it was asked for by https", async () => {
    expect(await answerTo("https://ads.example/a.js")).toBe("taken");
  });

  it("is neither where it is no page, or came from the same host by https", async () => {
    expect(await answerTo("http://ads.example/a.js", "text/javascript")).toBe("taken");
    expect(await answerTo("http://other.example/a.js")).toBe("taken");
  });
});
