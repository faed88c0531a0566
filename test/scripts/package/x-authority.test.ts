import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startDisplay } from "../../../scripts/setup/display.ts";
import { displayAnswers } from "../../../src/main/window/x11-connection.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const KIOSK = join(import.meta.dirname, "..", "..", "..", "assets", "kiosk");
const SCRIPT = join(KIOSK, "x-authority.sh");
const unit = readFileSync(join(KIOSK, "spotloop-display.service"), "utf8");

function write(file: string): number | null {
  return spawnSync("sh", [SCRIPT, file]).status;
}

describe("the secret of a kiosk's display", () => {
  it("lets in who may read it and nobody else", async () => {
    const file = join(temporaryFolder(), ".Xauthority");
    expect(write(file)).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
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
    mkdirSync(`${file}.part`);
    expect(write(file)).not.toBe(0);
    expect(readFileSync(file).equals(second)).toBe(true);
  });

  it("is written where the server reads it, as the player's user, and found by the player in its home", () => {
    const [, user, script, file] = /^ExecStartPre=-\S+ -u (\S+) -- (\S+) (\S+)$/m.exec(unit) ?? [];
    const [, read] = /^ExecStart=\S+ .*-auth (\S+)/m.exec(unit) ?? [];
    expect([user, file, read]).toEqual(["spotloop", "/var/lib/spotloop/.Xauthority", file]);
    expect(existsSync(join(KIOSK, `${script?.split("/").at(-1)}.sh`))).toBe(true);
  });
});
