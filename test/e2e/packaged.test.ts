import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { readCatalogue } from "../support/catalogue.ts";
import { processTree } from "../support/proc.ts";
import { eventually, type Program } from "../support/processes.ts";
import { openRig, type Rig } from "../support/rig.ts";
import { plannedSpots } from "../support/running-order.ts";

const spots = plannedSpots(readCatalogue(), 3);
let output: string;
let packaged: Program;
let rig: Rig;

beforeAll(async () => {
  output = mkdtempSync(join(tmpdir(), "spotloop-packaged-"));
  chmodSync(output, 0o755);
  const args = ["scripts/ready.mjs", "package", "--dir", `-c.directories.output=${output}`];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: "pipe" });
  packaged = { executable: join(output, "linux-unpacked", "spotloop"), args: [] };
  rig = await openRig();
}, 240_000);

afterAll(async () => {
  await rig?.close();
  rmSync(output, { recursive: true, force: true });
});

describe("the packaged player", () => {
  it("plays video, images and HTML with the sandbox on and proves each item once", async () => {
    await rig.emulator.next(spots);
    const player = rig.play(["--config", rig.configure()], packaged);
    const proved = async () => {
      const ledger = (await rig.emulator.ledger()).slice(0, spots.length);
      const verdicts = ledger.flatMap(({ news, ad }) => [news, ad].map((item) => item?.pops.map((pop) => pop.verdict)));
      return verdicts.filter((one) => one?.length).length === 2 * spots.length ? verdicts : undefined;
    };
    expect(await eventually("all proofs", proved)).toEqual(Array.from({ length: 2 * spots.length }, () => ["counted"]));
    const renderers = processTree(player.pid).filter(({ command }) => command.includes("--type=renderer"));
    expect(renderers.length).toBeGreaterThan(0);
    for (const { uid, seccomp } of renderers) expect([uid > 0, seccomp]).toEqual([true, 2]);
    expect(await player.stop()).toBe(0);
  });

  it.each(["--no-sandbox", "--remote-debugging-port=0", "--js-flags=--expose-gc"])(
    "ends with 78 with %s",
    async (extra) => {
      const player = rig.play(["--config", rig.configure(), extra], packaged);
      expect(await player.ended).toBe(78);
      expect(player.stderr.join("\n")).toContain(`does not run with ${extra.split("=")[0]}`);
    },
  );

  it("ends with 78 when its configuration has mistakes and somebody asks", async () => {
    const player = rig.play(["--config", rig.configure({ screenId: "" }), "--check-config"], packaged);
    expect(await player.ended).toBe(78);
  });
});
