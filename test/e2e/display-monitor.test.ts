import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lackingNamespaces } from "../support/display/fake-connector.ts";
import { openPanelRig, type PanelRig } from "../support/display/panel-rig.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";

let rig: PanelRig;
let player: Running;

beforeAll(async () => {
  rig = await openPanelRig();
  player = rig.start();
});

afterAll(() => rig?.close());

/** What the record has of the last item that was shown: on a machine that has other work some are not. */
const shown = () => rig.rows().findLast(({ outcome }) => outcome === "shown");

describe.skipIf(lackingNamespaces() !== null)("a player whose monitor says itself whether it is on", () => {
  it("records that it was, from when it does", async () => {
    await eventually("its health", () => readHealth(rig.home));
    expect(await eventually("an item", shown)).toMatchObject({ display: "unknown" });
    rig.connector.monitor("1");
    await rig.panelIs("on");
    await eventually("an item that was seen", () => (shown()?.display === "on" ? true : undefined));
  });

  it("hides its items once the monitor is off, though its cable says nothing", async () => {
    rig.connector.monitor("4");
    await rig.panelIs("off");
    await eventually("a hidden item", () => (rig.rows().at(-1)?.reason === "hidden" ? true : undefined));
    expect((await readHealth(rig.home))?.panel.by).toEqual(["ddc says power mode x04"]);
  });

  it("can still be stopped", async () => {
    expect(await player.stop()).toBe(0);
  });
});
