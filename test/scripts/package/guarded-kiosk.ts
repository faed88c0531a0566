import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { onPath } from "../../../scripts/setup/system.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const SCRIPT = join(import.meta.dirname, "..", "..", "..", "assets", "kiosk", "update-guard.sh");

/** What the script reads and writes on a machine, and where that is in the folder of a test. */
const PLACES: Readonly<Record<string, string>> = {
  "/var/lib/spotloop-update": "state-folder",
  "/etc/apt/preferences.d/00spotloop-rolled-back": "pin",
  "/run/spotloop/vitals": "run/vitals",
  "/run/systemd/system": "run",
  "/var/lib/dpkg/lock-frontend": "lock",
};

/** Five turns, of which the new version may fail to prove in one. */
const MOST_TURNS = 5;
const WITHIN_S = "10";

const NAMES = ["spotloop", "spotloop-kiosk"];

export const SHELLS = ["sh", "bash"].filter(onPath);

/**
 * A kiosk on which 1.1.0 is on trial, where waiting takes no time. Ends the script after so many turns. `turn`: what somebody
 * does to it in the first of them, in the shell, where `$folder` is the kiosk's.
 */
export function kiosk({ turn = ":" }: { readonly turn?: string } = {}) {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  for (const name of ["programs", "run", "admin/updates"]) mkdirSync(at(name), { recursive: true });
  writeFileSync(at("lock"), "");
  const programs = {
    // Notes what it installs, and has it installed: of a package's path the folder before its name is the version.
    dpkg: `case "$*" in --compare-versions*) exec /usr/bin/dpkg "$@" ;; *--install*) ;; *) exit 0 ;; esac
for file; do version=\${file%/*}; done
[ -s "$file" ] || exit 1
echo "\${version##*/}" >> ${folder}/installed
sed -i "s/^Version: .*/Version: \${version##*/}/" ${folder}/admin/status`,
    // Nothing is to be had from elsewhere.
    "apt-get": "exit 1",
    "dpkg-repack": "exit 1",
    systemctl: `case "$1" in is-enabled) cat ${folder}/enabled ;; *) echo active ;; esac`,
    sleep: `folder=${folder}; [ -e $folder/turns ] || { ${turn}; }
echo x >> $folder/turns; [ "$(wc -l < $folder/turns)" -lt ${MOST_TURNS} ] || kill $PPID`,
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(at(`programs/${name}`), `#!/bin/sh\n${text}\n`);
    chmodSync(at(`programs/${name}`), 0o755);
  }
  const text = Object.entries(PLACES).reduce(
    (made, [place, name]) => made.replaceAll(place, at(name)),
    readFileSync(SCRIPT, "utf8"),
  );
  writeFileSync(at("guard"), text);
  const run = (shell: string, command: string, input = "") => {
    const env = {
      ...{ PATH: `${at("programs")}:${process.env.PATH}`, SPOTLOOP_UPDATE_WITHIN: WITHIN_S },
      ...{ DPKG_ADMINDIR: at("admin") },
    };
    const { status, stderr } = spawnSync(shell, [at("guard"), command], {
      ...{ cwd: folder, env, input, encoding: "utf8" as const },
      timeout: 45_000,
    });
    return { code: status, said: stderr, state: Object.fromEntries(lines("state-folder/state").map(keyAndValue)) };
  };
  const lines = (name: string) =>
    existsSync(at(name))
      ? readFileSync(at(name), "utf8")
          .split("\n")
          .filter((line) => line !== "")
      : [];
  const trial = (fields: object = {}) => {
    const since = Math.floor(Date.now() / 1000);
    const state = { phase: "trial", from: "1.0.0", to: "1.1.0", usual: 1, clock: 0, since, tries: 0 };
    writeFileSync(at("state-folder/state"), linesOf({ ...state, ...fields }));
  };
  const keep = (...versions: readonly string[]) => {
    for (const version of versions) {
      mkdirSync(at(`state-folder/kept/${version}`), { recursive: true });
      for (const name of NAMES) writeFileSync(at(`state-folder/kept/${version}/${name}.deb`), "x");
    }
  };
  /** Has both packages installed. `want`: `install`, or `hold` where the operator holds them. */
  const have = (version: string, want = "install") => {
    const fields = { Status: `${want} ok installed`, Architecture: "all", Version: version };
    const packages = NAMES.map((name) => ({
      Package: name,
      ...fields,
      Maintainer: "A <a@b.example>",
      Description: "x",
    }));
    const entries = packages.map((one) => `${linesOf(one).replaceAll("=", ": ")}\n`);
    writeFileSync(at("admin/status"), entries.join(""));
  };
  /** apt's word that both packages go from a version to another. */
  const before = (shell: string, from: string, to: string, { sign = "<", configuration = "" } = {}) => {
    const changed = NAMES.map((name) => {
      writeFileSync(at(`${name}.deb`), "x");
      return `${name} ${from} all none ${sign} ${to} all none ${at(`${name}.deb`)}\n`;
    });
    return run(shell, "before", `VERSION 3\n${configuration}\n${changed.join("")}`);
  };
  const tell = (fields: object) => writeFileSync(at("run/vitals"), vitals(fields));
  keep("1.0.0", "1.1.0");
  have("1.1.0");
  writeFileSync(at("enabled"), "enabled\n");
  return { folder, at, run, trial, keep, have, before, tell, lines };
}

/** What a version tells that shows and proved on its one screen, but for these. */
function vitals(fields: object = {}): string {
  return linesOf({
    ...{ version: "1.1.0", beat: Math.floor(uptime()), usual: 1, proved: 1, expected: 1 },
    ...fields,
  });
}

function linesOf(fields: object): string {
  return Object.entries(fields)
    .map((entry) => `${entry.join("=")}\n`)
    .join("");
}

function keyAndValue(line: string): [string, string] {
  const [key = "", value = ""] = line.split(/=(.*)/s, 2);
  return [key, value];
}
