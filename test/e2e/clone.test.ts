import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { eventually } from "../support/processes.ts";

it("`npm run emulator` serves a network from a clone until it is asked to stop", async () => {
  const ports = ["--port", "0", "--media-port", "0", "--control-port", "0"];
  const npm = spawn("npm", ["run", "--silent", "emulator", "--", ...ports], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
    // A group of its own, which is stopped as a terminal's Ctrl-C stops it: as a whole.
    detached: true,
  });
  const stop = () => process.kill(-(npm.pid ?? 0), "SIGINT");
  onTestFinished(() => void (npm.exitCode === null && npm.signalCode === null && stop()));
  const lines: string[] = [];
  createInterface({ input: npm.stdout }).on("line", (line) => lines.push(line));

  const ready = JSON.parse(await eventually("the ready line", () => lines[0]));
  const spot = await fetch(`${ready.baseUrl}/v3/vendor/${ready.orgToken}/1/rt_ad/${ready.screenId}`);
  expect(ready).toMatchObject({ ready: true, orgToken: "org_demo", screenId: "screen_demo" });
  expect([spot.status, Object.keys((await spot.json()) as object)]).toEqual([200, ["data"]]);

  const ended = once(npm, "exit");
  stop();
  await ended;
  await expect.poll(() => fetch(ready.baseUrl).catch(() => "gone")).toBe("gone");
  expect(lines).toHaveLength(1);
});
