import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const TEMPLATE = join(import.meta.dirname, "..", "..", "..", "assets", "linux", "after-install.tpl");

/** What the script asks of the system, and what it would change: here each does nothing, and succeeds. */
const PROGRAMS = ["getent", "groupadd", "useradd", "usermod", "install", "chown", "systemctl"];

/** A system with these programs besides, and the script as the packager completes it. */
function systemWith(programs: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const idle = Object.fromEntries(PROGRAMS.map((name) => [name, "exit 0"]));
  for (const [name, text] of Object.entries({ ...idle, ...programs })) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const script = join(folder, "postinst");
  const names = { sanitizedProductName: "Spotloop", executable: "spotloop" };
  const text = Object.entries(names).reduce(
    (made, [name, value]) => made.replaceAll(`\x24{${name}}`, value),
    template().replaceAll("/var/lib/spotloop", join(folder, "data")),
  );
  writeFileSync(script, text);
  const run = (args: readonly string[], path: string) => {
    const { status, stderr } = spawnSync("/bin/sh", [script, ...args], { env: { PATH: path }, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  };
  return { folder, run };
}

/** Runs the script on a system of that kind; answers with the mode that it gives Chromium's setuid program. */
function modeOn({ isChroot, hasNamespaces }: { readonly isChroot: boolean; readonly hasNamespaces: boolean }): string {
  const { folder, run } = systemWith({
    ischroot: `exit ${isChroot ? 0 : 1}`,
    runuser: `case "$*" in *unshare*) exit ${hasNamespaces ? 0 : 1};; esac`,
    chmod: `echo "$@" >> "\x24{0%/*}/modes"`,
  });
  run(["configure"], folder);
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

  it("leaves to the player's user what an older version left for everybody to read", () => {
    const { folder, run } = systemWith({
      ischroot: "exit 0",
      runuser: 'shift 3; exec "$@"',
      chmod: 'case "$*" in *chrome-sandbox*) ;; *) exec /bin/chmod "$@" ;; esac',
    });
    const put = (name: string) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), "x");
      chmodSync(join(folder, name), 0o644);
    };
    for (const name of ["data/proofs.db", "data/logs/player.1.log", "data/health.json", "elsewhere"]) put(name);
    symlinkSync(join(folder, "elsewhere"), join(folder, "data", "link"));
    const open = () =>
      ["data", "data/proofs.db", "data/logs", "data/logs/player.1.log", "data/health.json", "elsewhere"].filter(
        (name) => (statSync(join(folder, name)).mode & 0o077) !== 0,
      );
    run(["configure", "1.0.0"], `${folder}:${process.env.PATH}`);
    expect(open()).toEqual(["data", "data/health.json", "elsewhere"]);
  });

  it.each([
    ["group spotloop", ["useradd"]],
    ["passwd spotloop", ["groupadd"]],
    ["nothing", ["groupadd", "useradd"]],
  ])("makes of the player's user and group what is missing, where there is %s", (there, made) => {
    const note = `echo "\x24{0##*/} $*" >> "\x24{0%/*}/made"`;
    const { folder, run } = systemWith({
      ...{ ischroot: "exit 0", runuser: "exit 0", chmod: "exit 0", groupadd: note, useradd: note },
      getent: `case "$*" in "${there}") ;; *) exit 2 ;; esac`,
    });
    run(["configure"], folder);
    const lines = readFileSync(join(folder, "made"), "utf8").trim().split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(made);
    expect(lines.filter((line) => line.startsWith("useradd")).every((line) => line.includes("--gid spotloop"))).toBe(
      true,
    );
  });

  it("does not take the chroot in which an image is made for the machine that boots it", () => {
    expect(modeOn({ isChroot: true, hasNamespaces: false })).toBe("0755");
  });
});
