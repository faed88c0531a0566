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
import { eventually, type LedgerSpot, type Running } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const eye = await openEye();
const all = plannedSpots(catalogue, 40);
/** Among so many in a row is every form, and a page that comes after a clip. */
const WATCHED_SPOTS = 4;
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
  let expected: readonly string[];

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
    const areAll = async () => ((await proved()) >= 2 * WATCHED_SPOTS ? true : undefined);
    const stalled = await stalls.until("the proofs", areAll, 90_000).catch((error: Error) => {
      // All of it: the item that was not proved may be the first.
      error.message += `; the player says: ${player.stderr.join("\n")}`;
      throw error;
    });
    const recorded = await recording.stop();
    const seen = sightingsIn(recorded, eye);
    const planned = shownItems(await watched(all));
    expected = planned.map(({ creative }) => creative);
    sights = seen.map(({ sight }) => sight);
    return strays(seen, planned, heldUp(stalled, recorded.instants));
  }

  /** How many items of the watched spots were proved once. */
  async function proved(): Promise<number> {
    const items = (await watched(await rig.emulator.ledger())).flatMap(({ news, ad }) => [news, ad]);
    return items.filter((item) => item?.pops.length === 1 && item.pops[0]?.verdict === "counted").length;
  }

  /** From the first one on; on icewm from the first one seen whole: what comes before a bar above is noticed fails. */
  async function watched<T>(spots: readonly T[]): Promise<readonly T[]> {
    const isSeen = ({ news, ad }: LedgerSpot) => [news, ad].every((item) => item?.pops.length);
    const first = session === "icewm" ? (await rig.emulator.ledger()).findIndex(isSeen) : 0;
    return first < 0 ? [] : spots.slice(first, first + WATCHED_SPOTS);
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
