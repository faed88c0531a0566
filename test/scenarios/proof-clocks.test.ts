import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { ManualClock } from "../support/player/manual-clock.ts";
import { openScenario } from "../support/player/scenario.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEP_MS = SECOND;
const TRUTH = Date.UTC(2026, 2, 29, 0, 30);

interface Changes {
  readonly isSeen?: () => boolean;
  /** Answers in the network's place where it answers at all. */
  readonly instead?: (url: string) => Response | undefined;
}

/** A player whose wall clock is off, on a network whose clock is right; four items are shown, no proof gets through. */
async function shownInTheDark(wallOffMs = 0, { isSeen = () => true, instead }: Changes = {}) {
  const clock = new ManualClock(TRUTH + wallOffMs);
  let dark = true;
  const meddle = (url: string) => {
    if (dark && url.includes("/pop/")) throw new TypeError("cut");
    return instead?.(url);
  };
  const scenario = await openScenario(temporaryFolder(), { clock, meddle, isSeen });
  onTestFinished(() => scenario.close());
  const { emulator } = scenario;
  emulator.clock.set({ mode: "real", now: TRUTH });
  const short = { id: "short", title: "short", mimeType: "image/png", width: 1, height: 1, duration: SECOND };
  const item = { ...short, url: "creatives/ad-bakery.png" };
  emulator.next(
    emulator.screenId,
    [item, item].map((news) => ({ news, ad: item })),
  );
  const noMore = { match: { surface: "service", route: "spot" }, do: { empty: true } } as const;
  emulator.setFaults([{ ...noMore, skip: 2 }]);
  await scenario.pass(10 * SECOND);
  emulator.setFaults([noMore]);
  return {
    scenario,
    clock,
    light: () => {
      dark = false;
    },
    outcome: () => {
      const items = emulator.spots().flatMap(({ news, ad }) => [news, ad]);
      const verdicts = items.flatMap((of) => of?.pops.map(({ verdict }) => verdict) ?? []);
      const { owed, delivered, refused, expired } = scenario.player().proofs.counts();
      return { owed, delivered, refused, expired, verdicts };
    },
  };
}

const delivered = {
  owed: 0,
  delivered: 4,
  refused: 0,
  expired: 0,
  verdicts: ["counted", "counted", "counted", "counted"],
};
const expired = { owed: 0, delivered: 0, refused: 0, expired: 4, verdicts: [] };

/** A wall clock that is set while proofs are owed, by so much. */
const JUMPS: readonly (readonly [string, number])[] = [
  ["a day ahead", DAY],
  ["a day back", -DAY],
  ["an hour ahead, as when summer begins", HOUR],
  ["an hour back, as when summer ends", -HOUR],
  ["to 1970", -TRUTH],
];

describe("a wall clock that jumps", () => {
  it.each(JUMPS)("%s costs no proof that can be delivered in its hour, and repeats none", async (_, byMs) => {
    const { scenario, clock, light, outcome } = await shownInTheDark();
    await scenario.pass(20 * MINUTE, STEP_MS);
    clock.jumpWall(byMs);
    await scenario.pass(38 * MINUTE, STEP_MS);
    light();
    await scenario.pass(5 * MINUTE, STEP_MS);
    expect(outcome()).toEqual(delivered);
  });

  it.each(JUMPS)("%s sends none after its hour", async (_, byMs) => {
    const { scenario, clock, light, outcome } = await shownInTheDark();
    await scenario.pass(20 * MINUTE, STEP_MS);
    clock.jumpWall(byMs);
    await scenario.pass(41 * MINUTE, STEP_MS);
    light();
    await scenario.pass(5 * MINUTE, STEP_MS);
    expect(outcome()).toEqual(expired);
  });

  it.each(JUMPS)("%s while the player is down changes nothing either, within a boot", async (_, byMs) => {
    const { scenario, clock, light, outcome } = await shownInTheDark();
    clock.jumpWall(byMs);
    light();
    await scenario.restart();
    await scenario.pass(MINUTE, STEP_MS);
    expect(outcome()).toEqual(delivered);
  });

  it.each(JUMPS)("%s over a boot delivers what has some of its hour left", async (_, byMs) => {
    const { scenario, clock, light, outcome } = await shownInTheDark();
    clock.jumpWall(byMs);
    light();
    await scenario.reboot(40 * MINUTE, () => scenario.emulator.clock.set({ mode: "real", now: TRUTH + 40 * MINUTE }));
    await scenario.pass(MINUTE, STEP_MS);
    expect(outcome()).toEqual(delivered);
  });

  it.each(JUMPS)("%s over a boot decides nothing as long as the service does not answer", async (_, byMs) => {
    const { scenario, clock, light, outcome } = await shownInTheDark();
    clock.jumpWall(byMs);
    light();
    scenario.cutNetwork(true);
    await scenario.reboot(20 * MINUTE, () => scenario.emulator.clock.set({ mode: "real", now: TRUTH + 20 * MINUTE }));
    await scenario.pass(10 * MINUTE, STEP_MS);
    scenario.cutNetwork(false);
    await scenario.pass(5 * MINUTE, STEP_MS);
    expect(outcome()).toEqual(delivered);
  });

  it.each(JUMPS)("%s over a boot of more than an hour sends nothing", async (_, byMs) => {
    const { scenario, clock, light, outcome } = await shownInTheDark();
    clock.jumpWall(byMs);
    light();
    await scenario.reboot(61 * MINUTE, () => scenario.emulator.clock.set({ mode: "real", now: TRUTH + 61 * MINUTE }));
    await scenario.pass(MINUTE, STEP_MS);
    expect(outcome()).toEqual(expired);
  });
});

describe("a machine that believes it is 1970 when it starts", () => {
  it("delivers in the hour, though the clock is put right meanwhile", async () => {
    const { scenario, clock, light, outcome } = await shownInTheDark(-TRUTH);
    await scenario.pass(10 * MINUTE, STEP_MS);
    clock.jumpWall(TRUTH);
    await scenario.pass(10 * MINUTE, STEP_MS);
    light();
    await scenario.pass(2 * MINUTE, STEP_MS);
    expect(outcome()).toEqual(delivered);
  });

  it.each([
    ["delivers what was owed before, when it boots again with the right time", 30 * MINUTE, delivered],
    ["sends nothing of it when more than an hour has gone by", 62 * MINUTE, expired],
  ])("%s", async (_, offMs, expected) => {
    const { scenario, clock, light, outcome } = await shownInTheDark(-TRUTH);
    clock.jumpWall(TRUTH);
    light();
    await scenario.reboot(offMs, () => scenario.emulator.clock.set({ mode: "real", now: TRUTH + offMs }));
    await scenario.pass(MINUTE, STEP_MS);
    expect(outcome()).toEqual(expected);
  });

  it("keeps apart what it has settled under either clock, and forgets none of it too soon", async () => {
    const { scenario, clock, light, outcome } = await shownInTheDark(-TRUTH);
    light();
    await scenario.pass(2 * MINUTE, STEP_MS);
    clock.jumpWall(TRUTH);
    await scenario.pass(2 * HOUR, 10 * SECOND);
    expect(outcome()).toEqual(delivered);
  });
});

describe("a screen that nobody can see when its machine starts again", () => {
  it("asks for no spots, learns the service's time all the same, and delivers what was owed before", async () => {
    let seen = true;
    const { scenario, light, outcome } = await shownInTheDark(0, { isSeen: () => seen });
    seen = false;
    light();
    await scenario.reboot(30 * MINUTE, () => scenario.emulator.clock.set({ mode: "real", now: TRUTH + 30 * MINUTE }));
    await scenario.pass(MINUTE, STEP_MS);
    expect(outcome()).toEqual(delivered);
  });

  it("does so within minutes of the network's return, however long that was away", async () => {
    let seen = true;
    const { scenario, light, outcome } = await shownInTheDark(0, { isSeen: () => seen });
    seen = false;
    light();
    scenario.cutNetwork(true);
    await scenario.reboot(5 * MINUTE, () => scenario.emulator.clock.set({ mode: "real", now: TRUTH + 5 * MINUTE }));
    await scenario.pass(32 * MINUTE, STEP_MS);
    scenario.cutNetwork(false);
    await scenario.pass(5 * MINUTE, STEP_MS);
    expect(outcome()).toEqual(delivered);
  });
});

describe("answers that tell a wrong time", () => {
  it.each([
    ["the service's own, once in a while", 200, `{"data":null}`],
    ["of a host that answers 503 in its place, for an hour", 503, ""],
    ["of a host that answers 400 in its place, for an hour", 400, ""],
  ])("%s, move no clock and prune nothing (G13)", async (_, status, body) => {
    let [wrongs, asked] = [false, 0];
    const isWrong = (url: string) => url.includes("/rt_ad/") && wrongs && (status !== 200 || asked++ % 3 === 2);
    const { scenario, clock, light, outcome } = await shownInTheDark(0, {
      instead(url) {
        if (!isWrong(url)) return undefined;
        const date = new Date(TRUTH + clock.now() + 60 * DAY).toUTCString();
        return new Response(body, { status, headers: { date, "content-type": "application/json" } });
      },
    });
    light();
    await scenario.pass(2 * MINUTE, STEP_MS);
    wrongs = true;
    let worstMs = 0;
    for (let passedMs = 0; passedMs < 2 * HOUR; passedMs += 30 * SECOND) {
      if (passedMs >= HOUR) wrongs = false;
      await scenario.pass(30 * SECOND, 30 * SECOND);
      const { service } = scenario.player().serviceClock.read();
      worstMs = Math.max(worstMs, Math.abs((service ?? 0) - scenario.emulator.clock.now()));
    }
    expect({ far: worstMs > HOUR, ...outcome() }).toEqual({ far: false, ...delivered });
  });
});
