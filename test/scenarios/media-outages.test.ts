import { describe, expect, it, onTestFinished } from "vitest";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import { openScenario, type Scenario } from "../support/scenario.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Mischief = FaultFile["do"];

/** What comes between an item and its bytes, as long as it lasts. */
const TROUBLES: Readonly<Record<string, Mischief>> = {
  "a reset": { reset: true },
  "404": { status: 404 },
  "429": { status: 429 },
  "500": { status: 500 },
  "an empty answer": { empty: true },
  "a connection that brings nothing": { truncateAt: 0 },
  "too long a length": { wrongLength: 100 },
  "a page instead of the media": { status: 200, body: "<h1>Not here</h1>", contentType: "text/html" },
  "redirects round in circles": { redirect: true },
};

async function opened(): Promise<Scenario> {
  const scenario = await openScenario(temporaryFolder());
  onTestFinished(() => scenario.close());
  return scenario;
}

const bakery = { id: "ad-bakery", title: "bakery", mimeType: "image/png", width: 1280, height: 720, duration: SECOND };
const item = { ...bakery, url: "creatives/ad-bakery.png" };

function verdicts({ emulator }: Scenario): string[][] {
  return emulator
    .spots()
    .flatMap(({ news, ad }) => [news, ad])
    .map((one) => one?.pops.map(({ verdict }) => verdict) ?? []);
}

describe.each(Object.entries(TROUBLES))("media that cannot be had for %s", (_, mischief) => {
  it("costs its own item: the other one is shown and proved, and the next spot after the trouble is whole", async () => {
    const scenario = await opened();
    const { emulator, stage } = scenario;
    const other = { ...item, id: "news-headlines", mimeType: "image/jpeg", url: "creatives/news-headlines.jpg" };
    emulator.next(emulator.screenId, [
      { newsFirst: true, news: item, ad: other },
      { newsFirst: true, news: item, ad: other },
      { newsFirst: true, news: item, ad: other },
    ]);
    // Every try of the first spot, and whatever is tried of the second.
    emulator.setFaults([{ match: { route: "media", kind: "news" }, do: mischief }]);
    await scenario.pass(4 * SECOND);
    expect(stage.showings.map(({ item: shown }) => shown)).not.toContain("ad-bakery");
    expect(stage.showings.map(({ item: shown }) => shown)).toContain("news-headlines");
    await scenario.pass(3 * SECOND);
    const proved = verdicts(scenario);
    expect(proved[0]).toEqual([]);
    expect(proved[1]).toEqual(["counted"]);
    emulator.setFaults([]);
  });
});

it("is quarantined after three broken downloads, and plays again a day later", async () => {
  const scenario = await opened();
  const { emulator, stage } = scenario;
  const spots = Array.from({ length: 8 }, () => ({ news: item, ad: null }));
  emulator.next(emulator.screenId, spots);
  emulator.setFaults([
    { match: { route: "media" }, do: { status: 200, body: "no picture", contentType: "image/png" } },
  ]);
  await scenario.pass(3 * MINUTE, 500);
  const downloads = emulator.calls().filter(({ path }) => path.endsWith("ad-bakery.png"));
  expect(downloads).toHaveLength(3);
  expect(stage.showings.filter(({ item: shown }) => shown === "ad-bakery")).toEqual([]);
  emulator.setFaults([]);
  scenario.clock.jumpWall(24 * 60 * MINUTE);
  emulator.next(emulator.screenId, [{ news: item, ad: null }]);
  await scenario.pass(5 * MINUTE, 500);
  expect(stage.showings.map(({ item: shown }) => shown)).toContain("ad-bakery");
});

it("that an outage keeps away for 59 min is on screen again with the first spot after it", async () => {
  const scenario = await opened();
  const { emulator, stage } = scenario;
  emulator.setFaults([{ match: { route: "media" }, do: { reset: true } }]);
  await scenario.pass(59 * MINUTE, SECOND);
  expect(stage.showings).toEqual([]);
  expect(scenario.player().proofs.counts()).toMatchObject({ owed: 0, delivered: 0 });
  emulator.setFaults([]);
  await scenario.pass(3 * MINUTE, SECOND);
  expect(stage.showings.length).toBeGreaterThan(4);
  expect(new Set(verdicts(scenario).flat())).toEqual(new Set(["counted"]));
});
