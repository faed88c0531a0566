import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HouseFolderOnDisk } from "../support/creatives/house.ts";
import { eventually, letGo, onALeash } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

/** Twice as many as there are threads in a process that wait for files. */
const SILENT = Array.from({ length: 8 }, (_, index) => `1/${index}.jpg`);
/** After each turn of it is looked what there is. */
const FIRST = "0.jpg";
/** So often there is nothing to show, while the house page is looked for, found and loaded. */
const UNFILLED = Array.from({ length: 4 }, () => ({ news: null, ad: null }));
const PROOFS = 2;
const NEVER_US = 3_600_000_000;

let rig: Rig;
let share: ChildProcess;
let log: readonly string[];

beforeAll(async () => {
  rig = await openRig({ width: 640, height: 360 });
  const house = new HouseFolderOnDisk(rig.home);
  for (const name of [...SILENT, FIRST]) house.put(name, "news-headlines.jpg");
  await rig.emulator.next(UNFILLED);
  const player = rig.play(["--config", rig.configure({ house: { dir: "house", seconds: 1 } })]);
  log = player.stderr;
  await eventually("the look at the folder", () => said("is a folder without index.html"), 60_000);
  const paths = SILENT.map((name) => join(house.path, name));
  share = silence(player.pid, paths);
  await eventually("its hold on all threads", () => isHeld(player.pid) || undefined);
  house.write("1/index.html", SILENT.map((name) => `<img src="/${name.slice(2)}">`).join(""));
}, 120_000);

afterAll(async () => {
  share?.kill();
  await rig?.close();
});

/** Has a process wait for ever for whom it asks for these files, in whichever of its threads, as an unreachable share does. */
function silence(pid: number, paths: readonly string[]): ChildProcess {
  const which = paths.flatMap((path) => ["-P", path]);
  const injected = ["-e", "trace=openat", "-e", `inject=openat:delay_enter=${NEVER_US}`];
  const args = ["-q", "-f", "-p", String(pid), ...which, ...injected];
  const strace = spawn(...onALeash("strace", args), { stdio: "ignore" });
  letGo(strace);
  return strace;
}

function isHeld(pid: number): boolean {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.every((task) => !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, "utf8")));
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
    const told = log.length;
    share.kill();
    await eventually("its content", () => said("house content found", told), 60_000);
  });
});

async function proofs(): Promise<number> {
  const items = (await rig.emulator.ledger()).flatMap(({ news, ad }) => [news, ad]);
  return items.filter((item) => item?.pops.some(({ verdict }) => verdict === "counted")).length;
}
