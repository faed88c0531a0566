import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PlannedSpot } from "../../src/emulator/spot/planned.ts";
import { madeClip } from "../support/creatives/made-clip.ts";
import { INSPECTED, lookInside, stallClips } from "../support/machine/inside.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { onAirIn } from "../support/player/health.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const SOURCE = "testsrc=size=320x180:duration=";
const TONE = ["-f", "lavfi", "-i", "sine=duration=8"];
const STALLS = "stalls";
/** Longer than a clip may stand still that should move. */
const DURATION_MS = 6_000;

/** Clips as others make them, by what they are made of: of most the next picture is seconds away at some time. */
const MADE: readonly (readonly [name: string, made: readonly string[]])[] = [
  ["a picture every five seconds", ["-f", "lavfi", "-i", `${SOURCE}15:rate=1/5`]],
  ["sound that goes on after the picture", ["-f", "lavfi", "-i", `${SOURCE}1:rate=30`, ...TONE]],
  [
    "a gap of four seconds",
    ["-f", "lavfi", "-i", `${SOURCE}4:rate=30`, "-vf", "setpts=if(gt(N\\,30)\\,PTS+4/TB\\,PTS)"],
  ],
  [STALLS, ["-f", "lavfi", "-i", `${SOURCE}10:rate=30`]],
];

let rig: Rig;
let player: Running;
const clips = new Map(MADE.map(([name, made]) => [`/${idOf(name)}.webm`, madeClip(made)]));
const server = createServer(({ url = "" }, response) => {
  response.writeHead(200, { "content-type": "video/webm" }).end(clips.get(url));
});

function idOf(name: string): string {
  return name.replaceAll(" ", "-");
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  rig = await openRig({ width: 640, height: 360 });
  await rig.emulator.next([...clips.keys()].map((path, index) => spotOf(MADE[index]?.[0] ?? "", path)));
  player = rig.play([INSPECTED, "--config", rig.configure()]);
  const inside = await lookInside(player);
  await eventually(STALLS, async () => (await onAirIn(rig.home)) === STALLS || undefined, 60_000);
  await stallClips(inside);
  await inside.close();
  await eventually("the last clip's end", () => endingsIn(player.stderr).get(STALLS), 30_000);
}, 120_000);

afterAll(async () => {
  await rig?.close();
  await new Promise((resolve) => server.close(resolve));
});

function spotOf(name: string, path: string): PlannedSpot {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const id = idOf(name);
  const ad = { id, title: id, mimeType: "video/webm", width: 320, height: 180, duration: DURATION_MS, url };
  return { newsFirst: true, billable: true, news: null, ad };
}

describe("a clip", () => {
  it.each(MADE.map(([name]) => name).filter((name) => name !== STALLS))("is shown and proved with %s", async (name) => {
    expect(endingsIn(player.stderr).get(idOf(name))).toBe("shown");
    const spot = (await rig.emulator.ledger()).find(({ ad }) => ad?.id === idOf(name));
    expect(spot?.ad?.pops.map(({ verdict }) => verdict)).toEqual(["counted"]);
  });

  it("fails when it stands still while its next picture is due", () => {
    expect(endingsIn(player.stderr).get(STALLS)).toBe("stalled");
  });
});
