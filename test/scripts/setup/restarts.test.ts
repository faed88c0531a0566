import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startChild } from "../../../scripts/setup/child.ts";
import { startAgain } from "../../../scripts/setup/restarts.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

/** Ends with the first code, from its second life on with the other. */
function programOf(first: number, then: number): { args: string[]; mark: string } {
  const mark = join(temporaryFolder(), "mark");
  const script = `const { existsSync, writeFileSync } = require("node:fs"); const mark = ${JSON.stringify(mark)};
    const again = existsSync(mark); writeFileSync(mark, ""); process.exit(again ? ${then} : ${first});`;
  return { args: ["-e", script], mark };
}

describe("a player that is started again", () => {
  it.each([75, 76])("is, after it ended with %i, until it ends with another code", async (code) => {
    const { args } = programOf(code, 5);
    expect(await startAgain(() => startChild(process.execPath, args)).ended).toBe("exit code 5");
  });

  it.each([0, 1, 78])("is not after %i", async (code) => {
    const { args, mark } = programOf(code, 75);
    expect(await startAgain(() => startChild(process.execPath, args)).ended).toBe(`exit code ${code}`);
    expect(existsSync(mark)).toBe(true);
  });

  it("is not once it was stopped", async () => {
    let starts = 0;
    const { args, mark } = programOf(75, 75);
    writeFileSync(mark, "");
    const player = startAgain(() => {
      starts++;
      return startChild(process.execPath, args);
    });
    await player.stop();
    expect(starts).toBe(1);
  });
});
