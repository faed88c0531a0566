import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { superviseBy } from "../../../src/main/recovery/supervisor.ts";
import { eventually } from "../../support/machine/processes.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const SOCKET = { NOTIFY_SOCKET: "/run/notify" };
/** A beat each tenth of a second. */
const WATCHED = { ...SOCKET, WATCHDOG_USEC: "300000" };

/** A `systemd-notify` in the path that writes down what it was told: a line for each call, a bar between the words. */
function standInForSystemd(): () => readonly string[] {
  const folder = temporaryFolder();
  const told = join(folder, "told");
  const program = join(folder, "systemd-notify");
  writeFileSync(program, `#!/bin/sh\nIFS='|'\necho "$*" >> ${told}\n`);
  chmodSync(program, 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
  return () => (existsSync(told) ? readFileSync(told, "utf8").split("\n").slice(0, -1) : []);
}

function supervised(env: NodeJS.ProcessEnv) {
  const supervision = superviseBy(env);
  onTestFinished(() => supervision.end());
  return supervision;
}

/** Waits until so many lines were told. */
function lines(told: () => readonly string[], count: number): Promise<readonly string[]> {
  return eventually(`${count} lines`, () => (told().length >= count ? told() : undefined));
}

afterEach(() => vi.unstubAllEnvs());

describe.skipIf(process.platform === "win32")("what systemd is told", () => {
  it("says once that the unit has started, by the first picture, and feeds the watchdog from then on", async () => {
    const told = standInForSystemd();
    const supervision = supervised(WATCHED);

    supervision.shows("says on the screen: there is no\nconfiguration yet");
    await lines(told, 3);
    supervision.shows("plays lobby-1");
    const [first, ...others] = await eventually("the new state", () =>
      told().some((line) => line.endsWith("plays lobby-1")) ? told() : undefined,
    );

    expect(first).toBe("READY=1|WATCHDOG=1|STATUS=says on the screen: there is no configuration yet");
    expect(new Set(others)).toEqual(new Set(["WATCHDOG=1", "WATCHDOG=1|STATUS=plays lobby-1"]));
  });

  it("leaves the watchdog alone while what is on the screen does not answer", async () => {
    const told = standInForSystemd();
    let asked = 0;
    const supervision = supervised(WATCHED);
    const answers: (() => Promise<unknown>)[] = [
      () => Promise.reject(new Error("crashed")),
      () => new Promise(() => {}),
      async () => {},
    ];

    supervision.shows("a page", () => answers[Math.min(asked++, 2)]?.() ?? Promise.resolve());
    const all = await lines(told, 2);

    expect(asked).toBeGreaterThanOrEqual(3);
    expect(all[1]).toBe("WATCHDOG=1");
  });

  it("extends the time for the start while it waits for what is not its own to bring", async () => {
    const told = standInForSystemd();
    const supervision = supervised(WATCHED);

    supervision.waits("lobby-1: waits for a display");
    const waiting = await lines(told, 4);
    supervision.shows("plays lobby-1");
    await eventually("the start", () => told().some((line) => line.startsWith("READY=1")) || undefined);

    expect([...new Set(waiting)].sort()).toEqual([
      ...["STATUS=lobby-1: waits for a display", "WATCHDOG=1|EXTEND_TIMEOUT_USEC=300000"],
    ]);
  });

  it("tells of the start where there is no watchdog, and nothing else", async () => {
    const told = standInForSystemd();
    supervised(SOCKET).shows("plays lobby-1");
    expect(await lines(told, 1)).toEqual(["READY=1|STATUS=plays lobby-1"]);
  });

  it("tells nothing of a start that shows nothing, and nothing where nobody listens", async () => {
    const told = standInForSystemd();
    supervised(WATCHED);
    supervised({ WATCHDOG_USEC: "300000" }).shows("nothing");
    // Whatever they had begun would be there before the last of these.
    supervised(WATCHED).shows("plays lobby-1");
    const all = await lines(told, 4);
    expect(all.filter((line) => line !== "WATCHDOG=1")).toEqual(["READY=1|WATCHDOG=1|STATUS=plays lobby-1"]);
  });
});
