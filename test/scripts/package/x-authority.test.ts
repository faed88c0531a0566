import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startDisplay } from "../../../scripts/setup/display.ts";
import { displayAnswers } from "../../../src/main/window/x11-connection.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const KIOSK = join(import.meta.dirname, "..", "..", "..", "assets", "kiosk");
const SCRIPT = join(KIOSK, "x-authority.sh");
const unit = readFileSync(join(KIOSK, "spotloop-display.service"), "utf8");
const player = readFileSync(join(KIOSK, "player.conf"), "utf8");

function write(file: string, group = String(process.getgid?.())): number | null {
  return spawnSync("sh", [SCRIPT, file, group]).status;
}

describe("the secret of a kiosk's display", () => {
  it("lets in who may read it and nobody else", async () => {
    const file = join(temporaryFolder(), ".Xauthority");
    expect(write(file)).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const display = await startDisplay({ width: 320, height: 200, authority: file });
    onTestFinished(() => display.stop());
    const env = { DISPLAY: display.name };
    expect(await displayAnswers({ ...env, XAUTHORITY: file })).toBe(true);
    expect(await displayAnswers({ ...env, XAUTHORITY: "/dev/null" }, 300)).toBe(false);
  });

  it("is another one each time, and stays where no new one can be written", () => {
    const file = join(temporaryFolder(), ".Xauthority");
    write(file);
    const first = readFileSync(file);
    write(file);
    const second = readFileSync(file);
    expect([first.length, second.equals(first)]).toEqual([second.length, false]);
    expect(write(file, "no-such-group")).not.toBe(0);
    expect(readFileSync(file).equals(second)).toBe(true);
  });

  it("is written where the server reads it, for the player's group, and the player is told where", () => {
    const [, script, file, group] = /^ExecStartPre=-(\S+) (\S+) (\S+)$/m.exec(unit) ?? [];
    const [, read] = /^ExecStart=\S+ .*-auth (\S+)/m.exec(unit) ?? [];
    const [, told] = /^Environment=XAUTHORITY=(\S+)$/m.exec(player) ?? [];
    const [, folder] = /^RuntimeDirectory=(\S+)$/m.exec(unit) ?? [];
    expect([read, told, group]).toEqual([file, file, "spotloop"]);
    expect(file).toMatch(`/run/${folder}/`);
    expect(existsSync(join(KIOSK, `${script?.split("/").at(-1)}.sh`))).toBe(true);
  });
});
