import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";

const module = JSON.stringify(new URL("../../../scripts/setup/pass-through.mjs", import.meta.url).href);

/** A Node that runs another Node in its place; both have no terminal. */
function standIn(code: string) {
  const outer = `const { passThrough } = await import(${module});
    process.exit(await passThrough(process.execPath, ["--eval", ${JSON.stringify(code)}]));`;
  return spawn(process.execPath, ["--input-type=module", "--eval", outer], { stdio: ["ignore", "pipe", "inherit"] });
}

describe("a command that is run in a script's place", () => {
  it("has its exit code passed on", async () => {
    expect(await once(standIn("process.exit(78)"), "exit")).toEqual([78, null]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("hears %s", async (signal) => {
    const child = standIn(
      `process.on("${signal}", () => process.exit(7)); setInterval(() => {}, 1000); console.log("up")`,
    );
    await once(child.stdout, "data");
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([7, null]);
  });

  it("counts as 128 and the signal's number when one ends it", async () => {
    expect(await once(standIn(`process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)`), "exit")).toEqual([
      137,
      null,
    ]);
  });
});
