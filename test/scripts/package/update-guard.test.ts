import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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

const SHELLS = ["sh", "bash"].filter(onPath);

/** A kiosk on which 1.1.0 is on trial, where waiting takes no time. Ends the script after so many turns. */
function kiosk() {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  for (const name of ["programs", "run", "state-folder/kept/1.0.0", "state-folder/kept/1.1.0"])
    mkdirSync(at(name), { recursive: true });
  for (const name of ["spotloop", "spotloop-kiosk"]) writeFileSync(at(`state-folder/kept/1.0.0/${name}.deb`), "x");
  writeFileSync(at("lock"), "");
  const programs = {
    dpkg: "exit 0",
    "dpkg-query": "printf 'ii 1.1.0'",
    systemctl: "echo active",
    sleep: `echo x >> ${folder}/turns; [ "$(wc -l < ${folder}/turns)" -lt ${MOST_TURNS} ] || kill $PPID`,
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
    const env = { PATH: `${at("programs")}:${process.env.PATH}`, SPOTLOOP_UPDATE_WITHIN: WITHIN_S };
    const { status, stderr } = spawnSync(shell, [at("guard"), command], {
      ...{ cwd: folder, env, input, encoding: "utf8" as const },
      timeout: 45_000,
    });
    const state = Object.fromEntries(readFileSync(at("state-folder/state"), "utf8").split("\n").map(keyAndValue));
    return { code: status, said: stderr, state };
  };
  const trial = (fields: object = {}) => {
    const since = Math.floor(Date.now() / 1000);
    const state = { phase: "trial", from: "1.0.0", to: "1.1.0", usual: 1, clock: 0, since, tries: 0 };
    writeFileSync(at("state-folder/state"), linesOf({ ...state, ...fields }));
  };
  return { folder, at, run, trial, tell: (fields: object) => writeFileSync(at("run/vitals"), vitals(fields)) };
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

describe.skipIf(process.platform === "win32").each(SHELLS)("a version on trial, by %s", (shell) => {
  /** How the trial of a version ends that tells that. */
  const end = (fields: object) => {
    const { run, trial, tell } = kiosk();
    trial();
    tell(fields);
    return run(shell, "watch").state.phase;
  };

  it("stays where it proves on as many screens, and is taken back where it should and does not", () => {
    expect(end({})).toBe("proved");
    expect(end({ proved: 0 })).toBe("rolled-back");
    expect(end({ proved: 0, expected: 0 })).toBe("trial");
  });

  it.each(["12.5", "NaN", "0x", "08", "99999999999999999999", ""])(
    "is taken back where its heartbeat is %j",
    (beat) => {
      const { run, trial, tell } = kiosk();
      trial();
      tell({ beat });
      expect(run(shell, "watch")).toMatchObject({ code: 0, said: "", state: { phase: "rolled-back" } });
    },
  );

  it.each(["proved", "expected"])("is taken back where what it tells as %s is no number", (name) => {
    for (const value of ["NaN", "", "true", "1 -o 1"]) expect(end({ proved: 0, [name]: value })).toBe("rolled-back");
  });

  it("runs no command of its own choice by what it tells", () => {
    const { at, run, trial, tell } = kiosk();
    trial();
    const command = `VITALS[$(touch ${at("done")})]`;
    tell({ beat: command, usual: command, proved: command, expected: command });
    expect(run(shell, "watch").state.phase).toBe("rolled-back");
    expect(existsSync(at("done"))).toBe(false);
  });

  it("tells nothing by a link, a pipe or a folder", () => {
    const put: Readonly<Record<string, (path: string) => void>> = {
      link(path) {
        renameSync(path, `${path}.elsewhere`);
        symlinkSync(`${path}.elsewhere`, path);
      },
      pipe(path) {
        rmSync(path);
        spawnSync("mkfifo", [path]);
      },
      folder(path) {
        rmSync(path);
        mkdirSync(path);
      },
    };
    const ends = Object.entries(put).map(([name, replace]) => {
      const { at, run, trial, tell } = kiosk();
      trial();
      tell({});
      replace(at("run/vitals"));
      const { code, state } = run(shell, "watch");
      return [name, code, state.phase];
    });
    expect(ends).toEqual(Object.keys(put).map((name) => [name, 0, "rolled-back"]));
  });

  it("is measured by nothing where what the version before tells is no number", () => {
    const measured = (usual: string) => {
      const { at, run, tell } = kiosk();
      tell({ version: "1.0.0", usual });
      const lines = ["spotloop", "spotloop-kiosk"].map((name) => {
        writeFileSync(at(`${name}.deb`), "x");
        return `${name} 1.0.0 amd64 none < 1.1.0 amd64 none ${at(`${name}.deb`)}\n`;
      });
      return run(shell, "before", `VERSION 3\n\n${lines.join("")}`).state;
    };
    expect(measured("2")).toMatchObject({ phase: "trial", usual: "2" });
    for (const usual of ["2.5", "NaN"]) expect(measured(usual)).toMatchObject({ phase: "trial", usual: "" });
  });

  it("goes on where the numbers of its trial are lost", () => {
    const { run, trial, tell } = kiosk();
    trial({ clock: "", since: "", tries: "" });
    tell({ proved: 0 });
    expect(run(shell, "watch")).toMatchObject({ code: 0, said: "", state: { phase: "rolled-back" } });
  });
});
