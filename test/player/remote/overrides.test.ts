import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { COMMAND_NAMES, type CommandName } from "../../../src/player/remote/commands.ts";
import { FORGOTTEN_AFTER_MS, Overrides } from "../../../src/player/remote/overrides.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

const MINUTE = 60_000;

function opened(folder: string, clock = new ManualClock(), allow: readonly CommandName[] = COMMAND_NAMES) {
  const path = join(folder, "overrides.json");
  const log = pino({ level: "silent" });
  const overrides = new Overrides({ path, allow, clock, time: () => clock.wall(), log });
  onTestFinished(() => overrides.close());
  return overrides;
}

describe("what the operator puts in place of spots", () => {
  it("is nothing at first", () => {
    const overrides = opened(temporaryFolder());
    expect([overrides.shown, overrides.reasons]).toEqual([null, []]);
  });

  it("is a message that stays, through restarts, until it is taken back", async () => {
    const folder = temporaryFolder();
    const clock = new ManualClock();
    await opened(folder, clock).showMessage("Leave", null);
    await clock.advance(24 * 60 * MINUTE);
    const later = opened(folder, clock);
    expect([later.shown, later.reasons]).toEqual([{ kind: "message", text: "Leave" }, ["overridden"]]);
    await later.takeBackMessage();
    expect(opened(folder, clock).shown).toBe(null);
  });

  it("is on the disk before anybody hears of it", async () => {
    const folder = temporaryFolder();
    const overrides = opened(folder);
    let kept = "";
    overrides.listen(async () => {
      kept = readFileSync(join(folder, "overrides.json"), "utf8");
    });
    await overrides.showMessage("Leave", null);
    expect(JSON.parse(kept)).toMatchObject({ message: { text: "Leave" } });
  });

  it("is a message that goes when its time is over, whether the player runs then or not", async () => {
    const folder = temporaryFolder();
    const clock = new ManualClock();
    const overrides = opened(folder, clock);
    let heard = 0;
    overrides.listen(async () => void heard++);
    await overrides.showMessage("Leave", 60);
    await clock.advance(MINUTE - 1);
    expect([overrides.shown?.kind, heard]).toEqual(["message", 1]);
    await clock.advance(1);
    expect([overrides.shown, heard]).toEqual([null, 2]);
    await overrides.showMessage("Leave", 60);
    overrides.close();
    await clock.advance(2 * MINUTE);
    expect(opened(folder, clock).shown).toBe(null);
  });

  it("is a message that is not lost where the clock is ahead after a restart, until the time is known", async () => {
    const folder = temporaryFolder();
    const clock = new ManualClock();
    await opened(folder, clock).showMessage("Leave", 8 * 3_600);
    clock.reboot(MINUTE);
    clock.jumpWall(9 * 60 * MINUTE);
    const overrides = opened(folder, clock);
    let heard = 0;
    overrides.listen(async () => void heard++);
    expect([overrides.shown, overrides.report().messageSince]).toEqual([null, null]);
    // Meanwhile the displays were switched, which writes the file.
    await overrides.switchDisplays(true);
    await clock.advance(5 * MINUTE);
    expect([overrides.shown, heard]).toEqual([null, 1]);
    clock.jumpWall(-9 * 60 * MINUTE);
    await clock.advance(10_000);
    expect([overrides.shown?.kind, heard]).toEqual(["message", 2]);
    await clock.advance(8 * 60 * MINUTE);
    expect([overrides.shown, heard]).toEqual([null, 3]);
  });

  it.each([
    ["eight hours back, as by the network on a machine that takes local time for UTC", -8 * 60 * MINUTE],
    ["decades ahead, as on one that began in 1970", 56 * 365 * 24 * 60 * MINUTE],
  ])("is a message that has its time where the clock is set meanwhile, %s", async (_, byMs) => {
    const folder = temporaryFolder();
    const clock = new ManualClock();
    const overrides = opened(folder, clock);
    let heard = 0;
    overrides.listen(async () => void heard++);
    await overrides.showMessage("Leave", 600);
    await clock.advance(MINUTE);
    clock.jumpWall(byMs);
    await clock.advance(MINUTE);
    const since = new Date(clock.wall() - 2 * MINUTE).toISOString();
    expect([overrides.report().messageSince, heard]).toEqual([since, 1]);
    clock.reboot(MINUTE);
    const after = opened(folder, clock);
    await clock.advance(6 * MINUTE);
    expect(after.shown?.kind).toBe("message");
    await clock.advance(MINUTE);
    expect(after.shown).toBe(null);
  });

  it("is a message that is forgotten once its time has been over for a while", async () => {
    const folder = temporaryFolder();
    const clock = new ManualClock();
    const overrides = opened(folder, clock);
    await overrides.showMessage("Leave", 60);
    await clock.advance(MINUTE + FORGOTTEN_AFTER_MS);
    expect(JSON.parse(readFileSync(join(folder, "overrides.json"), "utf8"))).toMatchObject({ message: null });
    clock.jumpWall(-60 * MINUTE);
    await clock.advance(MINUTE);
    expect(overrides.shown).toBe(null);
  });

  it("is a test card that ends by itself and in a restart, and that a message goes before", async () => {
    const folder = temporaryFolder();
    const clock = new ManualClock();
    const overrides = opened(folder, clock);
    await overrides.playTestCard(60);
    expect(overrides.shown).toEqual({ kind: "test-card" });
    await overrides.showMessage("Leave", null);
    expect(overrides.shown?.kind).toBe("message");
    await overrides.takeBackMessage();
    expect(overrides.shown?.kind).toBe("test-card");
    expect(opened(folder, clock).shown).toBe(null);
    await clock.advance(MINUTE);
    expect(overrides.shown).toBe(null);
  });

  it("is displays that stay off through restarts, with a message before that", async () => {
    const folder = temporaryFolder();
    await opened(folder).switchDisplays(false);
    const overrides = opened(folder);
    expect([overrides.reasons, overrides.report().displays]).toEqual([["switched-off"], "off"]);
    await overrides.showMessage("Leave", null);
    expect(overrides.reasons).toEqual(["overridden", "switched-off"]);
  });

  it("does not come back once it counted no more, when it is allowed again", async () => {
    const folder = temporaryFolder();
    const before = opened(folder);
    await before.showMessage("Leave", null);
    await before.switchDisplays(false);
    expect(opened(folder, undefined, ["message"]).reasons).toEqual(["overridden"]);
    expect(opened(folder).reasons).toEqual(["overridden"]);
    opened(folder, undefined, []);
    expect([opened(folder).shown, opened(folder).reasons]).toEqual([null, []]);
  });

  it("counts no more where nobody is allowed to take it back", async () => {
    const reopened = async (allow: readonly CommandName[]) => {
      const folder = temporaryFolder();
      const overrides = opened(folder);
      await overrides.showMessage("Leave", null);
      await overrides.switchDisplays(false);
      return opened(folder, new ManualClock(), allow);
    };
    expect((await reopened(["screenshot"])).reasons).toEqual([]);
    expect((await reopened(["display"])).reasons).toEqual(["switched-off"]);
  });

  it("is nothing where its file is broken, and is told where the disk takes nothing", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "overrides.json"), '{"off":tr');
    expect(opened(folder).reasons).toEqual([]);
    const lost = opened(join(folder, "not-there"));
    expect([await lost.showMessage("Leave", null), lost.shown?.kind]).toEqual([false, "message"]);
  });
});
