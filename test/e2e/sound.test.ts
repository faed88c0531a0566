import { execFileSync } from "node:child_process";
import { chownSync, closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ordinaryUser } from "../../scripts/setup/user.ts";
import type { PlannedSpot } from "../../src/emulator/spot/planned.ts";
import { serve } from "../client/server.ts";
import { madeClip } from "../support/creatives/made-clip.ts";
import { eventually } from "../support/machine/processes.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig } from "../support/player/rig.ts";

/** With many more items than fail before the player goes on without sound. */
const SPOTS = 5;
const RECOVERS_WITHIN_MS = 90_000;

/** Two seconds of a colour and a tone. */
const PICTURE = ["-f", "lavfi", "-i", "color=teal:s=320x180:r=30:d=2"];
const TONE = ["-f", "lavfi", "-i", "sine=frequency=440:duration=2"];
const clip = madeClip([...PICTURE, ...TONE]);

function soundingSpot(spot: number, url: string): PlannedSpot {
  const item = (kind: string) => {
    const id = `${kind}-${spot}`;
    return { id, title: id, mimeType: "video/webm", width: 320, height: 180, duration: 2_000, url };
  };
  return { newsFirst: true, billable: true, news: { ...item("news"), newsType: "test" }, ad: item("ad") };
}

/** The player's user has a sound device that takes the first moments and then nothing more, as one whose driver hangs. */
function stickSound(home: string): void {
  const pipe = join(home, "sound");
  const config = join(home, ".asoundrc");
  execFileSync("mkfifo", ["-m", "666", pipe]);
  writeFileSync(config, `pcm.!default { type file file "${pipe}" format raw slave.pcm "null" }\n`);
  const { uid, gid } = ordinaryUser();
  for (const path of [pipe, config]) chownSync(path, uid, gid);
  // Open, and never read.
  const device = openSync(pipe, "r+");
  onTestFinished(() => closeSync(device));
}

describe("a machine whose sound is stuck", () => {
  it("does not keep clips from the screen: they play without sound after one or two have failed", async () => {
    const { url } = await serve((_, response) => response.writeHead(200, { "content-type": "video/webm" }).end(clip));
    const rig = await openRig({ width: 640, height: 360 });
    onTestFinished(() => rig.close());
    stickSound(rig.home);
    await rig.emulator.next(Array.from({ length: SPOTS }, (_, spot) => soundingSpot(spot, `${url}/${spot}.webm`)));
    const player = rig.play(["--config", rig.configure({ audio: { muted: false } })]);
    const endings = () => [...endingsIn(player.stderr).values()];
    await eventually("all items", () => (endings().length === 2 * SPOTS ? true : undefined), RECOVERS_WITHIN_MS);
    const failed = endings().filter((how) => how !== "shown");
    expect(failed.length).toBeGreaterThanOrEqual(1);
    expect(failed.length).toBeLessThanOrEqual(4);
    expect(endings().slice(-3)).toEqual(["shown", "shown", "shown"]);
  });
});
