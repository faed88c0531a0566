import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { toldBy } from "../../src/cli/doctor/machine-checks.ts";
import { HAS_SMALL_DISKS } from "../support/machine/small-disk.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

it.runIf(HAS_SMALL_DISKS)(
  "what a machine tells is taken though what Chromium leaves behind cannot be removed",
  async () => {
    const program = join(temporaryFolder(), "electron");
    const machine = { displays: [{ name: "HDMI-1", width: 1920, height: 1080 }], gpu: {}, codecs: { "H.264": true } };
    // What something is mounted at stands for files that processes write on.
    writeFileSync(
      program,
      `#!/bin/sh
mkdir "$2/cache" && mount --bind "$2/cache" "$2/cache"
printf %s "$2" >'${program}.folder'
echo '${JSON.stringify(machine)}'`,
      { mode: 0o755 },
    );
    onTestFinished(() => {
      const folder = readFileSync(`${program}.folder`, "utf8");
      spawnSync("umount", ["-l", join(folder, "cache")]);
      rmSync(folder, { recursive: true });
    });
    expect(await toldBy(program, [])).toEqual(machine);
  },
);

it("a machine without a place for temporary files is not asked, and ends nothing", async () => {
  vi.stubEnv("TMPDIR", join(temporaryFolder(), "gone"));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await toldBy("echo", [])).toBeNull();
});
