import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onPath } from "../../../scripts/setup/system.ts";
import { EXIT } from "../../../src/main/recovery/supervisor.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { compile } from "../../wine/kiosk.ts";

const ROOT = join(import.meta.dirname, "../../..");
const TEMPLATES = join(ROOT, "node_modules/app-builder-lib/templates/nsis");

function asset(name: string): string {
  return readFileSync(join(ROOT, "assets/windows", name), "latin1");
}

/** The texts of an element of the task, wherever it is. */
function texts(element: string): readonly (string | undefined)[] {
  return [...asset("task.xml").matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"))].map(([, text]) => text);
}

describe("what Windows' package brings for a kiosk", () => {
  it("is there: all that the package lists, and all that the installer and the task begin", () => {
    const builder = readFileSync(join(ROOT, "electron-builder.yml"), "utf8");
    const [, listed = ""] = /from: assets\/windows\n +to: kiosk\n +filter: (.*)/.exec(builder) ?? [];
    const [, included = ""] = /include: assets\/windows\/(.*)/.exec(builder) ?? [];
    const there = globSync("*", { cwd: join(ROOT, "assets/windows") });
    expect([...JSON.parse(listed), included].sort()).toEqual(there.sort());
    expect(texts("Arguments")).toEqual(["/d /c .\\supervise.cmd"]);
    expect(asset("installer.nsh")).toContain(`\${FOLDER}\\task.xml`);
  });

  // With other line ends cmd does not find the labels of a long script.
  it.each(["supervise.cmd", "shell-launcher.ps1"])(
    "%s has Windows' line ends, and letters of any code page",
    (name) => {
      expect(asset(name).match(/[^\r]\n|\r[^\n]|[^\x20-\x7e\r\n]/g)).toBeNull();
    },
  );

  it("ends the supervisor, and has Shell Launcher do nothing, when the player was asked to stop, and only then", () => {
    const ends = [...asset("supervise.cmd").matchAll(/"%code%"=="(\d+)" goto (\w+)/g)].map(([, ...end]) => end);
    expect(ends).toEqual([
      [`${EXIT.stopped}`, "stopped"],
      [`${EXIT.restart}`, "again"],
      [`${EXIT.restartInSoftware}`, "again"],
    ]);
    const codes = [EXIT.stopped, EXIT.restart, EXIT.restartInSoftware].join(", ");
    expect(asset("shell-launcher.ps1")).toContain(
      `[int[]] (${codes}), [int[]] ($DoNothing, $RestartShell, $RestartShell), $RestartShell`,
    );
  });

  it("has a task without an end, for one group's members, on batteries too, and never twice", () => {
    expect(asset("installer.nsh")).toContain(`!define SPOTLOOP_GROUP "${texts("GroupId")}"`);
    const settings = ["ExecutionTimeLimit", "MultipleInstancesPolicy", "DisallowStartIfOnBatteries", "Priority"];
    expect(settings.map((name) => texts(name))).toEqual([["PT0S"], ["IgnoreNew"], ["false"], ["4"]]);
    expect(texts("StopIfGoingOnBatteries")).toEqual(["false"]);
    expect(texts("UserId")).toEqual([]);
  });

  it("uses macros that electron-builder's own installer inserts and has", () => {
    const templates = globSync("**/*.{nsh,nsi}", { cwd: TEMPLATES }).map((path) =>
      readFileSync(join(TEMPLATES, path), "utf8"),
    );
    const text = templates.join("\n");
    const ours = [...asset("installer.nsh").matchAll(/^!macro (custom\w+)/gm)].map(([, name]) => name);
    expect(ours).toHaveLength(3);
    expect(ours.filter((name) => !text.includes(`!insertmacro ${name}`))).toEqual([]);
    expect(
      ["IS_POWERSHELL_AVAILABLE", "_CHECK_APP_RUNNING"].filter((name) => !text.includes(`!macro ${name}`)),
    ).toEqual([]);
  });
});

describe.skipIf(!onPath("makensis"))("the installer's own part", { timeout: 60_000 }, () => {
  it("compiles into an installer and an uninstaller, without a warning", () => {
    const setup = join(temporaryFolder(), "setup-test.exe");
    expect(compile("setup", setup)).toBe("");
    expect(existsSync(setup)).toBe(true);
  });
});
