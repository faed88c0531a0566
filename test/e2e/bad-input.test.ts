import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ordinaryUser } from "../../scripts/setup/user.ts";

import { BLACK, HOUSE, openEye } from "../support/display/eye.ts";
import { recordDisplay } from "../support/display/recording.ts";
import { sightingsIn } from "../support/display/sightings.ts";
import { PART, ROOM, startWall } from "../support/display/wall.ts";
import { renderersOf } from "../support/machine/proc.ts";
import { checkoutPlayer, eventually, type Running, startPlayerProcess } from "../support/machine/processes.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../support/machine/small-disk.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const TOKEN = "a-very-secret-token";
const eye = await openEye();
let rig: Rig;

beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

/** Everything a player wrote: its output, and its log files. */
function written(player: Running): string {
  const logs = join(rig.home, "data", "logs");
  const files = readdirSync(logs, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  return [...player.stdout, ...player.stderr, ...texts].join("\n");
}

async function lastSight(): Promise<string | undefined> {
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
  return sightingsIn(await recording.stop(), eye).at(-1)?.sight;
}

/** Where it does not come, what does is in the complaint. */
async function slate(): Promise<void> {
  let seen: string | undefined;
  const look = async () => {
    seen = await lastSight();
    return seen === HOUSE ? true : undefined;
  };
  await eventually("the slate", look).catch((error: unknown) => {
    throw new Error(`${error}; in sight is ${seen}`);
  });
}

describe("a player without a usable configuration", () => {
  it("says on the screen what is wrong, and plays as soon as the file has been mended", async () => {
    const path = rig.configure({ screenId: 5, orgToken: TOKEN, baseURL: "x" });
    const player = rig.play(["--config", path]);
    await eventually("the page", async () => (![BLACK, undefined].includes(await lastSight()) ? true : undefined));
    expect(player.stderr.join("\n")).toMatch(/screenId/);
    expect(player.stderr.join("\n")).toMatch(/baseURL.*baseUrl/);
    expect(player.stderr.join("\n")).not.toContain(TOKEN);
    rig.configure();
    await eventually("the first proof", async () => (await rig.emulator.ledger())[0]?.news?.pops[0]);
    expect(await player.stop()).toBe(0);
  }, 90_000);

  it("ends with 0 when it is asked to stop while it says so", async () => {
    const player = rig.play(["--config", rig.configure({ screenId: 5 })]);
    await eventually("the page", async () => (![BLACK, undefined].includes(await lastSight()) ? true : undefined));
    expect(await player.stop()).toBe(0);
  });

  it("says it on all of a display that comes only then, or is switched to another size", async () => {
    const wall = await startWall();
    const there = await openRig({ start: async () => wall });
    onTestFinished(() => there.close());
    wall.turn(1, null);
    there.play(["--config", there.configure({ screenId: 5 })]);
    // Where one display is left it begins where all of them do.
    const isFilled = async ({ width, height }: { readonly width: number; readonly height: number }) => {
      const recording = await recordDisplay(wall.part(0), width, height);
      const last = (await recording.stop()).frames.at(-1);
      // The page is light down to its last corner, and what is beside it black.
      return last?.subarray(-3).every((colour) => colour > 200) || undefined;
    };
    await eventually("the page", () => isFilled(PART));
    wall.turn(1, `${PART.width}x${PART.height}`);
    wall.turn(0, null);
    wall.turn(1, `${ROOM.width}x${ROOM.height}`);
    await eventually("the page on all of the other display", () => isFilled(ROOM));
  }, 90_000);

  it("is started for systemd by its page, and feeds the watchdog for as long as the page answers", async () => {
    const path = rig.configure({ screenId: "" });
    const { player, lines } = playForSystemd(path);
    const further = (count: number) => {
      const before = lines().length;
      return eventually(`${count} more beats`, () => lines().length >= before + count || undefined);
    };
    await further(4);
    expect(lines()[0]).toBe(`READY=1 WATCHDOG=1 STATUS=says on the screen: the configuration ${path} cannot be used`);
    expect(new Set(lines().slice(1))).toEqual(new Set(["WATCHDOG=1"]));

    const page = renderersOf(player.pid)[0]?.pid ?? 0;
    process.kill(page, "SIGSTOP");
    // What was on its way when the page stood still.
    await sleep(1_000);
    const still = lines().length;
    await sleep(2_000);
    expect(lines().length).toBe(still);
    process.kill(page, "SIGCONT");
    await further(2);

    rig.configure();
    await eventually("the first proof", async () => (await rig.emulator.ledger())[0]?.news?.pops[0]);
    expect(lines()).toContain(`WATCHDOG=1 STATUS=plays ${rig.emulator.screenId}`);
    await player.stop();
  });

  it.each([
    ["is missing", () => join(rig.home, "nowhere.json"), /nowhere\.json/],
    [
      "is not JSON",
      () => {
        writeFileSync(join(rig.home, "broken.json"), '{\n  "baseUrl": oops');
        return join(rig.home, "broken.json");
      },
      /line 2, column 14/,
    ],
    ["has mistakes", () => rig.configure({ screenId: "" }), /screenId/],
  ])("ends --check-config with 78 and a clear message when it %s", async (_, path, message) => {
    const player = rig.play(["--config", path(), "--check-config"]);
    expect(await player.ended).toBe(78);
    expect(player.stderr.join("\n")).toMatch(message);
  });

  it("ends with 78 where there is no display, and with 75 when that is all that is missing", async () => {
    const blind = (path: string) => startPlayerProcess(checkoutPlayer(), null, rig.home, ["--config", path]);
    expect(await blind(join(rig.home, "nowhere.json")).ended).toBe(78);
    const player = blind(rig.configure());
    expect(await player.ended).toBe(75);
    expect(player.stderr.join("\n")).toMatch(/no display/);
  });

  it("ends --check-config with 0 when it is right, and says what is unwise", async () => {
    const path = rig.configure();
    writeFileSync(path, `${readFileSync(path, "utf8").trim().slice(0, -1)}, "log": {} , "log": {} }`);
    const player = rig.play(["--config", path, "--check-config"]);
    expect(await player.ended).toBe(0);
    expect(player.stderr.join("\n")).toContain(`spotloop: log is twice in ${path}: only the last one counts`);
  });
});

describe("a player that the service does not serve", () => {
  it.each([
    ["the token is wrong", { orgToken: TOKEN }, /organization token/],
    ["the screen is unknown", { screenId: "screen_nowhere" }, /does not know this screen/],
    ["the service cannot be reached", { baseUrl: "http://127.0.0.1:9" }, /service unavailable/],
  ])(
    "shows the slate and says so in its log when %s",
    async (_, changes, message) => {
      const player = rig.play(["--config", rig.configure(changes)]);
      await slate();
      await eventually("the log line", async () => (message.test(written(player)) ? true : undefined));
      expect(written(player)).not.toContain(TOKEN);
      expect(await eventually("health", () => readHealth(rig.home))).toMatchObject({
        onAir: "house",
        proofs: { owed: 0, delivered: 0 },
      });
      expect(await player.stop()).toBe(0);
    },
    60_000,
  );

  it("shows the slate when the service answers nonsense", async () => {
    const nonsense = createServer((_, response) => response.end("<html>".repeat(1_000)));
    await new Promise<void>((resolve) => nonsense.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(nonsense.address() as AddressInfo).port}`;
    const player = rig.play(["--config", rig.configure({ baseUrl })]);
    await slate();
    await eventually("the log line", async () => (/not JSON/.test(written(player)) ? true : undefined));
    expect(await player.stop()).toBe(0);
    nonsense.close();
  }, 60_000);
});

describe("a player whose data folder cannot be used", () => {
  it.each([
    ["is not its own", () => {}, /data folder cannot be written \(EACCES\)/],
    ["holds something else where its proofs should be", own, /proofs\.db cannot be opened/],
    ["holds a folder for media that is not its own", ownAllButMedia, /media\/v1 cannot be used \(EACCES\)/],
  ])("shows the slate and says why when it %s", async (_, prepare, message) => {
    // Made as root, where the tests run as root.
    mkdirSync(join(rig.home, "data"), { mode: 0o555 });
    prepare();
    const player = rig.play(["--config", rig.configure()]);
    await slate();
    await eventually("the message", async () => (message.test(player.stderr.join("\n")) ? true : undefined));
  });

  it.runIf(HAS_SMALL_DISKS)("says that the disk is to be looked at where that takes no more files", async () => {
    const { path } = smallDisk(8 * 1024 * 1024, 1);
    const { uid, gid } = ordinaryUser();
    chownSync(path, uid, gid);
    const player = rig.play(["--config", rig.configure({ dataDir: path })]);
    const message = /player\.lock in the data folder cannot be locked .*: check the disk/;
    await eventually("the message", () => message.test(player.stderr.join("\n")) || undefined);
    await player.stop();
  });

  it("tells systemd that it shows house content only, and why", async () => {
    mkdirSync(join(rig.home, "data"));
    own();
    const { lines } = playForSystemd(rig.configure());
    const told = () => lines().findLast((line) => line.includes("STATUS="));
    await eventually(
      "the status",
      () => /house content only: .*proofs\.db cannot be opened/.test(told() ?? "") || undefined,
    );
  });
});

/** Starts a player as systemd would; `lines` are what it has told it, oldest first. */
function playForSystemd(config: string): { readonly player: Running; lines(): string[] } {
  const told = join(rig.home, "told");
  const program = join(rig.home, "systemd-notify");
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${told}\n`);
  chmodSync(program, 0o755);
  const { executable, args } = checkoutPlayer();
  const unit = ["NOTIFY_SOCKET=/run/notify", "WATCHDOG_USEC=1000000", `PATH=${rig.home}:${process.env.PATH}`];
  const player = rig.play(["--config", config], { executable: "/usr/bin/env", args: [...unit, executable, ...args] });
  return { player, lines: () => (existsSync(told) ? readFileSync(told, "utf8").split("\n").slice(0, -1) : []) };
}

/** Gives the data folder to the player's user, with a folder in it where the proofs' database should be. */
function own(): void {
  const { uid, gid } = ordinaryUser();
  const data = join(rig.home, "data");
  chmodSync(data, 0o755);
  mkdirSync(join(data, "proofs.db"));
  for (const path of [data, join(data, "proofs.db")]) chownSync(path, uid, gid);
}

/** Gives it to the player's user, but for what another disk was mounted at. */
function ownAllButMedia(): void {
  const { uid, gid } = ordinaryUser();
  const data = join(rig.home, "data");
  chmodSync(data, 0o755);
  mkdirSync(join(data, "media"), { mode: 0o555 });
  chownSync(data, uid, gid);
}
