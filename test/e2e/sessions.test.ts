import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startChild } from "../../scripts/setup/child.ts";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots, shownItems } from "../support/creatives/running-order.ts";
import { openEye } from "../support/display/eye.ts";
import { conclusive, strays } from "../support/display/punctuality.ts";
import { recordDisplay } from "../support/display/recording.ts";
import { resizeOutput, SESSIONS, startSession } from "../support/display/sessions.ts";
import { sightingsIn } from "../support/display/sightings.ts";
import { heldUp, watchStalls } from "../support/display/stalls.ts";
import { watchDisplay } from "../support/display/watching.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const eye = await openEye();
const all = plannedSpots(catalogue, 40);
/** Every form is among them, and pages that come after clips. */
const spots = all.slice(0, 4);
const planned = shownItems(spots);
const expected = planned.map(({ creative }) => creative);
const [WIDTH, HEIGHT] = [640, 360];

const isWhole = (sight: string) => catalogue.creatives.some(({ name }) => name === sight);

async function airs({ home }: Rig, onAir: "an item" | "nothing", withinMs?: number): Promise<void> {
  const isSo = async () => {
    const now = (await readHealth(home))?.onAir;
    return (onAir === "nothing" ? now === "nothing" : typeof now === "object") || undefined;
  };
  await eventually(`${onAir} on air`, isSo, withinMs);
}

describe.each(SESSIONS)("a player on %s", (session) => {
  let rig: Rig;
  let player: Running;
  let sights: readonly string[];

  beforeAll(async () => {
    await conclusive(`sessions, ${session}`, play, () => rig.close());
  }, 240_000);

  afterAll(() => rig?.close());

  /** Lets it play what is planned; where the machine stood still, what was seen between items says nothing. */
  async function play() {
    rig = await openRig({ start: () => startSession(session, WIDTH, HEIGHT) });
    await rig.emulator.next(all);
    const recording = await recordDisplay(rig.display.name, WIDTH, HEIGHT);
    player = rig.play(["--config", rig.configure()]);
    const stalls = watchStalls(player, rig.display);
    const areAll = async () => ((await proved()) >= expected.length ? true : undefined);
    const stalled = await stalls.until("the proofs", areAll, 90_000).catch((error: Error) => {
      // All of it: the item that was not proved may be the first.
      error.message += `; the player says: ${player.stderr.join("\n")}`;
      throw error;
    });
    const recorded = await recording.stop();
    const seen = sightingsIn(recorded, eye);
    sights = seen.map(({ sight }) => sight);
    return strays(seen, planned, heldUp(stalled, recorded.instants));
  }

  /** How many items of the planned spots were proved once. */
  async function proved(): Promise<number> {
    const items = (await rig.emulator.ledger()).slice(0, spots.length).flatMap(({ news, ad }) => [news, ad]);
    return items.filter((item) => item?.pops.length === 1 && item.pops[0]?.verdict === "counted").length;
  }

  it("shows items in order, filling the display, with nothing black or foreign between them", () => {
    const first = sights.indexOf(expected[0] ?? "");
    expect(sights.slice(first, first + expected.length)).toEqual(expected);
  });

  // There is no getting in front of it where it had to be taken out of the window manager's hands.
  it.skipIf(session === "cage" || session === "icewm")(
    "counts as hidden behind another full-screen window, and comes back in front",
    async () => {
      await airs(rig, "an item");
      const env = { ...process.env, DISPLAY: rig.display.name };
      const other = startChild("xterm", ["-fullscreen"], { env });
      await airs(rig, "nothing");
      await airs(rig, "an item");
      await other.stop();
    },
  );

  it.skipIf(session === "cage")("counts as hidden where somebody moved it aside, and goes back", async () => {
    await airs(rig, "an item");
    const env = { ...process.env, DISPLAY: rig.display.name };
    execFileSync("xdotool", ["search", "--name", "^Spotloop$", "windowmove", "200", "120"], { env });
    await airs(rig, "nothing");
    await airs(rig, "an item");
    const watch = await watchDisplay(rig.display, eye);
    await watch.until([isWhole, isWhole]);
    await watch.stop();
  });

  it("ends with 0 when it is asked to stop", async () => {
    expect(await player.stop()).toBe(0);
  });
});

it("a display that is turned under Wayland is filled as it is then", async () => {
  const rig = await openRig({ start: () => startSession("cage", WIDTH, HEIGHT) });
  onTestFinished(() => rig.close());
  await resizeOutput(rig.display, { width: HEIGHT, height: WIDTH });
  await rig.emulator.next(all);
  rig.play(["--config", rig.configure()]);
  await airs(rig, "an item", 90_000);
  await resizeOutput(rig.display, { width: WIDTH, height: HEIGHT });
  const watch = await watchDisplay(rig.display, eye);
  await watch.until([isWhole, isWhole]);
  await watch.stop();
});
