import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const TEMPLATE = join(import.meta.dirname, "..", "..", "..", "assets", "linux", "after-install.tpl");

/** What the script asks of the system, and what it would change: here each does nothing, and succeeds. */
const PROGRAMS = ["getent", "useradd", "usermod", "install", "chown", "systemctl"];

/** Runs the script on a system of that kind; answers with the mode that it gives Chromium's setuid program. */
function modeOn({ isChroot, hasNamespaces }: { readonly isChroot: boolean; readonly hasNamespaces: boolean }): string {
  const folder = temporaryFolder();
  const program = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  for (const name of PROGRAMS) program(name, "exit 0");
  program("ischroot", `exit ${isChroot ? 0 : 1}`);
  program("runuser", `case "$*" in *unshare*) exit ${hasNamespaces ? 0 : 1};; esac`);
  program("chmod", `echo "$@" >> ${folder}/modes`);
  const script = join(folder, "postinst");
  const names = { sanitizedProductName: "Spotloop", executable: "spotloop" };
  const text = Object.entries(names).reduce(
    (made, [name, value]) => made.replaceAll(`\x24{${name}}`, value),
    template(),
  );
  writeFileSync(script, text);
  const { status, stderr } = spawnSync("/bin/sh", [script, "configure"], { env: { PATH: folder }, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  const modes = existsSync(join(folder, "modes")) ? readFileSync(join(folder, "modes"), "utf8").trim().split("\n") : [];
  expect(modes).toHaveLength(1);
  const [mode = "", path] = modes[0]?.split(" ") ?? [];
  expect(path).toBe("/opt/Spotloop/chrome-sandbox");
  return mode;
}

function template(): string {
  return readFileSync(TEMPLATE, "utf8");
}

describe("the package's installation", () => {
  it("leaves the sandbox to user namespaces where an ordinary user can make them", () => {
    expect(modeOn({ isChroot: false, hasNamespaces: true })).toBe("0755");
  });

  it("gives the sandbox its setuid program where there are none", () => {
    expect(modeOn({ isChroot: false, hasNamespaces: false })).toBe("4755");
  });

  it("does not take the chroot in which an image is made for the machine that boots it", () => {
    expect(modeOn({ isChroot: true, hasNamespaces: false })).toBe("0755");
  });
});
