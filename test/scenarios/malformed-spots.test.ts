import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { configOf } from "../../src/player/config/config.ts";
import { configFileSchema } from "../../src/player/config/schema.ts";
import { createMetrics } from "../../src/player/health/metrics.ts";
import { startPlayer } from "../../src/player/player.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { ManualClock } from "../support/player/manual-clock.ts";
import { SimulatedStage } from "../support/player/simulated-stage.ts";

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(1_000)]);
const STEP_MS = 50;
/** Real time for sockets after each step. */
const TURNS = 3;

/** A service of a few lines, so that it can send what no emulator would. */
async function serve(spotText: (spot: (id: string, change?: object) => object) => string, type = "application/json") {
  const asked: string[] = [];
  let origin = "";
  const good = (id: string, change: object = {}) => ({
    ...{ id, title: id, mimeType: "image/png", width: 1, height: 1, duration: 1_000 },
    ...{ url: `${origin}/media/${id}`, pop: `${origin}/pop/${id}` },
    ...change,
  });
  const server = createServer((request, response: ServerResponse) => {
    const path = request.url ?? "";
    asked.push(path);
    if (path.startsWith("/media/")) return void response.writeHead(200, { "content-type": "image/png" }).end(PNG);
    if (path.startsWith("/pop/")) return void response.end("{}");
    const spots = asked.filter((one) => one.includes("/rt_ad/")).length;
    if (spots === 1) return void response.writeHead(200, { "content-type": type }).end(spotText(good));
    const spot = { requestId: `good-${spots}`, billable: true, newsFirst: true };
    const data = { ...spot, news: { ...good(`news-${spots}`), newsType: "local" }, ad: good(`ad-${spots}`) };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin, asked };
}

/** Plays against it for ten virtual seconds; the first spot is the odd one. */
async function played(baseUrl: string): Promise<SimulatedStage> {
  const clock = new ManualClock();
  const stage = new SimulatedStage(clock);
  const dataDir = temporaryFolder();
  const player = await startPlayer({
    config: configOf(configFileSchema.parse({ baseUrl, orgToken: "t", screenId: "s" }), "t", dataDir),
    ...{ clock, fetch, metrics: createMetrics(), log: pino({ level: "silent" }), random: () => 0.5 },
    ...{ spotRetryMs: 0, downloadRetryMs: 0, ballastBytes: 0 },
  });
  const { loop } = player.play("s", stage);
  stage.connect((event) => loop.dispatch(event));
  for (let passed = 0; passed < 12_000; passed += STEP_MS) {
    await clock.advance(STEP_MS);
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await player.stop();
  return stage;
}

type Good = (id: string, change?: object) => object;
const spot = (news: unknown, ad: unknown, more: object = {}) =>
  JSON.stringify({ data: { requestId: "odd", billable: true, newsFirst: true, news, ad, ...more } });

/** One item of the spot is unusable; the other is all right (F18). */
const HALVES: Readonly<Record<string, object>> = {
  "no duration": { duration: undefined },
  "a duration of 0": { duration: 0 },
  "a negative duration": { duration: -5_000 },
  "a duration of 11 minutes": { duration: 660_000 },
  "a duration of 9999999999999": { duration: 9_999_999_999_999 },
  "a duration in words": { duration: "soon" },
  "a duration that is no number": { duration: { seconds: 5 } },
  "no url": { url: undefined },
  "a url of a file": { url: "file:///etc/passwd" },
  "a url that is none": { url: "not a url" },
  "a url in a list": { url: ["http://127.0.0.1/"] },
  "an unknown type": { mimeType: "application/x-shockwave-flash" },
  "no type": { mimeType: null },
  "no proof-of-play URL": { pop: undefined },
  "a proof-of-play URL of a script": { pop: "javascript:alert(1)" },
};

/** Nothing of the spot can be used. */
const WHOLES: Readonly<Record<string, readonly [(good: Good) => string, string?]>> = {
  "HTML with 200": [() => "<!doctype html><h1>Maintenance</h1>", "text/html"],
  "10 MB of JSON": [(good) => spot(good("a", { title: "x".repeat(10_000_000) }), null)],
  "JSON nested 100,000 deep": [() => `{"data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  "NaN, which is no JSON": [(good) => spot(good("a"), null).replace("1000", "NaN")],
  "a list": [() => "[]"],
  "a text": [() => '"spot"'],
  null: [() => "null"],
  "no data": [() => "{}"],
  "data of a wrong type": [() => '{"data":"soon"}'],
  "items of wrong types": [() => spot("news", 5)],
  "no bytes at all": [() => ""],
};

describe("a spot of which one item has", () => {
  it.each(Object.entries(HALVES))("%s costs that item only", async (_, change) => {
    const { origin, asked } = await serve((good) => spot(good("bad", change), good("fine")));
    const stage = await played(origin);
    const shown = stage.showings.map(({ item }) => item);
    expect(shown[0]).toBe("fine");
    expect(shown).not.toContain("bad");
    expect(shown).toContain("ad-2");
    expect(asked).toContain("/pop/fine");
    expect(asked).not.toContain("/pop/bad");
  });
});

describe("an answer that is", () => {
  it.each(Object.entries(WHOLES))("%s costs its own slot at most", async (_, [text, type]) => {
    const { origin, asked } = await serve(text, type);
    const stage = await played(origin);
    const shown = stage.showings.map(({ item }) => item);
    expect(shown.slice(0, 2)).toEqual(["news-2", "ad-2"]);
    expect(asked.filter((path) => /^\/pop\/[ab]$/.test(path))).toEqual([]);
  });
});

it("a spot without its requestId is played and proved all the same: its proof-of-play URLs are what counts", async () => {
  const { origin, asked } = await serve((good) => spot(good("a"), good("b"), { requestId: undefined }));
  const stage = await played(origin);
  expect(stage.showings.map(({ item }) => item).slice(0, 2)).toEqual(["a", "b"]);
  expect(asked).toContain("/pop/b");
});
