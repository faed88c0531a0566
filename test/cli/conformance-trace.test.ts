import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { examine } from "../../src/cli/conformance/examine.ts";
import type { Emulator } from "../../src/emulator/main.ts";
import { ask, json, nextSpot, running } from "../emulator/running.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { openScenario } from "../support/player/scenario.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const TOLD = ["organizations", "locations", "screens", "cars", "spots", "behaviour", "faults", "clock", "snapshots"];

function targetOf({ baseUrl, controlUrl, orgToken, screenId }: Emulator) {
  return { baseUrl, orgToken, screenId, controlUrl };
}

/** All that the emulator tells of itself, but for the calls that were made. */
async function everything({ controlUrl }: Emulator) {
  const told = ["forks", "audit", ...TOLD].map(async (what) => [what, json(await ask(controlUrl, `/control/${what}`))]);
  return Object.fromEntries(await Promise.all(told));
}

/** Whatever the network had on its mind: the next spot, and what chance would give it. */
async function future(emulator: Emulator) {
  return JSON.stringify(await nextSpot(emulator)).replaceAll(/127\.0\.0\.1:\d+/g, "");
}

describe("conformance against an emulator", () => {
  it("leaves it as it was, clock and chance included", async () => {
    const [examined, untouched] = [await running(), await running()];
    for (const emulator of [examined, untouched]) await nextSpot(emulator);
    const before = await everything(examined);
    const findings = await examine(targetOf(examined), "a1");

    expect(findings.filter(({ verdict }) => verdict !== "passed")).toEqual([]);
    expect(await everything(examined)).toEqual(before);
    expect(before.forks).toEqual([]);
    expect(await future(examined)).toBe(await future(untouched));
  });

  it("is not noticed by a player beside it, which loses no proof", async () => {
    const scenario = await openScenario(temporaryFolder());
    onTestFinished(() => scenario.close());
    await scenario.pass(30_000);
    const startedAt = scenario.emulator.clock.now();
    let under = true;
    const examination = examine(targetOf(scenario.emulator), "a1").finally(() => {
      under = false;
    });
    let passedMs = 0;
    for (; under; passedMs += 1000) await scenario.pass(1000);
    await scenario.pass(60_000);

    expect(scenario.emulator.clock.now()).toBe(startedAt + passedMs + 60_000);
    expect((await examination).filter(({ verdict }) => verdict !== "passed")).toEqual([]);
    expect(scenario.emulator.audit()).toEqual([]);
    const over = scenario.emulator.spots().slice(0, -2);
    expect(over.length).toBeGreaterThan(4);
    expect(over.map(({ state }) => state)).toEqual(over.map(() => "proved"));
  });

  it.skipIf(process.platform === "win32")(
    "takes everything back when it is interrupted, and ends with 130",
    async () => {
      let begun = () => {};
      const underWay = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const emulator = await running({
        onCall: ({ path, method }) => method === "POST" && path === "/control/forks" && begun(),
      });
      const before = await everything(emulator);
      const { baseUrl, controlUrl, orgToken, screenId } = emulator;
      const flags = ["--base-url", baseUrl, "--control-url", controlUrl, "--screen-id", screenId];
      const env = { ...process.env, SPOTLOOP_ORG_TOKEN: orgToken };
      const child = spawn(process.execPath, [MAIN, "conformance", ...flags], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      let printed = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text) => (printed += text));
      await underWay;
      child.kill("SIGINT");

      expect((await once(child, "close"))[0]).toBe(130);
      expect(printed).toBe("Interrupted; everything is as it was.\n");
      expect(await everything(emulator)).toEqual(before);
    },
  );
});
