import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { eventually } from "../support/machine/processes.ts";

it.each([
  ["Ctrl-C, which its whole group gets", (pid: number) => process.kill(-pid, "SIGINT")],
  ["a SIGTERM, which npm alone gets", (pid: number) => process.kill(pid, "SIGTERM")],
])("`npm run emulator` serves a network from a clone until %s", async (_, stop) => {
  const ports = ["--port", "0", "--media-port", "0", "--control-port", "0"];
  const npm = spawn("npm", ["run", "--silent", "emulator", "--", ...ports], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
    // A group of its own, as a terminal gives it.
    detached: true,
  });
  const { pid = 0 } = npm;
  onTestFinished(() => void (npm.exitCode === null && npm.signalCode === null && process.kill(-pid)));
  const lines: string[] = [];
  createInterface({ input: npm.stdout }).on("line", (line) => lines.push(line));

  const ready = JSON.parse(await eventually("the ready line", () => lines[0]));
  const spot = await fetch(`${ready.baseUrl}/v3/vendor/${ready.orgToken}/1/rt_ad/${ready.screenId}`);
  expect(ready).toMatchObject({ ready: true, orgToken: "org_demo", screenId: "screen_demo" });
  expect([spot.status, Object.keys((await spot.json()) as object)]).toEqual([200, ["data"]]);

  const ended = once(npm, "exit");
  stop(pid);
  await ended;
  await expect.poll(() => fetch(ready.baseUrl).catch(() => "gone"), { timeout: 10_000 }).toBe("gone");
  expect(lines).toHaveLength(1);
});
