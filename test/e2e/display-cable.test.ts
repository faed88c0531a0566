import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots } from "../support/creatives/running-order.ts";
import { type FakeConnector, fakeConnector, lackingNamespaces } from "../support/display/fake-connector.ts";
import { displayRows, openPanelRig, type PanelRig } from "../support/display/panel-rig.ts";
import { startWall } from "../support/display/wall.ts";
import { checkoutPlayer, eventually, type Running } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

describe.skipIf(lackingNamespaces() !== null)("a player to which the kernel tells of its display", () => {
  let rig: PanelRig;
  let player: Running;

  beforeAll(async () => {
    rig = await openPanelRig();
    player = rig.start();
  });

  afterAll(() => rig?.close());

  /** Items that the network has taken a proof of. */
  async function proved(): Promise<number> {
    const items = (await rig.emulator.ledger()).flatMap(({ news, ad }) => [news, ad]);
    return items.filter((item) => item?.pops.some(({ verdict }) => verdict === "counted")).length;
  }

  async function provedMore(than: number): Promise<void> {
    await eventually("another proof", async () => ((await proved()) > than ? true : undefined));
  }

  it("proves and records items as it always did where nothing tells of the display", async () => {
    await provedMore(1);
    expect((await readHealth(rig.home))?.panel).toEqual({ state: "unknown", by: [] });
    expect(rig.rows().filter(({ outcome }) => outcome === "shown")).not.toEqual([]);
    expect(new Set(rig.rows().map(({ display }) => display))).toEqual(new Set(["unknown"]));
  });

  it("proves nothing of what was sent to a display that is known to be off, and asks for nothing", async () => {
    await eventually("an item on air", async () =>
      typeof (await readHealth(rig.home))?.onAir === "object" ? true : undefined,
    );
    rig.connector.kernel({ dpms: "Off" });
    await rig.panelIs("off");
    await eventually("a hidden item", () => (rig.rows().at(-1)?.reason === "hidden" ? true : undefined));
    // What was sent before is taken by now: proofs go out within a second.
    await eventually("all proofs", async () => ((await readHealth(rig.home))?.proofs.owed === 0 ? true : undefined));
    const before = [await proved(), (await rig.emulator.ledger()).length, rig.rows().length];
    expect(rig.rows().at(-1)).toMatchObject({ outcome: "failed", reason: "hidden", display: "hidden" });
    expect((await readHealth(rig.home))?.panel).toEqual({ state: "off", by: ["drm says dpms Off"] });
    expect((await readHealth(rig.home))?.onAir).toBe("nothing");
    // As long as a few items would have taken.
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    expect([await proved(), (await rig.emulator.ledger()).length, rig.rows().length]).toEqual(before);
  });

  it("plays and proves again once it is not known to be off", async () => {
    const before = await proved();
    rig.connector.kernel({ dpms: "On" });
    await provedMore(before);
    expect(rig.rows().at(-1)).toMatchObject({ outcome: "shown", reason: null, display: "unknown" });
  });

  it("can still be stopped", async () => {
    expect(await player.stop()).toBe(0);
  });
});

describe.skipIf(lackingNamespaces() !== null)("two screens on displays of their own", () => {
  const LEFT = "screen_kiosk";
  let wall: Rig;

  beforeAll(async () => {
    wall = await openRig({ start: startWall });
    for (const screenId of [LEFT, wall.emulator.screenId]) {
      await wall.emulator.next(plannedSpots(readCatalogue(), 60), screenId);
    }
  });

  afterAll(() => wall?.close());

  it("are hidden each by its own display", async () => {
    const rows = () => displayRows(wall);
    const shown = (screenId: string) =>
      rows().filter((row) => row.screenId === screenId && row.outcome === "shown").length;
    const right = wall.emulator.screenId;
    const [leftDisplay] = ["DUMMY0", "DUMMY1"].map((name) => fakeConnector(wall.home, name));
    const screens = [LEFT, right].map((screenId, index) => ({ screenId, display: { match: index + 1 } }));
    const config = wall.configure({ screenId: undefined, screens });
    const both = wall.play(["--config", config], (leftDisplay as FakeConnector).around(checkoutPlayer()));
    await eventually("its health", () => readHealth(wall.home));
    await eventually("items on both", () => (shown(LEFT) && shown(right) ? true : undefined));
    leftDisplay?.kernel({ dpms: "Off" });
    await eventually("a hidden item", () => (rows().some(({ reason }) => reason === "hidden") ? true : undefined));
    const [before, beforeRight] = [shown(LEFT), shown(right)];
    await eventually("more on the right", () => (shown(right) > beforeRight + 2 ? true : undefined));
    expect(shown(LEFT)).toBe(before);
    const health = await readHealth(wall.home);
    expect(health?.screens?.map(({ panel, onAir }) => [panel.state, onAir === "nothing"])).toEqual([
      ["off", true],
      ["unknown", false],
    ]);
    expect(await both.stop()).toBe(0);
  });
});
