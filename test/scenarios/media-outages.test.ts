import { describe, expect, it, onTestFinished } from "vitest";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { openScenario, type Scenario } from "../support/player/scenario.ts";

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

describe.each(Object.entries(TROUBLES))("media that cannot be had for %s", (_, faultAction) => {
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
    emulator.setFaults([{ match: { route: "media", kind: "news" }, do: faultAction }]);
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

/** Spots are asked for again this long after a trouble; bytes that were broken, as long after it as it lasted. */
const PATIENCE_MS = 5 * MINUTE;
/** As long as in the field: hours of items of a second would be thousands. */
const LENGTH_MS = 15 * SECOND;
/** Pages have no mark by which another page could be told from them, so they are not in these. */
const PICTURES = {
  news: {
    ...{ ...item, duration: LENGTH_MS },
    ...{ id: "news-headlines", mimeType: "image/jpeg", url: "creatives/news-headlines.jpg" },
  },
  ad: { ...item, duration: LENGTH_MS },
};
const SPOTS = 1_000;

describe.each([...Object.entries(TROUBLES), ["all of them in turn", null] as const])(
  "an outage of media by %s",
  (_, faultAction) => {
    it.each([
      ["5 s", 5 * SECOND],
      ["61 min", 61 * MINUTE],
    ])("for %s shows and proves nothing of it, and plays on after it", { timeout: 600_000 }, async (_length, forMs) => {
      const scenario = await opened();
      const { emulator, stage } = scenario;
      emulator.next(
        emulator.screenId,
        Array.from({ length: SPOTS }, () => PICTURES),
      );
      emulator.setFaults(mediaFaults(faultAction));
      await scenario.pass(forMs, 5 * SECOND);
      expect(stage.showings).toEqual([]);
      emulator.setFaults([]);
      const playsOn = () => stage.showings.length > 4;
      for (let left = forMs + PATIENCE_MS; left > 0 && !playsOn(); left -= MINUTE) await scenario.pass(MINUTE, SECOND);
      expect(playsOn()).toBe(true);
      await scenario.pass(LENGTH_MS);
      const { owed, delivered, refused, expired } = scenario.player().proofs.counts();
      expect({ proofs: owed + delivered, refused, expired }).toEqual({
        ...{ proofs: stage.showings.length, refused: 0, expired: 0 },
      });
      expect(new Set(verdicts(scenario).flat())).toEqual(new Set(["counted"]));
    });
  },
);

function mediaFaults(faultAction: Mischief | null): FaultFile[] {
  const all = faultAction === null ? Object.values(TROUBLES) : [faultAction];
  const match = { route: "media" } as const;
  return all.map((one, index) => ({ match, do: one, probability: index === all.length - 1 ? 1 : 0.3 }));
}
