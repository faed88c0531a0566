import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { onPath } from "../../../scripts/setup/system.ts";
import { kiosk, SHELLS } from "./guarded-kiosk.ts";

describe.skipIf(!onPath("dpkg")).each(SHELLS)("a version on trial, by %s", (shell) => {
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
      const { before, tell } = kiosk();
      tell({ version: "1.0.0", usual });
      return before(shell, "1.0.0", "1.1.0").state;
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
