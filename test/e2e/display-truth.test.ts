import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VendorClient } from "../../src/client/vendor-client.ts";
import { readOpening } from "../../src/core/opening-hours.ts";
import { RecordArchive } from "../../src/player/record/record-archive.ts";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots } from "../support/creatives/running-order.ts";
import { type FakeConnector, fakeConnector, lackingNamespaces } from "../support/display/fake-connector.ts";
import { startWall } from "../support/display/wall.ts";
import { checkoutPlayer, eventually, type Running } from "../support/machine/processes.ts";
import { readHealth, readMetrics } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const { PATH } = process.env;
/** Of the virtual X server's only output. */
const OUTPUT = "screen";
/** Programs are asked every half a minute, and each waits for up to 15 s where items come in sight all the time. */
const ASKED_WITHIN_MS = 120_000;
const CLOSES = Date.parse("2026-01-01T08:00:00Z");

let rig: Rig;
let connector: FakeConnector;
let player: Running;

beforeAll(async () => {
  rig = await openRig({ width: 960, height: 540 });
  connector = fakeConnector(rig.home, OUTPUT);
  process.env.PATH = `${connector.bin}:${PATH}`;
  await rig.emulator.next(plannedSpots(catalogue, 200));
});

afterAll(() => {
  process.env.PATH = PATH;
  return rig?.close();
});

/** Plays in a world where the kernel tells of the connector. */
function play(changes: object = {}): Running {
  return rig.play(["--config", rig.configure(changes)], connector.around(checkoutPlayer()));
}

async function panelIs(state: string): Promise<void> {
  const read = async () => ((await readHealth(rig.home))?.panel.state === state ? true : undefined);
  await eventually(`a display that is ${state}`, read, ASKED_WITHIN_MS);
}

/** Items that the network has taken a proof of. */
async function proved(): Promise<number> {
  const items = (await rig.emulator.ledger()).flatMap(({ news, ad }) => [news, ad]);
  return items.filter((item) => item?.pops.some(({ verdict }) => verdict === "counted")).length;
}

async function provedMore(than: number): Promise<void> {
  await eventually("another proof", async () => ((await proved()) > than ? true : undefined));
}

interface Row {
  readonly screenId: string | null;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly display: string | null;
  readonly notice: string | null;
}

/** The rows of the playout record, but for those about itself. */
function rows(on = rig): readonly Row[] {
  const archive = new RecordArchive(join(on.home, "data", "proofs.db"));
  try {
    const { span } = archive.extent() ?? {};
    return span === undefined
      ? []
      : [...archive.rows(span)].filter(({ type }) => ["playout", "display"].includes(type));
  } finally {
    archive.close();
  }
}

describe.skipIf(lackingNamespaces() !== null)("a player that reads its display back", () => {
  beforeAll(() => {
    player = play();
  });

  afterAll(() => player.stop());

  it("proves and records items as it always did where nothing tells of the display", async () => {
    await provedMore(1);
    expect((await readHealth(rig.home))?.panel).toEqual({ state: "unknown", by: [] });
    expect(rows().filter(({ outcome }) => outcome === "shown")).not.toEqual([]);
    expect(new Set(rows().map(({ display }) => display))).toEqual(new Set(["unknown"]));
  });

  it("proves nothing of what was sent to a display that is known to be off, and asks for nothing", async () => {
    await eventually("an item on air", async () =>
      typeof (await readHealth(rig.home))?.onAir === "object" ? true : undefined,
    );
    connector.kernel({ dpms: "Off" });
    await panelIs("off");
    await eventually("a hidden item", () => (rows().at(-1)?.reason === "hidden" ? true : undefined));
    // What was sent before is taken by now: proofs go out within a second.
    await eventually("all proofs", async () => ((await readHealth(rig.home))?.proofs.owed === 0 ? true : undefined));
    const before = [await proved(), (await rig.emulator.ledger()).length, rows().length];
    expect(rows().at(-1)).toMatchObject({ outcome: "failed", reason: "hidden", display: "hidden" });
    expect((await readHealth(rig.home))?.panel).toEqual({ state: "off", by: ["drm says dpms Off"] });
    expect((await readHealth(rig.home))?.onAir).toBe("nothing");
    // As long as a few items would have taken.
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    expect([await proved(), (await rig.emulator.ledger()).length, rows().length]).toEqual(before);
  });

  it("plays and proves again once it is not known to be off", async () => {
    const before = await proved();
    connector.kernel({ dpms: "On" });
    await provedMore(before);
    expect(rows().at(-1)).toMatchObject({ outcome: "shown", reason: null, display: "unknown" });
  });

  it("records that it was on where the monitor says so itself", async () => {
    connector.monitor("1");
    await panelIs("on");
    await eventually("an item that was seen", () => (rows().at(-1)?.display === "on" ? true : undefined));
    expect(rows().at(-1)).toMatchObject({ outcome: "shown", display: "on" });
  });

  it("hides its items once the monitor says that it is off, though its cable says nothing", async () => {
    connector.monitor("4");
    await panelIs("off");
    await eventually("a hidden item", () => (rows().at(-1)?.reason === "hidden" ? true : undefined));
    expect((await readHealth(rig.home))?.panel.by).toEqual(["ddc says power mode x04"]);
    connector.monitor(null);
  });

  it("can still be stopped", async () => {
    expect(await player.stop()).toBe(0);
  });
});

describe.skipIf(lackingNamespaces() !== null)("two screens on displays of their own", () => {
  const shown = (screenId: string, on: Rig) =>
    rows(on).filter((row) => row.screenId === screenId && row.outcome === "shown").length;
  const LEFT = "screen_kiosk";
  let wall: Rig;

  beforeAll(async () => {
    wall = await openRig({ start: startWall });
    for (const screenId of [LEFT, wall.emulator.screenId]) {
      await wall.emulator.next(plannedSpots(catalogue, 60), screenId);
    }
  });

  afterAll(() => wall?.close());

  it("are hidden each by its own display", async () => {
    const right = wall.emulator.screenId;
    const [leftDisplay] = ["DUMMY0", "DUMMY1"].map((name) => fakeConnector(wall.home, name));
    const screens = [LEFT, right].map((screenId, index) => ({ screenId, display: { match: index + 1 } }));
    const config = wall.configure({ screenId: undefined, screens });
    const both = wall.play(["--config", config], (leftDisplay as FakeConnector).around(checkoutPlayer()));
    await eventually("its health", () => readHealth(wall.home));
    await eventually("items on both", () => (shown(LEFT, wall) && shown(right, wall) ? true : undefined));
    leftDisplay?.kernel({ dpms: "Off" });
    await eventually("a hidden item", () => (rows(wall).some(({ reason }) => reason === "hidden") ? true : undefined));
    const [before, beforeRight] = [shown(LEFT, wall), shown(right, wall)];
    await eventually("more on the right", () => (shown(right, wall) > beforeRight + 2 ? true : undefined));
    expect(shown(LEFT, wall)).toBe(before);
    const health = await readHealth(wall.home);
    expect(health?.screens?.map(({ panel, onAir }) => [panel.state, onAir === "nothing"])).toEqual([
      ["off", true],
      ["unknown", false],
    ]);
    expect(await both.stop()).toBe(0);
  });
});

describe.skipIf(lackingNamespaces() !== null)("a display that is switched outside opening hours", () => {
  beforeAll(async () => {
    connector.monitor("1");
    connector.deafen(true);
    const reading = readOpening("thu 08:00-09:00");
    if (reading.kind === "unreadable") throw new Error(reading.problems.join());
    const service = new VendorClient(rig.emulator);
    await service.updateLocation("loc_harbour", { opening_168: [...reading.hours] });
    await setClock(CLOSES + 60_000);
    player = play({ openingHours: { respect: true }, display: { power: "ddc" } });
  });

  const setClock = (at: number) => rig.emulator.control("PUT", "/control/clock", { now: new Date(at).toISOString() });
  const isClosed = async () => ((await readHealth(rig.home))?.status === "closed" ? true : undefined);

  it("and does not obey is told of in health, metrics and the record, and ordered again", async () => {
    await eventually("a closed screen", isClosed);
    const trouble = await eventually(
      "a trouble",
      async () => (await readHealth(rig.home))?.displayTrouble ?? undefined,
      ASKED_WITHIN_MS,
    );
    expect(trouble).toBe("the display does not go off by ddc: it is on: ddc says power mode x01");
    expect(connector.orders().filter((order) => order === "4").length).toBeGreaterThan(1);
    const notice = rows().at(-1)?.notice ?? "";
    expect(JSON.parse(notice)).toEqual({ screenId: rig.emulator.screenId, switched: "off", state: "on" });
    expect(await readMetrics(rig.home)).toContain("spotloop_panel_failing 1");
  });

  it("and obeys at last is off, which is no trouble and hides nothing", async () => {
    connector.deafen(false);
    await panelIs("off");
    const health = await eventually("no trouble", async () => {
      const report = await readHealth(rig.home);
      return report?.displayTrouble === null ? report : undefined;
    });
    expect(health).toMatchObject({ status: "closed", onAir: "nothing", lastError: null });
    expect(await readMetrics(rig.home)).toContain('spotloop_panel_state{state="off"} 1');
  });

  it("is on for the next program", async () => {
    expect(await player.stop()).toBe(0);
    expect([connector.orders()[0], connector.orders().at(-1)]).toEqual(["1", "1"]);
  });
});
