import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { feedWatchdog } from "../../src/main/recovery/watchdog.ts";
import { eventually } from "../support/processes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A `systemd-notify` in the path that writes down what it was told; returns the file it writes to. */
function standInForSystemd(): string {
  const folder = temporaryFolder();
  const told = join(folder, "told");
  const program = join(folder, "systemd-notify");
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${told}\n`);
  chmodSync(program, 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
  return told;
}

afterEach(() => vi.unstubAllEnvs());

describe("systemd's watchdog", () => {
  it("is fed again and again where the unit asks for it", async () => {
    const told = standInForSystemd();
    const stop = feedWatchdog({ NOTIFY_SOCKET: "/run/notify", WATCHDOG_USEC: "300000" });
    const twice = () =>
      existsSync(told) && readFileSync(told, "utf8").includes("WATCHDOG=1\nWATCHDOG=1\n") ? true : undefined;
    expect(await eventually("two beats", twice)).toBe(true);
    stop();
  });

  it.each([{}, { WATCHDOG_USEC: "300000" }, { NOTIFY_SOCKET: "/run/notify" }])("is left alone with %j", async (env) => {
    const told = standInForSystemd();
    feedWatchdog(env)();
    // Whatever it had begun would be there before what is begun now.
    feedWatchdog({ NOTIFY_SOCKET: "/run/notify", WATCHDOG_USEC: "60000000" })();
    // The file is there before what is written to it.
    await eventually("a beat", () => (existsSync(told) && readFileSync(told, "utf8") !== "" ? true : undefined));
    expect(readFileSync(told, "utf8")).toBe("WATCHDOG=1\n");
  });
});
