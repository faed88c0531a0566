import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { answer, serve } from "../client/server.ts";
import { grab } from "../fidelity/picture.ts";
import { HOSTILE } from "../support/creatives/hostile-site.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { checkoutPlayer, eventually, type Program } from "../support/machine/processes.ts";
import { onAirIn } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

let rig: Rig;

beforeEach(async () => {
  // Not in the memory that one of these has none of.
  vi.stubEnv("TMPDIR", "/tmp");
  rig = await openRig();
});
afterEach(() => {
  vi.unstubAllEnvs();
  return rig.close();
});

/** In namespaces of its own, which it leaves without powers. */
const APART = "exec unshare --user --map-current-user --keep-caps --mount sh -c";
const LEFT = 'exec setpriv --inh-caps=-all --ambient-caps=-all "$0" "$@"';

/** An X server in a window of the other one, with which it ends: the numbers of its outputs are larger than most. */
const NESTED = "exec 3< <(exec Xephyr -displayfd 1 -screen 640x360 2>/dev/null); read -r number <&3";

/** This checkout's player, started by a line of a shell's: it is `"$0" "$@"` there. */
function by(start: string): Program {
  const { executable, args } = checkoutPlayer();
  return { executable: "/bin/bash", args: ["-c", start, executable, ...args] };
}

it.each([
  ["its log is a file on a full disk", 'exec "$0" "$@" 2>/dev/full'],
  ["nobody reads its log any more", 'exec "$0" "$@" 2> >(head -n 1 >/dev/null)'],
  ["there is hardly any shared memory", `${APART} 'mount -t tmpfs -o size=64k none /dev/shm && ${LEFT}' "$0" "$@"`],
  ["Chromium numbers its display 0, as it does where there is none", `${NESTED}; DISPLAY=":$number" exec "$0" "$@"`],
])(
  "a player plays and proves where %s",
  async (_what, start) => {
    const player = rig.play(["--config", rig.configure()], by(start));
    await eventually("the first proof", async () => (await rig.emulator.ledger())[0]?.news?.pops[0], 60_000);
    expect(player.stderr.filter((line) => line.includes("crashed"))).toEqual([]);
    expect(await player.stop()).toBe(0);
  },
  90_000,
);

it("an item fills the display from its left edge on where the language is written from the right", async () => {
  rig.play(["--config", rig.configure()], by('LANG=he_IL.UTF-8 exec "$0" "$@"'));
  await eventually("an item", () => onAirIn(rig.home));
  const { name, height } = rig.display;
  const { rgb } = await grab({ display: name, x: 0, y: 0, width: 1, height });
  const colours = Array.from({ length: height }, (_, y) => rgb.readUIntBE(3 * y, 3));
  expect(colours).not.toContain(0x000000);
});

it("pages have the time of the zone whose file TZ names, in summer, too", async () => {
  const page = "<script>fetch('/summer?' + new Date(2026, 6, 1).getTimezoneOffset())</script>";
  const site = await serve((_, response) => answer(200, { "content-type": "text/html" }, page)(response));
  await rig.emulator.next([{ news: { ...plannedItem(HOSTILE, 5_000), url: `${site.url}/` }, ad: null }]);
  rig.play(["--config", rig.configure()], by('TZ=:/usr/share/zoneinfo/Europe/Berlin exec "$0" "$@"'));
  const told = () => site.targets.find((target) => target.startsWith("/summer"));
  expect(await eventually("the page's word", told)).toBe("/summer?-120");
});

it("a player ends when it is asked to, though its look-ups of names hang", async () => {
  const hangs = `${APART} 'mkfifo hosts && mount --bind hosts /etc/hosts && ${LEFT}' "$0" "$@"`;
  const player = rig.play(["--config", rig.configure({ baseUrl: "http://spots.example/" })], by(hangs));
  const said = () => player.stderr.some((line) => line.includes("service unavailable")) || undefined;
  await eventually("a request that was in vain", said, 60_000);
  const complaint = vi.spyOn(console, "error");
  await player.stop();
  expect(complaint).not.toHaveBeenCalled();
}, 90_000);
