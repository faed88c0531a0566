import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { HAS_SMALL_DISKS, smallDisk } from "../support/machine/small-disk.ts";
import { openScenario } from "../support/player/scenario.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MIB = 1024 * 1024;
const BALLAST_BYTES = 2 * MIB;

describe.skipIf(!HAS_SMALL_DISKS)("a player whose disk runs full", () => {
  async function playing() {
    const disk = smallDisk(24 * MIB);
    const scenario = await openScenario(disk.path, { ballastBytes: BALLAST_BYTES });
    onTestFinished(() => scenario.close());
    await scenario.pass(70 * SECOND);
    return { disk, scenario, ballast: join(disk.path, "ballast") };
  }

  it("has kept some of it aside by then", async () => {
    const { ballast } = await playing();
    expect(statSync(ballast).size).toBe(BALLAST_BYTES);
  });

  it("gives up media and then what it kept aside, keeps every proof, and lays it aside again when there is room", async () => {
    const { disk, scenario, ballast } = await playing();
    const fills: (() => void)[] = [];
    scenario.cutNetwork(true);
    const before = scenario.stage.showings.length;
    for (let turn = 0; turn < 6; turn++) {
      fills.push(disk.fill());
      await scenario.pass(5 * SECOND);
    }
    const shown = scenario.stage.showings.length - before;
    expect(shown).toBeGreaterThan(0);
    for (const free of fills) free();
    scenario.cutNetwork(false);
    await scenario.pass(3 * MINUTE, 200);
    const { owed, delivered, refused, expired } = scenario.player().proofs.counts();
    expect({ refused, expired }).toEqual({ refused: 0, expired: 0 });
    expect(owed + delivered).toBeGreaterThanOrEqual(scenario.stage.showings.length - 1);
    expect(existsSync(ballast)).toBe(true);
    const verdicts = scenario.emulator
      .spots()
      .flatMap(({ news, ad }) => [news, ad])
      .flatMap((item) => item?.pops.map(({ verdict }) => verdict) ?? []);
    expect(new Set(verdicts)).toEqual(new Set(["counted"]));
  });
});
