import { EventEmitter } from "node:events";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PlayoutOutcome } from "../../src/core/spot.ts";
import { watchPower } from "../../src/main/boot/power.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { openScenario } from "../support/player/scenario.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A player in the midst of playing, on a machine that can sleep. */
async function playing() {
  const ends: [item: string, end: string][] = [];
  const onSettled = ({ id }: { id: string }, end: PlayoutOutcome) =>
    ends.push([id, end.kind === "shown" ? "shown" : end.reason]);
  const scenario = await openScenario(temporaryFolder(), { onSettled });
  onTestFinished(() => scenario.close());
  const monitor = new EventEmitter();
  const log = pino({ level: "silent" });
  onTestFinished(watchPower(monitor, scenario.clock, scenario.player(), log));
  const onAir = () => scenario.screen().loop.state().slot?.playout.id ?? "nothing";
  const waiting = () =>
    scenario
      .screen()
      .loop.state()
      .queue.map(({ playout }) => playout.id);
  /** Plays on until an item is on air whose spot has an item left, and another spot waits. */
  const untilReady = async () => {
    for (let turn = 0; turn < 400; turn++) {
      const { queue } = scenario.screen().loop.state();
      const isHalfway = onAir().endsWith("-news") && new Set(queue.map(({ playout }) => playout.spotNumber)).size > 1;
      if (isHalfway && queue.every(({ progress }) => progress !== "fetching" && progress !== "recording")) return;
      await scenario.pass(SECOND / 2);
    }
    throw new Error("no spot was ever ready");
  };
  await scenario.pass(5 * SECOND);
  await untilReady();
  const endsOf = (ids: readonly string[]) =>
    ids.map((id) => ends.filter(([other]) => other === id).map(([, end]) => end));
  const verdicts = () =>
    scenario.emulator
      .spots()
      .flatMap(({ news, ad }) => [news, ad])
      .flatMap((item) => item?.pops.map(({ verdict }) => verdict) ?? []);
  return { scenario, monitor, onAir, waiting, endsOf, verdicts };
}

describe("a machine that sleeps while it plays", () => {
  it("proves nothing that was on air, and plays no stale spot when it wakes (G2, G3)", async () => {
    const { scenario, onAir, waiting, endsOf, verdicts } = await playing();
    const [cut, stale] = [onAir(), waiting()];
    await scenario.clock.sleep(8 * 60 * MINUTE);
    await scenario.pass(2 * MINUTE);
    expect(endsOf([cut])).toEqual([["hidden"]]);
    expect(endsOf(stale)).toEqual(stale.map(() => ["stale"]));
    expect(new Set(verdicts())).toEqual(new Set(["counted"]));
    expect(scenario.stage.showings.length).toBeGreaterThan(3);
  });

  it("plays what is still fresh after a short sleep", async () => {
    const { scenario, onAir, waiting, endsOf } = await playing();
    const [cut, fresh] = [onAir(), waiting()];
    await scenario.clock.sleep(MINUTE);
    await scenario.pass(2 * MINUTE);
    expect(endsOf([cut])).toEqual([["hidden"]]);
    expect(endsOf(fresh)).toEqual(fresh.map(() => ["shown"]));
  });

  it("gives up what is on air as soon as it is about to sleep, and once more when it wakes", async () => {
    const { scenario, monitor, onAir, endsOf } = await playing();
    const cut = onAir();
    monitor.emit("suspend");
    expect(endsOf([cut])).toEqual([["hidden"]]);
    await scenario.pass(20 * SECOND);
    const begunSince = onAir();
    monitor.emit("resume");
    expect(begunSince).not.toBe(cut);
    expect(endsOf([begunSince])).toEqual([["hidden"]]);
  });

  it("sends proofs that fell due at once, and none of which the hour has passed (G8, G9)", async () => {
    const { scenario, verdicts } = await playing();
    scenario.cutNetwork(true);
    await scenario.pass(40 * SECOND);
    const { owed } = scenario.player().proofs.counts();
    expect(owed).toBeGreaterThan(0);
    const before = verdicts().length;
    scenario.cutNetwork(false);
    await scenario.clock.sleep(50 * MINUTE);
    await scenario.pass(2 * SECOND);
    expect(verdicts().length).toBe(before + owed);
    scenario.cutNetwork(true);
    await scenario.pass(MINUTE);
    scenario.cutNetwork(false);
    const late = scenario.player().proofs.counts().owed;
    expect(late).toBeGreaterThan(0);
    await scenario.clock.sleep(61 * MINUTE);
    await scenario.pass(SECOND);
    expect(scenario.player().proofs.counts()).toMatchObject({ owed: 0, expired: late });
    expect(new Set(verdicts())).toEqual(new Set(["counted"]));
  });
});
