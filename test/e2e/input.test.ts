import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { HOSTILE, type HostileSite, openHostileSite } from "../support/creatives/hostile-site.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const HEARD = ["pointerdown", "pointermove", "mousedown", "click", "wheel", "keydown", "contextmenu", "touchstart"];

/** A page that is one large link, has a field with the cursor in it, and tells of whatever it hears. */
const link = {
  name: "link",
  loading: `
    document.body.insertAdjacentHTML("beforeend",
      '<a href="/elsewhere.html" style="position: fixed; inset: 0"></a><input autofocus>');
    for (const heard of ${JSON.stringify(HEARD)}) addEventListener(heard, () => report("heard", heard), true);`,
  onAir: 'report("on-air", "yes")',
};

let site: HostileSite;
let rig: Rig;
let player: Running;

beforeAll(async () => {
  site = await openHostileSite([link], readCatalogue());
  rig = await openRig({ width: 640, height: 360 });
  const { mimeType, width, height } = HOSTILE;
  const item = { id: "link", title: "link", mimeType, width, height, duration: 4_000, url: site.url("link") };
  await rig.emulator.next([{ news: { ...item, newsType: "test" }, ad: null }]);
  player = rig.play(["--config", rig.configure()]);
  await eventually("the page on air", () => site.reports.get("on-air"), 60_000);
  // As somebody at a display that can be touched, or whose mouse was left plugged in.
  for (const deed of [
    "mousemove 480 270",
    "click 1",
    "click 3",
    "click 4",
    "mousemove 500 280",
    "key Return",
    "key F5",
  ]) {
    const { status, stderr } = spawnSync("xdotool", deed.split(" "), {
      env: { ...process.env, DISPLAY: rig.display.name },
    });
    expect([deed, status, String(stderr)]).toEqual([deed, 0, ""]);
  }
  await eventually("the page's end", () => endingsIn(player.stderr).get("link"), 30_000);
}, 120_000);

afterAll(async () => {
  await rig?.close();
  await site?.close();
});

describe("somebody who points, clicks, scrolls and types at a page on air", () => {
  it("is not heard by the page", () => {
    expect(site.reports.get("heard")).toBeUndefined();
  });

  it("costs the page nothing: it is shown in full, and proved", async () => {
    expect(endingsIn(player.stderr).get("link")).toBe("shown");
    const proved = async () => (await rig.emulator.ledger())[0]?.news?.pops.length || undefined;
    expect(await eventually("its proof", proved)).toBe(1);
  });
});
