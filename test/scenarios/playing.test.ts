import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { openScenario, type Scenario } from "../support/player/scenario.ts";

let scenario: Scenario;
let dataDir: string;

beforeEach(async () => {
  dataDir = temporaryFolder();
  scenario = await openScenario(dataDir);
});
afterEach(() => scenario.close());

/** Of every item of the ledger's spots: the verdicts of its proofs. */
function verdicts(): (readonly string[])[] {
  return scenario.emulator
    .spots()
    .flatMap(({ newsFirst, news, ad }) => (newsFirst ? [news, ad] : [ad, news]))
    .map((item) => item?.pops.map(({ verdict }) => verdict) ?? []);
}

describe("a player against the emulator, on one clock", () => {
  it("shows spot after spot without a gap and proves each item once, never early", async () => {
    await scenario.pass(180_000);
    const { showings } = scenario.stage;
    expect(showings.length).toBeGreaterThan(25);
    const gaps = showings.slice(1).map(({ from }, index) => from - (showings[index]?.until ?? 0));
    expect(gaps.filter((gap) => gap !== 0)).toEqual([]);
    expect(verdicts().slice(0, showings.length)).toEqual(showings.map(() => ["counted"]));
    expect(verdicts().flat()).not.toContain("early");
  });

  it("asks for one spot per slot (G5)", async () => {
    await scenario.pass(180_000);
    expect(scenario.emulator.spots().length).toBeLessThanOrEqual(scenario.stage.showings.length / 2 + 2);
  });

  it("finds a bit that flips while a spot is ready, and fetches the file again before it is cued", async () => {
    const folder = join(dataDir, "media", "v1");
    await scenario.pass(1_000);
    for (let turn = 0; turn < 40; turn++) {
      await scenario.pass(1_000);
      for (const name of readdirSync(folder).filter((file) => !file.endsWith(".part"))) {
        const bytes = readFileSync(join(folder, name));
        bytes[0] = bytes.readUInt8(0) ^ 1;
        writeFileSync(join(folder, name), bytes);
      }
    }
    expect(scenario.stage.cued.length).toBeGreaterThan(5);
    expect(scenario.stage.cued.filter(({ digest, found }) => found !== digest)).toEqual([]);
  });

  it("keeps playing what is ready in an outage, and delivers the proofs after it", async () => {
    await scenario.pass(20_000);
    const before = scenario.stage.showings.length;
    scenario.cutNetwork(true);
    await scenario.pass(60_000);
    expect(scenario.stage.showings.length).toBeGreaterThan(before);
    expect(scenario.player().proofs.counts().owed).toBeGreaterThan(0);
    scenario.cutNetwork(false);
    await scenario.pass(130_000);
    expect(scenario.player().proofs.counts()).toMatchObject({ owed: 0, refused: 0, expired: 0 });
    expect(new Set(verdicts().flat())).toEqual(new Set(["counted"]));
  });

  it("delivers after a restart what was owed before it", async () => {
    await scenario.pass(20_000);
    scenario.cutNetwork(true);
    await scenario.pass(30_000);
    const { owed } = scenario.player().proofs.counts();
    expect(owed).toBeGreaterThan(0);
    await scenario.restart();
    scenario.cutNetwork(false);
    await scenario.pass(60_000);
    expect(scenario.player().proofs.counts().owed).toBeLessThanOrEqual(1);
    expect(
      verdicts()
        .flat()
        .filter((verdict) => verdict !== "counted"),
    ).toEqual([]);
  });

  it("plays the other item of a spot when one cannot be shown, and proves only that", async () => {
    scenario.stage.breakOn("news-transit", "undecodable");
    await scenario.pass(60_000);
    const shown = new Set(scenario.stage.showings.map(({ item }) => item));
    expect(shown).toContain("ad-coffee");
    expect(shown).not.toContain("news-transit");
    const transit = scenario.emulator.spots().flatMap(({ news }) => (news?.id === "news-transit" ? [news] : []));
    expect(transit.length).toBeGreaterThan(0);
    expect(transit.flatMap(({ pops }) => pops)).toEqual([]);
  });
});
