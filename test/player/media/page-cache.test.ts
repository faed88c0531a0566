import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scopeOf } from "../../../src/core/network/address.ts";
import type { MediaRequest } from "../../../src/player/media/download.ts";
import type { MediaOutcome } from "../../../src/player/media/media.ts";
import { PageCache, type PageParts } from "../../../src/player/media/page-cache.ts";
import type { EgressPolicy } from "../../../src/player/network/egress-policy.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

const PUBLIC: EgressPolicy = {
  allowPrivateNetwork: false,
  allowHosts: [],
  scopeOf,
  serviceScope: async () => "public",
};
const limits = { maxRequests: 300, maxBytes: 64 * 1024 * 1024 };
const document: MediaRequest = {
  url: "https://ads.example/a/index.html",
  mimeType: "text/html",
  sizeBytes: 5,
  md5: null,
};

/** What pages lack has tests of its own. */
const NOTHING_ABSENT: PageParts["absences"] = {
  absence: () => null,
  noteAbsence() {},
  clearAbsence() {},
  refusal: () => null,
  noteRefusal() {},
  clearRefusal() {},
};

/** Stands in for the cache's bytes, which have tests of their own: remembers what is asked of it, and what is held. */
function shelf() {
  const asked: MediaRequest[] = [];
  const held = new Map<string, number>();
  const count = (digest: string, by: number) => held.set(digest, (held.get(digest) ?? 0) + by);
  const revalidated: MediaRequest[] = [];
  const misses: string[] = [];
  const failed = (reason: string, transient: boolean, status: number | null = null) =>
    ({ kind: "failed", reason, transient, status }) as const;
  const cache: PageParts["cache"] = {
    knows: () => false,
    async obtain(wanted, signal): Promise<MediaOutcome> {
      asked.push(wanted);
      if (wanted.url.endsWith("endless")) {
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return failed("called off", true);
      }
      if (wanted.url.endsWith("missing")) return failed("status 404", false, 404);
      if (wanted.url.endsWith("unreachable")) return failed("reset", true);
      if (wanted.url.endsWith("unread")) throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
      count(wanted.url, 1);
      const media = { digest: wanted.url, path: "", sizeBytes: 1_000_000, contentType: "text/css" };
      return { kind: "kept", media, found: true, headers: {}, finalUrl: null };
    },
    release: (digest) => void count(digest, -1),
    async revalidate(wanted) {
      revalidated.push(wanted);
    },
  };
  const control = new AbortController();
  const { signal } = control;
  const parts = {
    document,
    cache,
    absences: NOTHING_ABSENT,
    clock: new ManualClock(),
    policy: PUBLIC,
    limits,
    signal,
    onMiss: (reason: string) => void misses.push(reason),
  };
  return { asked, held, revalidated, misses, stop: () => control.abort(), page: () => new PageCache(parts) };
}

describe("the requests of an HTML creative", () => {
  it("are answered from the cache, the document as its item promised it", async () => {
    const { page, asked } = shelf();
    const answer = await page().answer("GET", "https://ads.example/a/index.html#top");
    expect(answer.kind).toBe("media");
    expect(asked).toEqual([document]);
  });

  it("that are not GET go nowhere and are swallowed", async () => {
    const { page, asked } = shelf();
    expect(await page().answer("POST", "https://ads.example/beacon")).toEqual({ kind: "swallowed" });
    expect(asked).toEqual([]);
  });

  it("to private addresses are refused without asking anybody", async () => {
    const { page, asked } = shelf();
    expect((await page().answer("GET", "http://10.0.0.1/")).kind).toBe("refused");
    expect(asked).toEqual([]);
  });

  it("are refused after the 300th", async () => {
    const { page, held } = shelf();
    const one = page();
    const answers = [];
    for (let request = 0; request <= limits.maxRequests; request++) {
      answers.push((await one.answer("GET", "https://ads.example/missing")).kind);
    }
    expect(answers.filter((kind) => kind === "missing")).toHaveLength(limits.maxRequests);
    expect(answers.at(-1)).toBe("refused");
    expect(held.size).toBe(0);
  });

  it("are refused by a URL that hardly a server would take, which would be remembered", async () => {
    const { page, asked, misses } = shelf();
    const one = page();
    const kinds = [];
    for (const length of [1_000, 40_000, 2_000_000]) {
      kinds.push((await one.answer("GET", `https://ads.example/${"x".repeat(length)}`)).kind);
    }
    expect([kinds, asked.length]).toEqual([["media", "refused", "refused"], 1]);
    expect(new Set(misses)).toEqual(new Set(["URLs of more than 32768 characters"]));
  });

  it("are refused where they do not fit into 64 MB beside what has come", async () => {
    const one = shelf().page();
    const kinds = [];
    for (let request = 0; request < 80; request++) {
      kinds.push((await one.answer("GET", `https://ads.example/${request}`)).kind);
    }
    expect(kinds.filter((kind) => kind === "media")).toHaveLength(67);
  });

  it("leave the page not whole when the network fails, but not when a server has nothing there", async () => {
    const { page, misses } = shelf();
    const one = page();
    await one.answer("GET", "https://ads.example/missing");
    expect(one.lacking()).toBeNull();
    await one.answer("GET", "https://ads.example/unreachable");
    expect(one.lacking()).toBe("https://ads.example/unreachable: reset");
    expect(misses).toEqual(["status 404", "reset"]);
  });

  it.each(["ads.example", "cdn.example"])(
    "leave the page not whole where the disk does not give back what is of %s",
    async (host) => {
      const { page, misses } = shelf();
      const one = page();
      const answer = await one.answer("GET", `https://${host}/unread`);
      expect(answer).toMatchObject({ kind: "missing", status: null });
      expect(one.lacking()).toBe(`https://${host}/unread: Error: EIO: i/o error, read`);
      expect(misses).toEqual(["Error: EIO: i/o error, read"]);
    },
  );

  it("hang nothing on the player's own signal that outlasts them", async () => {
    const any = vi.spyOn(AbortSignal, "any");
    onTestFinished(() => any.mockRestore());
    const one = shelf().page();
    for (const name of ["a/index.html", "a.woff2"]) await one.answer("GET", `https://ads.example/${name}`);
    one.close();
    expect(any).not.toHaveBeenCalled();
  });

  it("are brought up to date when the page is over, each file once", async () => {
    const { page, revalidated } = shelf();
    const one = page();
    for (const name of ["a/index.html", "a.css", "a.css"]) await one.answer("GET", `https://ads.example/${name}`);
    expect(revalidated).toEqual([]);
    one.close();
    await new Promise(setImmediate);
    expect(revalidated.map(({ url }) => url)).toEqual([document.url, "https://ads.example/a.css"]);
  });

  it("are called off when the player stops, and when the page is over", async () => {
    for (const end of ["stop", "close"] as const) {
      const { page, stop } = shelf();
      const one = page();
      const answer = one.answer("GET", "https://ads.example/endless");
      if (end === "stop") stop();
      else one.close();
      expect(await answer).toEqual({ kind: "missing", reason: "called off", status: null, response: null });
    }
  });

  it("hold what they got until the creative is off its deck", async () => {
    const { page, held } = shelf();
    const one = page();
    await one.answer("GET", "https://ads.example/a.css");
    expect(held.get("https://ads.example/a.css")).toBe(1);
    one.close();
    expect(held.get("https://ads.example/a.css")).toBe(0);
  });
});
