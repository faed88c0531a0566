import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MOST_HEADER_CHARS } from "../../../src/player/media/media.ts";
import { AbsenceBook } from "../../../src/player/media/page-books.ts";
import { PageCache } from "../../../src/player/media/page-cache.ts";
import { addressOf, askedWith, isSamePage } from "../../../src/player/media/page-request.ts";
import { ANYWHERE, type Answer, mediaOrigin, openMediaCache } from "../../support/player/media-origin.ts";

const NOTHING = { usual: {}, own: {}, query: null };

/** What a page at `PAGE` asks with. */
const PAGE = "https://ads.example/a/index.html";
function asked(headers: Record<string, string>, { method = "GET", body = null as BodyInit | null, cookie = "" } = {}) {
  // A request of Node's own would be given only what scripts may give.
  const request = { method, headers: new Headers(headers), referrer: PAGE, body: new Response(body).body };
  return askedWith(request as Request, PAGE, cookie);
}

describe("what a page asks with", () => {
  it.each([
    ["accept", "image/avif,image/webp,*/*;q=0.8", "usual"],
    ["accept", "*/*", "usual"],
    ["accept", "application/json, text/plain, */*", "own"],
    ["authorization", "Bearer 1", "own"],
    ["x-api-key", "1", "own"],
    ["x-requested-with", "XMLHttpRequest", "own"],
    ["user-agent", "Mozilla/5.0", "neither"],
    ["range", "bytes=0-", "neither"],
    ["accept-encoding", "identity;q=1", "neither"],
    ["if-none-match", '"1"', "neither"],
    ["host", "service.example", "neither"],
    ["cookie", "a=1", "neither"],
    ["proxy-authorization", "Basic 1", "neither"],
    ["sec-fetch-site", "none", "neither"],
    ["traceparent", "00-4bf9-00f0-01", "neither"],
    ["x-request-id", "4711", "neither"],
  ])("has %s: %s among its %s headers", async (name, value, kind) => {
    const { usual, own } = await asked({ [name]: value });
    expect([usual[name], own[name]]).toEqual([
      kind === "usual" ? value : undefined,
      kind === "own" ? value : undefined,
    ]);
  });

  it("says where it is asked from and which cookies there are, as browsers do, and of itself only what is its own", async () => {
    expect((await asked({}, { cookie: "a=1; b=2" })).usual).toEqual({ referer: PAGE, cookie: "a=1; b=2" });
    expect((await asked({ "x-key": "1" })).usual).toEqual({ referer: PAGE, origin: "https://ads.example" });
  });

  it.each([
    ["application/json", "POST", "{}", "{}"],
    ["application/graphql-response+json; charset=utf-8", "POST", "{}", "{}"],
    ["application/json", "POST", "", null],
    ["application/json", "PUT", "{}", null],
    ["application/json", "POST", "9".repeat(64 * 1024 + 1), null],
    ["text/plain;charset=UTF-8", "POST", "{}", null],
    ["application/x-www-form-urlencoded", "POST", "a=1", null],
    ["multipart/form-data; boundary=json", "POST", "--json", null],
  ])("is a query, or none: %s by %s", async (type, method, body, query) => {
    expect((await asked({ "content-type": type }, { method, body })).query).toBe(query);
  });

  it("is read no further than a query may be long", async () => {
    let pulled = 0;
    const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1_024 * ++pulled)) });
    const { query } = await asked({ "content-type": "application/json" }, { method: "POST", body: endless });
    expect(query).toBeNull();
    expect(pulled).toBeLessThan(20);
  });

  it("makes another address of a URL, in whichever order it comes, and never tells what it is", () => {
    const url = "https://ads.example/list?n=1";
    const one = addressOf(`${url}#top`, { ...NOTHING, own: { "x-key": "secret", accept: "text/csv" } });
    expect(one).toMatch(/^https:\/\/ads\.example\/list\?n=1#with-[0-9a-f]{64}$/);
    expect(addressOf(url, { ...NOTHING, own: { accept: "text/csv", "x-key": "secret" } })).toBe(one);
    expect(addressOf(url, { ...NOTHING, own: { "x-key": "secret" } })).not.toBe(one);
    expect(addressOf(url, { ...NOTHING, query: "{}" })).not.toBe(addressOf(url, { ...NOTHING, query: "[]" }));
    expect(addressOf(`${url}#top`)).toBe(url);
  });

  it("makes another address for each other origin that asks in its own way, and none for what anybody asks", () => {
    const url = "https://api.example/weather";
    const from = (origin: string, own = {}, query: string | null = null) =>
      addressOf(url, { usual: { origin }, own, query });
    const [one, other] = ["https://one.example", "https://other.example"];
    expect(from(one)).toBe(from(other));
    expect(from(one, { "x-key": "1" })).not.toBe(from(other, { "x-key": "1" }));
    expect(from(one, {}, "{}")).not.toBe(from(other, {}, "{}"));
    // What is in the cache of its own origin's stays known.
    const known = createHash("sha256").update('[[["x-key","1"]],null]').digest("hex");
    expect(from("https://api.example", { "x-key": "1" })).toBe(`${url}#with-${known}`);
  });
});

it("takes two URLs for one page whatever their fragments", () => {
  expect(isSamePage("https://a.example/x?y#1", "https://a.example/x?y#2")).toBe(true);
  expect(isSamePage("https://a.example/x?y", "https://a.example/x?z")).toBe(false);
});

const HEADERS = "access-control-allow-headers";
/** As a server gives leave to be asked with a key, and for queries. */
const LEAVE = { "access-control-allow-origin": "*", [HEADERS]: "X-Key, content-type" };

/** A page of one host beside an interface that each of two has: it answers by key and query, and says how it was asked. */
async function shop(leave: Record<string, string> = LEAVE) {
  const [own, other] = [await mediaOrigin(), await mediaOrigin("127.0.0.2")];
  const { cache, index, clock } = await openMediaCache();
  const referers: string[] = [];
  const told: { method: string; key: unknown; secret: boolean; query: string }[] = [];
  const listed: Answer = async (request, response) => {
    const { method = "", headers } = request;
    const [key, secret] = [headers["x-key"], Boolean(headers.authorization ?? headers.cookie)];
    if (headers.referer !== undefined) referers.push(headers.referer);
    const query = (await request.toArray()).join("");
    told.push({ method, key, secret, query });
    if (method === "OPTIONS") return void response.writeHead(204, leave).end();
    response.writeHead(key === undefined && query === "" ? 401 : 200, { "cache-control": "max-age=0", etag: '"1"' });
    response.end(`offers for ${key ?? query}`);
  };
  own.answers["/list"] = listed;
  other.answers["/list"] = listed;
  const pageOrigin = own.origin;
  const page = new PageCache({
    document: own.wanted("/ad.html", { mimeType: "text/html" }),
    ...{ cache, clock, absences: new AbsenceBook(index) },
    policy: ANYWHERE,
    limits: { maxRequests: 300, maxBytes: 1_000_000 },
    signal: new AbortController().signal,
  });
  const ask = async (url: string, own: Record<string, string>, query: string | null = null) => {
    const usual = { origin: pageOrigin, ...(query === null ? {} : { "content-type": "application/json" }) };
    const answer = await page.answer(query === null ? "GET" : "POST", url, "", { usual, own, query });
    return answer.kind === "media" ? readFileSync(answer.media.path, "utf8") : answer.kind;
  };
  return { own, other, told, referers, cache, clock, page, ask };
}

describe("a page that asks in its own way", () => {
  it("gets what is there for each key and query, again without asking, and nobody else's", async () => {
    const { own, told, ask } = await shop();
    const url = `${own.origin}/list`;
    const all = () =>
      Promise.all([ask(url, {}), ask(url, { "x-key": "shoes" }), ask(url, { "x-key": "coats" }), ask(url, {}, "hats")]);
    expect(await all()).toEqual(["missing", "offers for shoes", "offers for coats", "offers for hats"]);
    expect(await all()).toEqual(["missing", "offers for shoes", "offers for coats", "offers for hats"]);
    expect(told.map(({ method }) => method).sort()).toEqual(["GET", "GET", "GET", "POST"]);
  });

  it("has it brought up to date in the same way, a query without naming the version that is there", async () => {
    const { own, told, cache, clock, page, ask } = await shop();
    await ask(`${own.origin}/list`, { "x-key": "shoes" });
    await ask(`${own.origin}/list`, {}, "hats");
    const before = told.splice(0);
    await clock.advance(24 * 3_600_000);
    page.close();
    await expect.poll(() => told).toEqual(before);
    await cache.quiet();
  });

  it("does not have its secrets sent where a redirect leads to, nor takes what it gets for everybody's there", async () => {
    const { own, other, told, referers, ask } = await shop();
    own.answers["/moved"] = (_, response) => void response.writeHead(302, { location: `${other.origin}/list` }).end();
    const secrets = { "x-key": "shoes", authorization: "Bearer 1", referer: `${own.origin}/ad.html?signed=1` };
    expect(await ask(`${own.origin}/moved`, secrets, "hats")).toBe("offers for shoes");
    expect(told.at(-1)).toEqual({ method: "GET", key: "shoes", secret: false, query: "" });
    expect(referers).toEqual([`${own.origin}/`]);
    expect(await ask(`${other.origin}/list`, {})).toBe("missing");
  });

  it.each([
    ["gives no leave", {}, {}, null],
    ["gives leave to another origin", { ...LEAVE, "access-control-allow-origin": "https://other.example" }, {}, null],
    ["gives no leave for a header", LEAVE, { "x-secret": "1" }, null],
    ["gives leave for any, which never means this", { ...LEAVE, [HEADERS]: "*" }, { authorization: "1" }, null],
    ["gives no leave for queries", { ...LEAVE, [HEADERS]: "x-key" }, {}, "hats"],
  ])("asks no server of another origin that %s", async (_, leave, more, query) => {
    const { other, told, ask } = await shop(leave);
    expect(await ask(`${other.origin}/list`, { "x-key": "shoes", ...more }, query)).toBe("missing");
    expect(told.map(({ method }) => method)).toEqual(["OPTIONS"]);
  });

  it("asks one that gives leave, for leave first", async () => {
    const { other, told, ask } = await shop();
    expect(await ask(`${other.origin}/list`, { "x-key": "shoes" })).toBe("offers for shoes");
    expect(await ask(`${other.origin}/list`, {}, "hats")).toBe("offers for hats");
    expect(told.map(({ method }) => method)).toEqual(["OPTIONS", "GET", "OPTIONS", "POST"]);
    expect(told[0]).toEqual({ method: "OPTIONS", key: undefined, secret: false, query: "" });
  });

  it("gets no answer in which its server named another origin, and shares what everybody gets", async () => {
    const { other, page } = await shop();
    const origins: unknown[] = [];
    other.answers["/weather"] = ({ method, headers }, response) => {
      const { origin = "*" } = headers;
      if (method === "GET") origins.push(origin);
      response.writeHead(200, { ...LEAVE, "access-control-allow-origin": origin, vary: "Origin" }).end("21");
    };
    const named = async (origin: string, own: Record<string, string>) => {
      const usual = Object.keys(own).length === 0 ? {} : { origin };
      const answer = await page.answer("GET", `${other.origin}/weather`, "", { usual, own, query: null });
      return answer.kind === "media" ? answer.headers["access-control-allow-origin"] : answer.kind;
    };
    const sites = ["https://one.example", "https://two.example"];
    for (const site of [...sites, ...sites]) expect(await named(site, { "x-key": "1" })).toBe(site);
    for (const site of sites) expect(await named(site, {})).toBe("*");
    expect(origins).toEqual([...sites, "*"]);
  });

  it("asks any with a format of its own, which browsers let pages ask everybody for", async () => {
    const { other, told, ask } = await shop();
    expect(await ask(`${other.origin}/list`, { accept: "text/csv" })).toBe("missing");
    expect(told.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("is refused more headers than servers take", async () => {
    const { own, told, ask } = await shop();
    expect(await ask(`${own.origin}/list`, { "x-key": "k".repeat(MOST_HEADER_CHARS) })).toBe("refused");
    expect(told).toEqual([]);
  });
});
