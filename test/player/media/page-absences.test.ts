import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AbsenceBook } from "../../../src/player/media/page-books.ts";
import { FONT_WAIT_MS, PageCache } from "../../../src/player/media/page-cache.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import {
  ANYWHERE,
  type Answer,
  type MediaOrigin,
  mediaOrigin,
  openMediaCache,
  send,
} from "../../support/player/media-origin.ts";

const APART_MS = 10 * 60_000;
const unreachable: Answer = (_, response) => void response.destroy();

/** An advertisement at its server, with parts from another host; loads of it are pages of a player that may restart. */
async function advertisement() {
  const own = await mediaOrigin();
  const other = await mediaOrigin("127.0.0.2");
  own.answers["/ad.html"] = send("<!doctype html>", { "content-type": "text/html" });
  const folder = temporaryFolder();
  let opened = await openMediaCache(folder);
  const { clock } = opened;
  const absent: string[] = [];
  const stop = new AbortController();

  const open = () =>
    new PageCache({
      document: own.wanted("/ad.html", { mimeType: "text/html" }),
      cache: opened.cache,
      absences: new AbsenceBook(opened.index),
      clock,
      policy: ANYWHERE,
      limits: { maxRequests: 300, maxBytes: 1_000_000 },
      signal: stop.signal,
      onAbsent: (part) => void absent.push(part),
    });

  /** Resolves when what is done once a page is over has come to its end. */
  const settled = async () => {
    for (let turn = 0; turn < 10; turn++) {
      await opened.cache.quiet();
      await clock.settle();
    }
  };

  /** Loads the page with these parts; what came of each, and whether it may be shown. */
  async function load(...parts: readonly (string | readonly [url: string, destination: string])[]) {
    const page = open();
    const kinds = [(await page.answer("GET", `${own.origin}/ad.html`, "document")).kind];
    for (const part of parts) {
      const [url, destination] = typeof part === "string" ? [part, ""] : part;
      const answer = await page.answer("GET", url, destination);
      kinds.push(answer.kind);
    }
    const result = { kinds, shown: page.lacking() === null, neededNetwork: page.neededNetwork() };
    page.close();
    await settled();
    return result;
  }

  return {
    ...{ own, other, clock, absent, open, load, settled },
    stop: () => stop.abort(),
    async restart() {
      opened = await openMediaCache(folder, clock);
    },
  };
}

const url = ({ origin }: MediaOrigin, path: string) => origin + path;

describe("a page that lacks a part (F23)", () => {
  it("is held back for what comes from its own host, however often", async () => {
    const { own, clock, load } = await advertisement();
    own.answers["/app.js"] = unreachable;
    for (let time = 0; time < 4; time++) {
      expect((await load(url(own, "/app.js"))).shown).toBe(false);
      await clock.advance(APART_MS);
    }
  });

  it("is held back twice for another host, ten minutes apart, then shown without it, and that is said once", async () => {
    const { other, clock, load, absent, restart } = await advertisement();
    other.answers["/lib.js"] = unreachable;
    expect((await load(url(other, "/lib.js"))).shown).toBe(false);
    await clock.advance(APART_MS - 60_000);
    expect((await load(url(other, "/lib.js"))).shown).toBe(false);
    expect(absent).toEqual([]);
    await restart();
    await clock.advance(60_000);
    expect((await load(url(other, "/lib.js"))).shown).toBe(false);
    expect(absent).toEqual([new URL(other.origin).host]);
    await restart();
    for (let time = 0; time < 2; time++) expect((await load(url(other, "/lib.js"))).shown).toBe(true);
    expect(absent).toEqual([new URL(other.origin).host]);
  });

  it("is held back only twice, too, for another port of its own host, where a tool of its maker's once listened", async () => {
    const { clock, load, absent } = await advertisement();
    const tool = await mediaOrigin();
    tool.answers["/livereload.js"] = unreachable;
    const shown = [];
    for (let time = 0; time < 3; time++) {
      shown.push((await load(url(tool, "/livereload.js"))).shown);
      await clock.advance(APART_MS);
    }
    expect(shown).toEqual([false, false, true]);
    expect(absent).toEqual([new URL(tool.origin).host]);
  });

  it("is shown without another host though what it asks there is another URL each time", async () => {
    const { other, clock, load } = await advertisement();
    const shown = [];
    for (const path of ["/pixel/1", "/pixel/2", "/pixel/3"]) {
      other.answers[path] = unreachable;
      shown.push((await load(url(other, path))).shown);
      await clock.advance(APART_MS);
    }
    expect(shown).toEqual([false, false, true]);
    other.answers["/pixel/4"] = send("1");
    expect((await load(url(other, "/pixel/4"))).kinds).toEqual(["media", "missing"]);
    other.answers["/pixel/5"] = send("1");
    expect((await load(url(other, "/pixel/5"))).kinds).toEqual(["media", "media"]);
  });

  it("is shown without what its own host answers in the page's own way, with another query each time, and with it again", async () => {
    const { own, clock, absent, open, load, settled } = await advertisement();
    let time = 0;
    const shownWith = async (answer: Answer, ...plain: readonly string[]) => {
      own.answers["/seen"] = answer;
      const page = open();
      for (const path of plain) await page.answer("GET", url(own, path));
      const query = `{"time":${time++}}`;
      const { kind } = await page.answer("POST", url(own, "/seen"), "", { usual: {}, own: {}, query });
      const shown = page.lacking() === null;
      page.close();
      await settled();
      await clock.advance(APART_MS);
      return `${kind}, ${shown ? "shown" : "held back"}`;
    };
    expect(await shownWith(send("1"))).toBe("media, shown");
    for (let times = 0; times < 2; times++) expect(await shownWith(unreachable)).toBe("missing, held back");
    expect(absent).toEqual([`${new URL(own.origin).host} (asked in its own way)`]);
    expect(await shownWith(unreachable)).toBe("missing, shown");
    own.answers["/app.js"] = unreachable;
    expect(await shownWith(unreachable, "/app.js")).toBe("missing, held back");
    expect((await load(url(own, "/app.js"))).shown).toBe(false);
    await shownWith(send("1"));
    expect(await shownWith(send("1"))).toBe("media, shown");
    expect(await shownWith(unreachable)).toBe("missing, held back");
  });

  it("has from the cache what came from another host before that was lost for good, or is shown without it", async () => {
    const { other, clock, open, load, settled } = await advertisement();
    other.answers["/had.js"] = send("1");
    other.answers["/lib.js"] = unreachable;
    for (let time = 0; time < 2; time++) {
      expect((await load(url(other, "/had.js"), url(other, "/lib.js"))).shown).toBe(false);
      await clock.advance(APART_MS);
    }
    other.answers["/had.js"] = unreachable;
    const page = open();
    const had = await page.answer("GET", url(other, "/had.js"));
    if (had.kind !== "media") throw new Error(had.kind);
    expect((await page.answer("GET", url(other, "/lib.js"))).kind).toBe("missing");
    page.close();
    await settled();
    writeFileSync(had.media.path, "broken");
    expect(await load(url(other, "/had.js"))).toMatchObject({ kinds: ["media", "missing"], shown: true });
  });

  it("is held back twice again when a part that was had again is lost", async () => {
    const { other, clock, load, settled } = await advertisement();
    other.answers["/lib.js"] = unreachable;
    for (let time = 0; time < 2; time++) {
      await load(url(other, "/lib.js"));
      await clock.advance(APART_MS);
    }
    other.answers["/lib.js"] = send("1");
    // Shown without it, it is asked for again when the page is over.
    expect((await load(url(other, "/lib.js"))).kinds).toEqual(["media", "missing"]);
    await settled();
    expect(await load(url(other, "/lib.js"))).toEqual({ kinds: ["media", "media"], shown: true, neededNetwork: false });
    other.answers["/more.js"] = unreachable;
    expect((await load(url(other, "/more.js"))).shown).toBe(false);
  });

  it("counts anew after a load in which the other host gave all that was asked of it", async () => {
    const { other, clock, load } = await advertisement();
    other.answers["/lib.js"] = unreachable;
    await load(url(other, "/lib.js"));
    await clock.advance(APART_MS);
    other.answers["/lib.js"] = send("1");
    expect((await load(url(other, "/lib.js"))).shown).toBe(true);
    other.answers["/more.js"] = unreachable;
    await clock.advance(APART_MS);
    await load(url(other, "/more.js"));
    expect((await load(url(other, "/more.js"))).shown).toBe(false);
  });

  it("does not ask a host for it that is absent for good, nor wait for it, until ten minutes have passed", async () => {
    const { other, clock, load } = await advertisement();
    other.answers["/lib.js"] = unreachable;
    await load(url(other, "/lib.js"));
    await clock.advance(APART_MS);
    await load(url(other, "/lib.js"));
    other.requests.length = 0;
    expect(await load(url(other, "/lib.js"))).toEqual({
      kinds: ["media", "missing"],
      shown: true,
      neededNetwork: false,
    });
    expect(other.requests).toEqual([]);
    await clock.advance(APART_MS);
    await load(url(other, "/lib.js"));
    expect(new Set(other.requests)).toEqual(new Set(["/lib.js"]));
  });

  it("is shown without a host that never answered, after it was given up for it twice, ten minutes apart", async () => {
    const { own, other, clock, open, load, settled } = await advertisement();
    other.answers["/pixel"] = () => {};
    const giveUp = async (wasDrawn: boolean) => {
      const page = open();
      await page.answer("GET", `${own.origin}/ad.html`, "document");
      const asked = page.answer("GET", url(other, "/pixel"));
      while (!other.requests.includes("/pixel")) await clock.settle();
      await clock.advance(6_000);
      page.close(wasDrawn);
      expect((await asked).kind).toBe("missing");
      other.requests.length = 0;
      await settled();
      await clock.advance(APART_MS);
    };
    for (const wasDrawn of [true, true, false]) await giveUp(wasDrawn);
    await giveUp(false);
    expect(await load(url(other, "/pixel"))).toMatchObject({ kinds: ["media", "missing"], shown: true });
  });

  it("says nothing of a part that was called off when the page was over", async () => {
    const { own, other, clock, open, load, settled } = await advertisement();
    other.answers["/lib.js"] = unreachable;
    await load(url(other, "/lib.js"));
    await clock.advance(APART_MS);
    const page = open();
    other.answers["/lib.js"] = () => {};
    other.answers["/had.js"] = send("1");
    await page.answer("GET", url(other, "/had.js"));
    const endless = page.answer("GET", url(other, "/lib.js"));
    await page.answer("GET", url(own, "/ad.html"));
    page.close();
    expect((await endless).kind).toBe("missing");
    await settled();
    // It counts neither as absent nor as had: the next absence is the second.
    other.answers["/lib.js"] = unreachable;
    expect((await load(url(other, "/lib.js"))).shown).toBe(false);
    expect((await load(url(other, "/lib.js"))).shown).toBe(true);
  });

  it("is never held back by a font, from whatever host", async () => {
    const { own, other, load } = await advertisement();
    own.answers["/text"] = unreachable;
    own.answers["/text.woff2"] = unreachable;
    other.answers["/text.woff2"] = unreachable;
    const fonts = [[url(own, "/text"), "font"], url(own, "/text.woff2"), url(other, "/text.woff2")] as const;
    for (const font of fonts) expect((await load(font)).shown).toBe(true);
  });

  it("waits 3 s for a font, at its first load only, and has it when it came later", async () => {
    const { own, clock, open, load, settled } = await advertisement();
    let asked = () => {};
    const first = new Promise<void>((resolve) => {
      asked = resolve;
    });
    own.answers["/text.woff2"] = () => asked();
    const page = open();
    const answer = page.answer("GET", url(own, "/text.woff2"), "font");
    await first;
    await clock.advance(FONT_WAIT_MS);
    expect(await answer).toEqual({ kind: "missing", reason: "called off", status: null, response: null });
    expect(page.lacking()).toBeNull();
    own.answers["/text.woff2"] = unreachable;
    page.close();
    await settled();
    own.requests.length = 0;
    expect((await load([url(own, "/text.woff2"), "font"])).shown).toBe(true);
    expect(own.requests).toEqual(["/ad.html"]);
    own.answers["/text.woff2"] = send("font");
    await clock.advance(APART_MS);
    await load([url(own, "/text.woff2"), "font"]);
    expect((await load([url(own, "/text.woff2"), "font"])).kinds).toEqual(["media", "media"]);
  });

  it("knows what its own host is after a redirect, too", async () => {
    const { own, other, clock, load } = await advertisement();
    own.answers["/ad.html"] = (_, response) => void response.writeHead(302, { location: `${other.origin}/x` }).end();
    other.answers["/x"] = send("<!doctype html>");
    other.answers["/app.js"] = unreachable;
    for (let time = 0; time < 4; time++) {
      expect((await load(url(other, "/app.js"))).shown).toBe(false);
      await clock.advance(APART_MS);
    }
  });
});

describe("a part that its server says is not there", () => {
  it("is answered with what the server said to it, after a restart and without the network too", async () => {
    const { own, open, settled, restart } = await advertisement();
    own.answers["/offers.json"] = (_, response) => {
      response.writeHead(404, { "content-type": "application/json" }).end('{"offers":[]}');
    };
    const missing = { kind: "missing", reason: "status 404", status: 404 };
    const said = { contentType: "application/json", text: '{"offers":[]}' };
    const page = open();
    expect(await page.answer("GET", url(own, "/offers.json"))).toEqual({ ...missing, response: said });
    page.close();
    await settled();
    await restart();
    own.answers["/offers.json"] = unreachable;
    expect(await open().answer("GET", url(own, "/offers.json"))).toEqual({ ...missing, response: said });
  });

  it("is answered with nothing where the server said too much, or never ended", async () => {
    const { own, open } = await advertisement();
    own.answers["/long"] = (_, response) => void response.writeHead(404).end("x".repeat(4 * 1024 + 1));
    own.answers["/endless"] = (_, response) => void response.writeHead(404).write("x");
    const page = open();
    for (const path of ["/long", "/endless"]) {
      expect(await page.answer("GET", url(own, path))).toMatchObject({ status: 404, response: null });
    }
  });

  it("is the page's own absence at once, with its status", async () => {
    const { own, open } = await advertisement();
    const page = open();
    const answer = await page.answer("GET", url(own, "/gone.png"));
    expect(answer).toEqual({ kind: "missing", reason: "status 404", status: 404, response: null });
    expect(page.lacking()).toBeNull();
    page.close();
  });

  it("is not there offline either, after a restart too, and the network is not needed to know it", async () => {
    const { own, load, restart } = await advertisement();
    await load(url(own, "/gone.png"));
    await restart();
    own.answers["/gone.png"] = unreachable;
    expect(await load(url(own, "/gone.png"))).toEqual({
      kinds: ["media", "missing"],
      shown: true,
      neededNetwork: false,
    });
  });

  it("is asked for again when the page is over, ten minutes later, and had the next time", async () => {
    const { own, clock, load } = await advertisement();
    await load(url(own, "/late.png"));
    own.answers["/late.png"] = send("late");
    expect((await load(url(own, "/late.png"))).kinds).toEqual(["media", "missing"]);
    expect((await load(url(own, "/late.png"))).kinds).toEqual(["media", "missing"]);
    await clock.advance(APART_MS);
    await load(url(own, "/late.png"));
    expect((await load(url(own, "/late.png"))).kinds).toEqual(["media", "media"]);
  });
});
