import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onPath } from "../../../scripts/setup/system.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const ASSETS = join(import.meta.dirname, "..", "..", "..", "assets");
const UNITS = ["display", "update-guard", "wayland"].map((name) => `spotloop-${name}.service`);
const ALL = [...UNITS, "spotloop.service"];

/** What systemctl makes of units that are files in folders; as the real one it refuses to enable a masked one. */
const SYSTEMCTL = `cd "\x24{0%/*}"
command=$1
for unit; do
  case "$command $unit" in
    "is-enabled "*.service) if [ -e "masked/$unit" ]; then echo masked; exit 1; fi ;;
    "enable "*.service) [ ! -e "masked/$unit" ] || exit 1; echo > "enabled/$unit" ;;
    "disable "*.service) rm -f "enabled/$unit" ;;
  esac
done`;

/** A machine on which dpkg runs what the kiosk's package brings, as its scripts' arguments say. */
function machine() {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  for (const name of ["enabled", "masked", "watch"]) mkdirSync(at(name));
  writeFileSync(at("systemctl"), `#!/bin/sh\n${SYSTEMCTL}\n`);
  chmodSync(at("systemctl"), 0o755);
  const run = (name: string, ...args: readonly string[]) => {
    const text = readFileSync(join(ASSETS, "kiosk", name), "utf8")
      .replaceAll("/var/lib/spotloop-update", at("watch"))
      .replaceAll("/etc/systemd/system", at("etc"))
      .replaceAll("/run/systemd/system", at("run"));
    writeFileSync(at(name), text);
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const { status, stderr } = spawnSync("/bin/sh", [at(name), ...args], { env, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  };
  return {
    at,
    install: (before = "") => run("after-install.sh", "configure", before),
    remove: () => run("before-remove.sh", "remove"),
    disconnect: () => run("before-remove.sh", "deconfigure", "in-favour", "something", "1.0"),
    enabled: () => readdirSync(at("enabled")).sort(),
    systemctl: (command: string, unit: string) => spawnSync(at("systemctl"), [command, unit]),
  };
}

describe.skipIf(!onPath("dpkg"))("the package that makes a machine a kiosk", () => {
  it("begins at each boot again where it is installed after a removal, of which dpkg knows the version still", () => {
    const { install, remove, enabled } = machine();
    install();
    expect(enabled()).toEqual(ALL);
    remove();
    expect(enabled()).toEqual([]);
    install("1.0.0");
    expect(enabled()).toEqual(ALL);
  });

  it("leaves what the operator switched off as it is at an upgrade, a removal long ago or not", () => {
    const { install, remove, enabled, systemctl } = machine();
    install();
    remove();
    install("1.0.0");
    systemctl("disable", "spotloop.service");
    install("1.0.0");
    expect(enabled()).toEqual(UNITS);
  });

  it("is installed and upgraded where the operator has switched the judge off", () => {
    const { at, install, enabled } = machine();
    writeFileSync(at("masked/spotloop-update-guard.service"), "");
    install();
    install("1.0.0");
    expect(enabled()).toEqual(ALL.filter((name) => !name.includes("guard")));
  });

  it("forgets at its removal what was on trial, which is not to be completed once it is there again", () => {
    const { at, install, remove } = machine();
    install();
    writeFileSync(at("watch/state"), "phase=trial\n");
    remove();
    expect(existsSync(at("watch/state"))).toBe(false);
  });

  it("stays what it is while dpkg exchanges something that it needs", () => {
    const { install, disconnect, enabled } = machine();
    install();
    disconnect();
    install("1.0.0");
    expect(enabled()).toEqual(ALL);
  });

  it("has apt ask the judge, whose 10 is a no, and nobody once the package is removed", () => {
    const { at } = machine();
    const text = readFileSync(join(ASSETS, "kiosk/apt.conf"), "utf8");
    const [, asked = ""] = /^DPkg::Pre-Install-Pkgs \{ "(.*)"; \};$/m.exec(text) ?? [];
    const answer = () => {
      const { status, stderr } = spawnSync("sh", [
        "-c",
        asked.replaceAll("/usr/lib/spotloop-kiosk/update-guard", at("judge")),
      ]);
      return [status === 0, String(stderr)];
    };
    expect(answer()).toEqual([true, ""]);
    for (const [code, goesOn] of [
      [0, true],
      [1, true],
      [10, false],
    ] as const) {
      writeFileSync(at("judge"), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
      expect(answer()).toEqual([goesOn, ""]);
    }
    // apt looks for what a tool is told by the first word of its command.
    expect(text).toContain(`DPkg::Tools::Options::${asked.split(" ")[0]}::Version "3";`);
  });
});
