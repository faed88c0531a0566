import { execFile, spawnSync } from "node:child_process";
import { chownSync, copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/setup/paths.mjs";
import type { PlannedSpot } from "../../src/emulator/spot/planned.ts";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig, type Rig } from "../support/player/rig.ts";
import { recordRowsIn } from "../support/player/stores.ts";
import { lackingBroker, openBroker } from "../support/site/broker.ts";

/** The border of a message, as in renderer/override/override.css. */
const AMBER = [255, 176, 0];
const LONG_MS = 120_000;
const SHORT_MS = 1_500;

let rig: Rig;
let config: string;
let player: Running;
let long: PlannedSpot;

beforeAll(async () => {
  const { creatives } = readCatalogue();
  const [news, ad] = creatives;
  if (news === undefined || ad === undefined) throw new Error("no creatives");
  rig = await openRig({ width: 640, height: 360 });
  const spotOf = (durationMs: number) => ({ news: plannedItem(news, durationMs), ad: plannedItem(ad, durationMs) });
  long = spotOf(LONG_MS);
  await rig.emulator.next([long, ...Array.from({ length: 20 }, () => spotOf(SHORT_MS))]);
  const allow = ["screenshot", "restart", "display", "doctor", "reload", "test-card", "message"];
  config = rig.configure({ remote: { allow } });
  player = rig.play(["--config", config]);
  await onAir(LONG_MS);
}, 120_000);

afterAll(() => rig?.close());

/** What a command printed, and what it ended with. */
async function remote(...args: readonly string[]): Promise<{ code: number; out: Buffer; said: string }> {
  const folder = args.includes("--data-dir") ? [] : ["--config", config];
  const program = [join(ROOT, "dist/cli/main.js"), "remote", ...args, ...folder];
  const options = { encoding: "buffer", maxBuffer: 64 * 1024 * 1024 } as const;
  return promisify(execFile)(process.execPath, program, options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, said: stderr.toString() }),
    (error) => ({ code: error.code, out: error.stdout, said: error.stderr.toString() }),
  );
}

function onAir(durationMs: number): Promise<true> {
  return eventually("an item on air", async () => {
    const health = await readHealth(rig.home);
    return typeof health?.onAir === "object" && health.onAir.durationMs === durationMs ? true : undefined;
  });
}

/** A pixel of the display, looked at from outside of the player. */
function pixel(x: number, y: number): number[] {
  const { name, width, height } = rig.display;
  const grab = ["-loglevel", "error", "-f", "x11grab", "-draw_mouse", "0", "-video_size", `${width}x${height}`];
  const raw = ["-frames:v", "1", "-vf", `crop=1:1:${x}:${y}`, "-pix_fmt", "rgb24", "-f", "rawvideo", "-"];
  return [...spawnSync("ffmpeg", [...grab, "-i", name, ...raw]).stdout];
}

const isMessage = () => pixel(3, 3).join() === AMBER.join();

describe("remote hands on a player that plays", () => {
  it("come in by a socket that only the player's own user can open", () => {
    const { mode, uid } = statSync(join(rig.home, "data", "remote.sock"));
    expect([mode & 0o777, uid]).toEqual([0o600, statSync(join(rig.home, "data")).uid]);
  });

  it("do nothing that is not allowed", async () => {
    const { code, said } = await remote("reboot");
    expect([code, said]).toEqual([77, "refused (not-allowed): reboot is not in remote.allow\n"]);
  });

  it("bring a picture of the display", async () => {
    const { code, out } = await remote("screenshot");
    expect([code, out.subarray(0, 3).toString("hex")]).toEqual([0, "ffd8ff"]);
  });

  it("bring what the doctor finds, without the token", async () => {
    const { code, out } = await remote("doctor");
    expect(code).toBe(0);
    expect(JSON.parse(out.toString()).findings.length).toBeGreaterThan(5);
    expect(out.toString()).not.toContain(rig.emulator.orgToken);
  });

  it("show a message in place of the item on air, which fails and is not proved", async () => {
    await onAir(LONG_MS);
    const { code } = await remote("message", "Please leave the building\nby the nearest exit");
    expect(code).toBe(0);
    expect(isMessage()).toBe(true);
    expect([...endingsIn(player.stderr).values()]).toContain("overridden");
    const [first] = await rig.emulator.ledger();
    expect([first?.news?.pops, first?.ad?.pops]).toEqual([[], []]);
    expect(await readHealth(rig.home)).toMatchObject({ status: "overridden", remote: { shown: "message" } });
  });

  it("ask for no spots meanwhile", async () => {
    const asked = (await rig.emulator.ledger()).length;
    await new Promise((resolve) => setTimeout(resolve, 3 * SHORT_MS));
    expect((await rig.emulator.ledger()).length).toBe(asked);
    expect(isMessage()).toBe(true);
  });

  it("show the message over a test card, and after a restart of the player", async () => {
    expect((await remote("test-card", "--seconds", "5")).out.toString()).toContain("before the test card");
    expect((await remote("restart")).code).toBe(0);
    expect(await player.ended).toBe(75);
    player = rig.play(["--config", config]);
    await eventually("the message", () => (isMessage() ? true : undefined));
    await eventually("its health", async () =>
      (await readHealth(rig.home))?.status === "overridden" ? true : undefined,
    );
    expect(player.stderr.filter((line) => line.includes(" item "))).toEqual([]);
  });

  it("take the message back, and the player plays on and proves", async () => {
    expect((await remote("message", "--clear")).code).toBe(0);
    await eventually("the message's end", () => !isMessage() || undefined);
    await eventually("a shown item", () => player.stderr.find((line) => line.includes(" item shown ")));
    await eventually("its proof", async () =>
      (await rig.emulator.ledger()).some(({ news, ad }) => news?.pops.length || ad?.pops.length) ? true : undefined,
    );
  });

  it("show a test card for a while, and the player plays on by itself", async () => {
    expect((await remote("test-card", "--seconds", "2")).code).toBe(0);
    expect(pixel(20, 20)).toEqual([255, 255, 255]);
    await onAir(SHORT_MS);
  });

  it("switch the display off, which is black and asks for nothing, and on again", async () => {
    expect((await remote("display", "off")).code).toBe(0);
    await eventually("black", () => (pixel(480, 270).join() === "0,0,0" ? true : undefined));
    expect(await readHealth(rig.home)).toMatchObject({ status: "off", onAir: "nothing" });
    expect((await remote("display", "on")).code).toBe(0);
    await onAir(SHORT_MS);
  });

  it("restart the player by a changed configuration only, and not by a bad one", async () => {
    expect((await remote("reload")).out.toString()).toBe("nothing has changed\n");
    rig.configure({ remote: { allow: ["reload", "no-such-thing"] } });
    const bad = await remote("reload", "--data-dir", join(rig.home, "data"));
    expect(bad.said).toContain("remote.allow[1] must be one of");
    rig.configure({ remote: { allow: ["reload"] } });
    expect((await remote("reload")).code).toBe(0);
    expect(await player.ended).toBe(75);
  });

  it("leave a row of each command in the playout record", () => {
    const rows = recordRowsIn(join(rig.home, "data"), "remote").map(({ notice }) => JSON.parse(notice ?? ""));
    expect(rows.map(({ command, outcome }) => `${command} ${outcome}`)).toEqual([
      ...["reboot refused", "screenshot done", "doctor done", "message done", "test-card done", "restart done"],
      ...[
        "message done",
        "test-card done",
        "display done",
        "display done",
        "reload done",
        "reload refused",
        "reload done",
      ],
    ]);
  });
});

describe.skipIf(lackingBroker !== null)(`a message over a broker (${lackingBroker ?? "Mosquitto is there"})`, () => {
  it("is on the screen soon after it was sent, and the item on air is not proved", async () => {
    const broker = await openBroker();
    await rig.close();
    rig = await openRig({ width: 640, height: 360 });
    const { uid, gid } = statSync(rig.home);
    const { certificate, key } = broker.certificateFor(rig.emulator.screenId);
    for (const [from, to] of [
      [broker.certificates.authority, "ca.pem"],
      [certificate, "player.pem"],
      [key, "player.key"],
    ] as const) {
      copyFileSync(from, join(rig.home, to));
      chownSync(join(rig.home, to), uid, gid);
    }
    const files = { caFile: "ca.pem", certFile: "player.pem", keyFile: "player.key" };
    config = rig.configure({ remote: { allow: ["message"], broker: broker.url, ...files } });
    await rig.emulator.next([long]);
    player = rig.play(["--config", config]);
    await onAir(LONG_MS);
    const operator = await broker.console();
    await eventually("the player at the broker", async () =>
      (await readHealth(rig.home))?.remote.broker === true ? true : undefined,
    );
    const sentAt = Date.now();
    const command = { id: "one", at: new Date(sentAt).toISOString(), command: "message", text: "Please leave" };
    const topic = `spotloop/${rig.emulator.screenId}/commands`;
    await operator.publishAsync(topic, JSON.stringify(command), { qos: 1 });
    await eventually("the message", () => (isMessage() ? true : undefined));
    console.log(`The message was seen within ${Date.now() - sentAt} ms.`);
    expect((await rig.emulator.ledger()).flatMap(({ news, ad }) => [news?.pops, ad?.pops]).flat()).toEqual([]);
    expect([...endingsIn(player.stderr).values()]).toContain("overridden");
    expect(await player.stop()).toBe(0);
  });
});
