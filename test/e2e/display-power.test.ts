import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VendorClient } from "../../src/client/vendor-client.ts";
import { readOpening } from "../../src/core/opening-hours.ts";
import { lackingNamespaces } from "../support/display/fake-connector.ts";
import { ASKED_WITHIN_MS, openPanelRig, type PanelRig } from "../support/display/panel-rig.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { readHealth, readMetrics } from "../support/player/health.ts";

const AFTER_HOURS = "2026-01-01T08:01:00.000Z";

let rig: PanelRig;
let player: Running;

beforeAll(async () => {
  rig = await openPanelRig();
  rig.connector.monitor("1");
  rig.connector.deafen(true);
  const reading = readOpening("thu 08:00-09:00");
  if (reading.kind === "unreadable") throw new Error(reading.problems.join());
  await new VendorClient(rig.emulator).updateLocation("loc_harbour", { opening_168: [...reading.hours] });
  await rig.emulator.control("PUT", "/control/clock", { now: AFTER_HOURS });
  player = rig.start({ openingHours: { respect: true }, display: { power: "ddc" } });
});

afterAll(() => rig?.close());

describe.skipIf(lackingNamespaces() !== null)("a display that is switched outside opening hours", () => {
  it("and does not obey is told of in health, metrics and the record, and ordered again", async () => {
    await eventually("a closed screen", async () =>
      (await readHealth(rig.home))?.status === "closed" ? true : undefined,
    );
    const trouble = await eventually(
      "a trouble",
      async () => (await readHealth(rig.home))?.displayTrouble ?? undefined,
      ASKED_WITHIN_MS,
    );
    expect(trouble).toBe("the display does not go off by ddc: it is on: ddc says power mode x01");
    expect(rig.connector.orders().filter((order) => order === "4").length).toBeGreaterThan(1);
    const notice = rig.rows().at(-1)?.notice ?? "";
    expect(JSON.parse(notice)).toEqual({ screenId: rig.emulator.screenId, switched: "off", state: "on" });
    expect(await readMetrics(rig.home)).toContain("spotloop_panel_failing 1");
  });

  it("and obeys at last is off, which is no trouble and hides nothing", async () => {
    rig.connector.deafen(false);
    await rig.panelIs("off");
    const health = await eventually("no trouble", async () => {
      const report = await readHealth(rig.home);
      return report?.displayTrouble === null ? report : undefined;
    });
    expect(health).toMatchObject({ status: "closed", onAir: "nothing", lastError: null });
    expect(await readMetrics(rig.home)).toContain('spotloop_panel_state{state="off"} 1');
  });

  it("is on for the next program", async () => {
    expect(rig.connector.orders().at(-1)).toBe("4");
    expect(await player.stop()).toBe(0);
    expect(rig.connector.orders().at(-1)).toBe("1");
  });
});
