import { statSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { openScenario } from "../support/player/scenario.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ITEM_MS = 3 * SECOND;

const creative = (file: string, mimeType: string) => ({
  ...{ id: file, title: "", mimeType, width: 1, height: 1, duration: ITEM_MS },
  url: `creatives/${file}`,
});
const sizeOf = (file: string) => statSync(new URL(`../../assets/creatives/${file}`, import.meta.url)).size;

describe("a month's data that are used up", () => {
  it("stop neither spots nor proofs nor what is cached, and are told with their figures, after a restart too", async () => {
    const monthlyBytes = sizeOf("ad-bakery.png") + 10;
    const scenario = await openScenario(temporaryFolder(), { config: { network: { monthlyBytes } } });
    onTestFinished(() => scenario.close());
    const { emulator } = scenario;
    const [cached, other] = [creative("ad-bakery.png", "image/png"), creative("news-culture.webp", "image/webp")];
    const spots = [
      { news: cached, ad: cached },
      { news: other, ad: cached },
      { news: cached, ad: other },
    ];
    emulator.next(emulator.screenId, spots);
    const noMore = { match: { surface: "service", route: "spot" }, do: { empty: true } } as const;
    emulator.setFaults([{ ...noMore, skip: spots.length }]);
    await scenario.pass(5 * MINUTE, SECOND / 2);

    expect(emulator.spots().length).toBeGreaterThanOrEqual(spots.length);
    expect(scenario.player().proofs.counts()).toMatchObject({ owed: 0, delivered: 4, refused: 0, expired: 0 });
    expect(scenario.screen().health.report().onAir).toBe("house");
    const told = { usedBytes: sizeOf("ad-bakery.png"), monthlyBytes, refused: 2 };
    expect(scenario.player().data).toMatchObject(told);
    await scenario.restart();
    expect(scenario.player().data).toMatchObject(told);
  });
});
