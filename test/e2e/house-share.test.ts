import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HouseFolderOnDisk } from "../support/creatives/house.ts";
import { eventually, letGo, onALeash } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

/** Twice as many as there are threads in a process that wait for files. */
const SILENT = Array.from({ length: 8 }, (_, index) => `1/${index}.jpg`);
/** So often there is nothing to show, while the house page is looked for, found and loaded. */
const UNFILLED = Array.from({ length: 5 }, () => ({ news: null, ad: null }));
const PROOFS = 2;
const NEVER_US = 3_600_000_000;

let rig: Rig;
let share: ChildProcess;
let log: readonly string[];

beforeAll(async () => {
  rig = await openRig({ width: 960, height: 540 });
  const house = new HouseFolderOnDisk(rig.home);
  for (const name of SILENT) house.put(name, "news-headlines.jpg");
  await rig.emulator.next(UNFILLED);
  const player = rig.play(["--config", rig.configure({ house: { dir: "house" } })]);
  log = player.stderr;
  await eventually("the look at the folder", () => said("is a folder without index.html"), 60_000);
  share = silence(
    player.pid,
    SILENT.map((name) => join(house.path, name)),
  );
  house.write("1/index.html", SILENT.map((name) => `<img src="/${name.slice(2)}">`).join(""));
}, 120_000);

afterAll(async () => {
  share?.kill();
  await rig?.close();
});

/** Has a process wait for ever for whom it asks for these files, in whichever of its threads, as an unreachable share does. */
function silence(pid: number, paths: readonly string[]): ChildProcess {
  const which = paths.flatMap((path) => ["-P", path]);
  const injected = `inject=openat:delay_enter=${NEVER_US}`;
  const strace = spawn(
    ...onALeash("strace", ["-q", "-f", "-p", String(pid), ...which, "-e", "trace=openat", "-e", injected]),
    {
      stdio: "ignore",
    },
  );
  letGo(strace);
  return strace;
}

function said(text: string, after = 0): true | undefined {
  return log.slice(after).some((line) => line.includes(text)) || undefined;
}

describe("a share with house content that does not answer", () => {
  it("holds no spot up", async () => {
    const proved = await eventually("proofs", async () => ((await proofs()) >= PROOFS ? proofs() : undefined), 90_000);
    expect(proved).toBeGreaterThanOrEqual(PROOFS);
  });

  it("is told of in the next gap, and shown from again when it answers", async () => {
    const nothing = { match: { surface: "service", route: "spot" }, do: { empty: true } };
    await rig.emulator.control("PUT", "/control/faults", [nothing]);
    await eventually("what is told of it", () => said("does not answer; the packaged slate is shown"), 60_000);
    const before = log.length;
    share.kill();
    await eventually("its content", () => said("house content found", before), 60_000);
  });
});

async function proofs(): Promise<number> {
  const items = (await rig.emulator.ledger()).flatMap(({ news, ad }) => [news, ad]);
  return items.filter((item) => item?.pops.some(({ verdict }) => verdict === "counted")).length;
}
