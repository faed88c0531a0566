import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LARGEST_SPOT_BYTES, SPOT_TRIES, SpotClient, type SpotClientOptions } from "../../src/client/spot-client.ts";
import { answer, inTurn, nobody, type Served, serve } from "./server.ts";

const TOKEN = "org_very/secret token";
const never = () => new AbortController().signal;
const serviceAt = (baseUrl: string, options: Partial<SpotClientOptions> = {}) =>
  new SpotClient({
    baseUrl,
    orgToken: TOKEN,
    fetch,
    spotTimeoutMs: 5_000,
    proofTimeoutMs: 5_000,
    spotRetryMs: 0,
    ...options,
  });
const ask = (server: Served, options?: Partial<SpotClientOptions>) =>
  serviceAt(server.url, options).getSpot("s", never());

const item = {
  id: "ad-1",
  title: "Tea",
  mimeType: "video/mp4",
  width: 1920,
  height: 1080,
  duration: 6_000,
  url: "https://media.example/a.mp4",
  pop: "https://pop.example/p?t=1",
};
const spot = { data: { requestId: "r-1", billable: true, newsFirst: false, news: null, ad: item } };
const json = (body: unknown, status = 200) =>
  answer(status, { "content-type": "application/json" }, JSON.stringify(body));

describe("a request for a spot", () => {
  it("goes to the contract's path, token and screen percent-encoded", async () => {
    const server = await serve(inTurn(json(spot)));
    await serviceAt(`${server.url}/`).getSpot("lobby 1", never());
    expect(server.targets).toEqual(["/v3/vendor/org_very%2Fsecret%20token/1/rt_ad/lobby%201"]);
  });

  it("goes below a base URL with dots in it, and brings the spot", async () => {
    const server = await serve(inTurn(json(spot)));
    const outcome = await serviceAt(`${server.url}/forks/../a/./`).getSpot("s", never());
    expect(outcome).toMatchObject({ kind: "spot" });
    expect(server.targets).toEqual(["/a/v3/vendor/org_very%2Fsecret%20token/1/rt_ad/s"]);
  });

  it("brings a spot, and the service's time with it", async () => {
    const date = "Wed, 21 Oct 2026 07:28:00 GMT";
    const server = await serve(inTurn(answer(200, { date }, JSON.stringify(spot))));
    const outcome = await ask(server);
    expect(outcome).toMatchObject({ kind: "spot", malformed: [], serviceTime: Date.UTC(2026, 9, 21, 7, 28) });
    expect(outcome.kind === "spot" && outcome.spot.ad?.durationMs).toBe(6_000);
  });

  it("asks caches on the way for none of theirs, and takes no time from one that answers all the same (G13)", async () => {
    const date = "Wed, 21 Oct 2026 07:28:00 GMT";
    const asked: unknown[] = [];
    const server = await serve((request, response) => {
      asked.push(request.headers["cache-control"]);
      answer(200, { date, age: "90" }, JSON.stringify(spot))(response);
    });
    expect(await ask(server)).toMatchObject({ kind: "spot", answered: true, serviceTime: null });
    expect(asked).toEqual(["no-cache"]);
  });

  it("tells when each answer of the service's own was asked for and came, and no other's (G13)", async () => {
    const date = "Wed, 21 Oct 2026 07:28:00 GMT";
    const redirect = answer(302, { location: "/there", date });
    const server = await serve(inTurn(answer(503, { date }), redirect, answer(200, { date }, JSON.stringify(spot))));
    const told: unknown[] = [];
    let now = 0;
    const service = serviceAt(server.url, {
      // Each look at the clock finds it a second later.
      now: () => (now += 1_000),
      onTime: (time, span) => told.push([time, span]),
    });

    await service.getSpot("lobby-1", never());

    expect(told).toEqual([[Date.UTC(2026, 9, 21, 7, 28), { sentAt: 5_000, heardAt: 6_000 }]]);
  });

  it("takes the service's time from a spot wherever redirects led to it, and from nothing else there (G13)", async () => {
    const date = "Wed, 21 Oct 2026 07:28:00 GMT";
    const other = await serve(inTurn(answer(200, { date }, JSON.stringify(spot)), answer(200, { date }, "{}")));
    const server = await serve(inTurn(answer(307, { location: `${other.url}/there` })));
    const time = Date.UTC(2026, 9, 21, 7, 28);
    expect(await ask(server)).toMatchObject({ kind: "spot", answered: true, serviceTime: time });
    expect(await ask(server)).toMatchObject({ kind: "empty", answered: false, serviceTime: null });
  });

  it("brings the other item of a spot where one is malformed, and says which", async () => {
    const news = { ...item, duration: -1, newsType: "sport" };
    const server = await serve(inTurn(json({ data: { ...spot.data, news } })));
    expect(await ask(server)).toMatchObject({
      kind: "spot",
      spot: { news: null, ad: { id: "ad-1" } },
      malformed: [{ kind: "news" }],
    });
  });

  it.each([
    ["204", answer(204)],
    ["an empty body", answer(200)],
    ["a body of blanks", answer(200, {}, " \r\n")],
    ["no data", json({})],
    ["data null", json({ data: null })],
    ["neither news nor ad", json({ data: { ...spot.data, ad: null } })],
  ])("is empty with %s", async (_, reply) => {
    expect(await ask(await serve(inTurn(reply)))).toMatchObject({ kind: "empty", malformed: [] });
  });

  it.each([
    ["HTML with 200", answer(200, { "content-type": "text/html" }, "<h1>Welcome to Free WiFi</h1>")],
    ["half of a JSON text", answer(200, {}, '{"data":{"requestId":"r')],
    ["JSON that is no spot", json({ data: "tomorrow" })],
  ])("is unavailable with %s, and is not repeated for it", async (_, reply) => {
    const server = await serve(inTurn(reply));
    expect(await ask(server)).toMatchObject({ kind: "unavailable" });
    expect(server.targets).toHaveLength(1);
  });

  it("does not read an answer to its end that is longer than its limit", async () => {
    const server = await serve(inTurn(answer(200, {}, `"${"x".repeat(2 * LARGEST_SPOT_BYTES)}"`)));
    expect(await ask(server)).toMatchObject({ kind: "unavailable", reason: expect.stringContaining("longer than") });
  });

  it.each([401, 403, 404])("is denied with %i, once", async (status) => {
    const server = await serve(inTurn(answer(status)));
    expect(await ask(server)).toMatchObject({ kind: "denied", status });
    expect(server.targets).toHaveLength(1);
  });

  it.each([400, 405, 410, 422])("is refused with %i", async (status) => {
    expect(await ask(await serve(inTurn(answer(status))))).toMatchObject({ kind: "refused", status });
  });

  it.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 30_000],
    [{ "retry-after": "Wed, 21 Oct 2026 07:27:00 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, null],
    [{ "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, null],
    [{ "retry-after": "Wednesday, 21-Oct-26 07:28:30 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 30_000],
    [{ "retry-after": "Wed Oct 21 07:28:30 2026 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 30_000],
    [{ "retry-after": "999999999" }, 3_600_000],
    [{ "retry-after": "0" }, null],
    [{ "retry-after": "1.5" }, null],
    [{ "retry-after": "-1" }, null],
    // A fraction and a sign are years to Date.parse, this one in the future.
    [{ "retry-after": "2090.5" }, null],
    [{ "retry-after": "soon" }, null],
    [{}, null],
  ])("is limited with 429 and %o", async (headers, retryAfterMs) => {
    const server = await serve(inTurn(answer(429, headers as Record<string, string>)));
    expect(await ask(server)).toMatchObject({ kind: "limited", retryAfterMs });
    expect(server.targets).toHaveLength(1);
  });

  it.each(["Etc/UTC", "America/New_York", "Asia/Kolkata"])(
    "reads dates without a zone as UTC, which the third of their forms has none of, in %s too",
    async (zone) => {
      vi.stubEnv("TZ", zone);
      onTestFinished(() => void vi.unstubAllEnvs());
      const date = "Sun Nov  1 07:28:00 2026";
      const limited = answer(429, { "retry-after": "Sun Nov  1 07:28:30 2026", date: "Sun, 01 Nov 2026 07:28:00 GMT" });
      const server = await serve(inTurn(limited, answer(200, { date }, JSON.stringify(spot))));

      expect(await ask(server)).toMatchObject({ kind: "limited", retryAfterMs: 30_000 });
      expect(await ask(server)).toMatchObject({ kind: "spot", serviceTime: Date.UTC(2026, 10, 1, 7, 28) });
    },
  );

  it.each(["0", "-1", "1.5", "5"])("tells no time by the date %s, which is a year to Date.parse", async (date) => {
    const server = await serve(inTurn(answer(200, { date }, JSON.stringify(spot))));
    expect(await ask(server)).toMatchObject({ kind: "spot", answered: true, serviceTime: null });
  });

  it("is denied where token or screen hold half a character, which no address can", async () => {
    const server = await serve(inTurn(answer(404)));
    expect(await serviceAt(server.url).getSpot("s\ud800", never())).toMatchObject({ kind: "denied", status: 404 });
    expect(await ask(server, { orgToken: "\udc00" })).toMatchObject({ kind: "denied", status: 404 });
    expect(server.targets[0]).toMatch(/\/rt_ad\/s%EF%BF%BD$/);
  });

  it.each([408, 500, 503])("is repeated within its slot after %i, and brings the spot", async (status) => {
    const server = await serve(inTurn(answer(status), answer(status), json(spot)));
    expect(await ask(server)).toMatchObject({ kind: "spot" });
    expect(server.targets).toHaveLength(SPOT_TRIES);
  });

  it("is repeated after a broken connection", async () => {
    const server = await serve(inTurn((response) => response.destroy(), json(spot)));
    expect(await ask(server)).toMatchObject({ kind: "spot" });
  });

  it.each(["0", "-1", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT"])(
    "is repeated within its slot after a 503 with Retry-After: %s as after one without (A14)",
    async (value) => {
      const server = await serve(inTurn(answer(503, { "retry-after": value }), json(spot)));
      expect(await ask(server)).toMatchObject({ kind: "spot" });
    },
  );

  it("is given up after a few tries", async () => {
    const server = await serve(inTurn(answer(502)));
    expect(await ask(server)).toMatchObject({ kind: "unavailable", reason: "HTTP 502" });
    expect(server.targets).toHaveLength(SPOT_TRIES);
  });

  it("is not repeated where the service names a wait", async () => {
    const server = await serve(inTurn(answer(503, { "retry-after": "20" })));
    expect(await ask(server)).toMatchObject({ kind: "unavailable", retryAfterMs: 20_000 });
    expect(server.targets).toHaveLength(1);
  });

  it("runs out of time when nobody answers", async () => {
    const server = await serve(() => undefined);
    expect(await ask(server, { spotTimeoutMs: 20 })).toMatchObject({ kind: "unavailable", reason: "timeout" });
  });

  it("runs out of time when the body never ends, even where fetch pays no attention to its signal", async () => {
    const deaf = (async () => new Response(new ReadableStream())) as typeof fetch;
    const outcome = await serviceAt("http://127.0.0.1:9", { fetch: deaf, spotTimeoutMs: 20 }).getSpot("s", never());
    expect(outcome).toMatchObject({ kind: "unavailable", reason: "timeout" });
  });

  it("is called off by its signal, at once and before it began", async () => {
    const control = new AbortController();
    const server = await serve(() => control.abort());
    const client = serviceAt(server.url);
    expect(await client.getSpot("s", control.signal)).toMatchObject({ kind: "unavailable", reason: "called off" });
    expect(await client.getSpot("s", control.signal)).toMatchObject({ kind: "unavailable", reason: "called off" });
    expect(server.targets).toHaveLength(1);
  });

  it("follows a redirect that is written in UTF-8, as browsers do", async () => {
    const location = Buffer.from("/für?€", "utf8").toString("latin1");
    const server = await serve(inTurn(answer(302, { location }), json(spot)));
    expect(await ask(server)).toMatchObject({ kind: "spot" });
    expect(server.targets.at(-1)).toBe("/f%C3%BCr?%E2%82%AC");
  });

  it("follows five redirects and no sixth", async () => {
    const to = (stop: number) => answer(302, { location: `/stop/${stop}` });
    const five = await serve(inTurn(to(1), to(2), to(3), to(4), to(5), json(spot)));
    const endless = await serve(inTurn(to(1)));
    expect(await ask(five)).toMatchObject({ kind: "spot" });
    expect(await ask(endless)).toMatchObject({ kind: "unavailable" });
    expect(endless.targets).toHaveLength(6);
  });

  it.each([
    ["another protocol", "ftp://media.example/"],
    ["no URL at all", "http://"],
  ])("does not follow a redirect to %s", async (_, location) => {
    const server = await serve(inTurn(answer(302, { location })));
    expect(await ask(server)).toMatchObject({ kind: "unavailable" });
    expect(server.targets).toHaveLength(1);
  });

  it("never tells the token, whatever goes wrong", async () => {
    const page = answer(200, {}, `<h1>${TOKEN} ${encodeURIComponent(TOKEN)}</h1>`);
    const outcomes = [
      await ask(await serve(inTurn(page))),
      await ask(await serve(inTurn(json({ data: { news: TOKEN, ad: { id: TOKEN } } })))),
      await ask(await serve((_, response) => response.destroy())),
      await serviceAt(await nobody()).getSpot("s", never()),
      await serviceAt("not a URL").getSpot("s", never()),
    ];
    expect(JSON.stringify(outcomes)).not.toMatch(/very|secret/);
  });
});
