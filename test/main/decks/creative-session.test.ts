import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "electron";
import { describe, expect, it } from "vitest";
import { creativeSessionReset, type PageOwner, ruleMove } from "../../../src/main/decks/creative-session.ts";
import type { PageAnswer } from "../../../src/player/media/page-cache.ts";
import type { AskedWith } from "../../../src/player/media/page-request.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const ITEM = "https://ads.example/tag";
const PAGE = "https://cdn.example/i.html";
const REDIRECTS: Readonly<Record<string, string>> = {
  [ITEM]: PAGE,
  "https://track.example/pixel": "https://elsewhere.example/landing.html",
};

const COOKIES = [
  { of: "https://cdn.example/", name: "visit", value: "1" },
  { of: "https://cdn.example/", name: "", value: "bare" },
  { of: "https://track.example/", name: "id", value: "2" },
];

/** What the page asked for, and as what. */
type Asked = [url: string, destination: string | undefined];

/** A page on a deck, as it and Electron go about it: its navigations are judged, its requests answered. */
async function openPage(itemUrl: string, contentType = "text/html") {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, "bytes");
  const asked: Asked[] = [];
  const askedWith: AskedWith[] = [];
  const set: string[] = [];
  const answerFor = (url: string): PageAnswer => {
    const media = { digest: "digest", sizeBytes: 5, contentType, path };
    const headers: Record<string, string> = contentType === "" ? {} : { "content-type": contentType };
    if (url.endsWith("/many")) headers["set-cookie"] = Array.from({ length: 400 }, (_, n) => `c${n}=1`).join("\n");
    return { kind: "media", media, headers, finalUrl: REDIRECTS[url] ?? null };
  };
  const page = {
    async answer(method: string, url: string, destination?: string, how?: AskedWith) {
      if (method === "OPTIONS") return { kind: "swallowed" } as const;
      asked.push([url, destination]);
      if (how !== undefined) askedWith.push(how);
      return answerFor(url);
    },
  } as PageOwner["page"];
  const owner: PageOwner = { page, documentUrl: itemUrl, redirectedTo: null, underWay: 0, cookies: 0, moves: 0 };
  let handle: (request: Request) => Promise<Response> = () => Promise.reject(new Error("nothing answers"));
  const ignored = () => {};
  const session = {
    ...{
      setPermissionRequestHandler: ignored,
      setPermissionCheckHandler: ignored,
      setDevicePermissionHandler: ignored,
    },
    ...{ setDisplayMediaRequestHandler: ignored, on: ignored, off: ignored, setProxy: async () => {} },
    webRequest: { onBeforeRequest: ignored },
    cookies: {
      set: async ({ name }: { name: string }) => void set.push(name),
      get: async ({ url }: { url: string }) => COOKIES.filter(({ of }) => url.startsWith(of)),
    },
    protocol: {
      handle(_scheme: string, handler: typeof handle) {
        handle = handler;
      },
    },
  };
  await creativeSessionReset.prepare(session as unknown as Session, () => owner);
  return {
    ...{ asked, askedWith, set },
    get: (url: string, accept = "*/*") => handle(new Request(url, { headers: { accept } })),
    ask: (url: string, request: RequestInit) => handle(new Request(url, request)),
    goes: (url: string, shownUrl?: string) => ruleMove(url, itemUrl, owner, shownUrl),
    isDrawn() {
      owner.moves = null;
    },
  };
}

/** Loads the item's document, redirected as it is. */
async function load(itemUrl = ITEM) {
  const page = await openPage(itemUrl);
  const location = (await page.get(itemUrl)).headers.get("location");
  if (location === null) return page;
  expect(page.goes(location)).toBe("allow");
  await page.get(location);
  return page;
}

describe("a page on a deck", () => {
  it("may follow where its document is redirected to, and go on from there", async () => {
    const page = await load();
    expect(page.goes("https://cdn.example/300x250.html")).toBe("allow");
    expect(page.goes("https://other.example/")).toBe("forbid");
  });

  it("may go nowhere that only a part of it was redirected to", async () => {
    const page = await load();
    await page.get("https://track.example/pixel");
    expect(page.goes("https://elsewhere.example/landing.html")).toBe("forbid");
    expect(page.goes("https://cdn.example/300x250.html")).toBe("allow");
    page.isDrawn();
    expect(page.goes("https://elsewhere.example/landing.html")).toBe("forbid");
  });

  it.each([
    ["as its item names it", PAGE],
    ["that was redirected", ITEM],
  ])("once drawn is not loaded again, %s, and is not to blame for it", async (_, itemUrl) => {
    const page = await load(itemUrl);
    page.isDrawn();
    expect(page.goes(PAGE)).toBe("refuse");
    expect(page.goes("https://cdn.example/300x250.html")).toBe("forbid");
  });

  it("once drawn is not loaded again by the name that it has given itself", async () => {
    const page = await load(PAGE);
    page.isDrawn();
    expect(page.goes("https://cdn.example/renamed", "https://cdn.example/renamed")).toBe("refuse");
    expect(page.goes("https://cdn.example/other", "https://cdn.example/renamed")).toBe("forbid");
  });

  it("goes through five pages of its own at most", async () => {
    const page = await load(PAGE);
    const steps = [1, 2, 3, 4, 5, 6].map((step) => page.goes(`https://cdn.example/${step}.html`));
    expect(steps).toEqual([...Array(5).fill("allow"), "forbid"]);
  });

  it("asks for its document as such, after a redirection and a step of its own too", async () => {
    const page = await load();
    await page.get("https://cdn.example/a.png");
    page.goes("https://cdn.example/300x250.html");
    await page.get("https://cdn.example/300x250.html");
    expect(page.asked).toEqual([
      [ITEM, "document"],
      [PAGE, "document"],
      ["https://cdn.example/a.png", ""],
      ["https://cdn.example/300x250.html", "document"],
    ]);
  });

  it("asks with the cookies of each host, and in its own name where nobody says from where", async () => {
    const page = await openPage(PAGE);
    await page.get("https://cdn.example/a.png");
    const headers = { "content-type": "application/json" };
    await page.ask("https://track.example/list", { method: "POST", headers, body: '{"query":"hats"}' });
    expect(page.askedWith).toEqual([
      { usual: { accept: "*/*", cookie: "visit=1; bare" }, own: {}, query: null },
      {
        usual: { ...headers, cookie: "id=2", origin: "https://cdn.example" },
        own: {},
        query: '{"query":"hats"}',
      },
    ]);
  });

  it("gets a thousand cookies at most", async () => {
    const page = await openPage(PAGE);
    for (const host of ["cdn", "track", "elsewhere"]) await page.get(`https://${host}.example/many`);
    expect(page.set.length).toBe(1_000);
  });

  it("has leave from here for what it sends to other origins, since their servers are asked later", async () => {
    const page = await openPage(PAGE);
    const headers = {
      ...{ origin: "https://cdn.example", "access-control-request-method": "POST" },
      "access-control-request-headers": "content-type,x-key",
    };
    const answer = await page.ask("https://track.example/list", { method: "OPTIONS", headers });
    expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([
      204,
      {
        ...{ "access-control-allow-origin": "https://cdn.example", "access-control-allow-methods": "POST" },
        "access-control-allow-headers": "content-type,x-key",
      },
    ]);
  });

  it.each([
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
    ["text/css,*/*;q=0.1", "text/css"],
    ["*/*", "application/octet-stream"],
  ])("that asks for %s gets what has no type as %s", async (accept, type) => {
    const page = await openPage(PAGE, "");
    expect((await page.get(PAGE, accept)).headers.get("content-type")).toBe(type);
  });

  it.each([
    ["application/pdf", "application/octet-stream"],
    ["Application/PDF; qs=0.001", "application/octet-stream"],
    ["text/plain", "text/plain"],
  ])("of type %s is loaded as %s, since of a PDF nothing would be seen", async (type, documentType) => {
    const page = await openPage(PAGE, type);
    expect((await page.get(PAGE)).headers.get("content-type")).toBe(documentType);
    expect((await page.get("https://cdn.example/part")).headers.get("content-type")).toBe(type);
  });
});
