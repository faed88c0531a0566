import { describe, expect, it } from "vitest";
import { follow } from "../../src/client/follow.ts";
import type { Reply } from "../../src/client/reply.ts";
import type { Wanted } from "../../src/player/download.ts";
import type { MediaCache, MediaOutcome } from "../../src/player/media-cache.ts";
import { confinedTo, isSamePage, MOST_REQUESTS, mayReach, PageCache } from "../../src/player/page-cache.ts";

const policy = (serviceHost: string, allowHosts: string[] = [], allowPrivateNetwork = false) => {
  return { allowPrivateNetwork, allowHosts, serviceHost };
};
const PUBLIC = policy("network.example");
const document: Wanted = { url: "https://ads.example/a/index.html", mimeType: "text/html", sizeBytes: 5, md5: null };

/** Stands in for the cache's bytes, which have tests of their own: remembers what is asked of it, and what is held. */
function shelf() {
  const asked: Wanted[] = [];
  const held = new Map<string, number>();
  const count = (digest: string, by: number) => held.set(digest, (held.get(digest) ?? 0) + by);
  const cache: Pick<MediaCache, "obtain" | "release"> = {
    async obtain(wanted): Promise<MediaOutcome> {
      asked.push(wanted);
      if (wanted.url.endsWith("missing")) return { kind: "failed", reason: "status 404" };
      count(wanted.url, 1);
      return { kind: "kept", media: { digest: wanted.url, path: "", sizeBytes: 1_000_000, contentType: "text/css" } };
    },
    release: (digest) => void count(digest, -1),
  };
  return { asked, held, page: (by = PUBLIC) => new PageCache(document, cache, by) };
}

describe("where a creative may reach", () => {
  it.each([
    ["https://cdn.example/x", PUBLIC, true],
    ["http://127.0.0.1:9/x", PUBLIC, false],
    ["http://localhost/x", PUBLIC, false],
    ["http://192.168.1.1/x", PUBLIC, false],
    ["http://[::1]/x", PUBLIC, false],
    ["http://169.254.169.254/latest/meta-data", PUBLIC, false],
    ["http://192.168.1.1/x", policy("192.168.1.2"), true],
    ["http://127.0.0.1:9/x", policy("192.168.1.2"), false],
    ["http://127.0.0.1:9/x", policy("127.0.0.1"), true],
    ["http://10.0.0.5/x", policy("network.example", ["10.0.0.5"]), true],
    ["http://10.0.0.5/x", policy("network.example", [], true), true],
  ])("%s under %o: %s", (url, by, allowed) => expect(mayReach(new URL(url), by)).toBe(allowed));

  it("is judged again at every redirect", async () => {
    const gone: string[] = [];
    const get = async (url: string): Promise<Reply> => {
      gone.push(url);
      return { status: 302, headers: new Headers({ location: "http://127.0.0.1:8789/control/reset" }), body: null };
    };
    const confined = confinedTo(PUBLIC, get);
    await expect(follow(confined, "https://cdn.example/x", new AbortController().signal)).rejects.toThrow(
      /may not reach/,
    );
    expect(gone).toEqual(["https://cdn.example/x"]);
  });
});

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
    const one = page(policy("network.example"));
    const answers = [];
    for (let request = 0; request <= MOST_REQUESTS; request++) {
      answers.push((await one.answer("GET", "https://ads.example/missing")).kind);
    }
    expect(answers.filter((kind) => kind === "missing")).toHaveLength(MOST_REQUESTS);
    expect(answers.at(-1)).toBe("refused");
    expect(held.size).toBe(0);
  });

  it("are refused once 64 MB have come", async () => {
    const one = shelf().page();
    const kinds = [];
    for (let request = 0; request < 80; request++) {
      kinds.push((await one.answer("GET", `https://ads.example/${request}`)).kind);
    }
    expect(kinds.filter((kind) => kind === "media")).toHaveLength(68);
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

it("takes two URLs for one page whatever their fragments", () => {
  expect(isSamePage("https://a.example/x?y#1", "https://a.example/x?y#2")).toBe(true);
  expect(isSamePage("https://a.example/x?y", "https://a.example/x?z")).toBe(false);
});
