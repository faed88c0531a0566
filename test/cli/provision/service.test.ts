import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startHealth } from "../../../src/player/health/health.ts";
import type { HealthReport, ScreenHealth } from "../../../src/player/health/health-report.ts";
import { createMetrics } from "../../../src/player/health/metrics.ts";
import { writeSmallFile } from "../../../src/player/small-file.ts";
import { running } from "../../emulator/running.ts";
import { eventually } from "../../support/machine/processes.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

vi.setConfig({ testTimeout: 120_000 });

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SETUP = ["provision", "--id", "wall-1", "--location", "loc_harbour", "--size", "1280x720"];

/**
 * The package's `spotloop` as root runs it, on a machine of its own: this checkout's command line, a `runuser` that becomes
 * nobody else, and a `systemctl` that writes down what it is asked. Without a unit `systemctl cat` fails. `preloaded`: what
 * the command line's process runs first.
 */
async function machine({ hasUnit = true, preloaded = "" } = {}) {
  const { baseUrl, orgToken } = await running();
  const folder = temporaryFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const program = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const asked = join(folder, "asked");
  program("app", `exec '${process.execPath}' '${join(ROOT, "src/cli/main.ts")}' "$@"`);
  program("id", "echo 0");
  program("runuser", 'shift 3; exec "$@"');
  program("systemctl", `[ "$1" = cat ] && exit ${hasUnit ? 0 : 1}; echo "$@" >> ${asked}`);
  const wrapper = readFileSync(join(ROOT, "assets", "linux", "spotloop.sh"), "utf8");
  program("spotloop", wrapper.replace("/opt/Spotloop/spotloop", join(bin, "app")));
  const [config, dataDir] = [join(folder, "config.json"), join(folder, "data")];
  mkdirSync(dataDir);
  const env = {
    ...{ PATH: `${bin}:${process.env.PATH}`, HOME: folder, XDG_CACHE_HOME: folder, SPOTLOOP_CONFIG: config },
    ...{ SPOTLOOP_BASE_URL: baseUrl, SPOTLOOP_ORG_TOKEN: orgToken, SPOTLOOP_DATA_DIR: dataDir },
    ...{ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preloaded)}` },
  };
  const askedOf = () => (existsSync(asked) ? readFileSync(asked, "utf8").split("\n").slice(0, -1) : []);
  const spotloop = (args: readonly string[]) => {
    const child = spawn(join(bin, "spotloop"), args, { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
    child.stdin.end();
    const ended = once(child, "close").then(([code]) => ({ code, said, printed }));
    return { said: () => said, ended };
  };
  return { spotloop, askedOf, config, dataDir };
}

/** The health pages of a player, and what it shows: to be changed. */
async function health(dataDir: string) {
  let shown: Pick<ScreenHealth, "status" | "onAir"> = { status: "starting", onAir: "house" };
  const report = () => ({ ...shown }) as HealthReport;
  const opened = await startHealth({ port: 0, report, metrics: createMetrics(), screenshot: async () => null });
  if (opened.kind !== "listening") throw new Error(opened.code);
  onTestFinished(() => opened.close());
  writeSmallFile(join(dataDir, "health.json"), { port: opened.port });
  return { show: (now: typeof shown) => (shown = now) };
}

const SPOT = {
  kind: "ad",
  id: "ad-1",
  title: "Winter jackets",
  durationMs: 6_000,
  since: "2026-01-01T00:00:00Z",
} as const;
const STARTED = "enable --now --no-block spotloop.service";

describe.skipIf(process.platform === "win32")("the service of a machine that root sets up", () => {
  it("is enabled and started, and its first spot waited for", async () => {
    const { spotloop, askedOf, dataDir } = await machine();
    const provisioned = spotloop(SETUP);
    await eventually("the start", () => askedOf().length > 0 || undefined, 60_000);
    const { show } = await health(dataDir);
    await eventually(
      "house content",
      () => provisioned.said().includes("House content is on the screen.") || undefined,
    );
    show({ status: "ok", onAir: SPOT });

    const { code, said, printed } = await provisioned.ended;

    expect([code, askedOf()]).toEqual([0, [STARTED]]);
    // It is started for them: nobody is told to.
    expect(printed).toMatch(/ failed\n\nAll is ready\.\n$/);
    expect(said).toBe(
      "The player starts. Waiting for its first spot, for 60 s at most…\n" +
        "House content is on the screen.\nOn the screen: Winter jackets (ad).\n",
    );
  });

  it("is waited for whatever clock the network sets meanwhile, as after a first boot", async () => {
    const aDayAheadAtEachLook = "const now = Date.now; let days = 0; Date.now = () => now() + 864e5 * days++";
    const { spotloop, dataDir } = await machine({ preloaded: aDayAheadAtEachLook });
    const { show } = await health(dataDir);
    show({ status: "ok", onAir: SPOT });
    const { code, said } = await spotloop(SETUP).ended;
    expect([code, said]).toEqual([0, expect.stringContaining("On the screen: Winter jackets (ad).\n")]);
  });

  it("is for others to start where it is not to be started", async () => {
    const { spotloop } = await machine();
    const { printed } = await spotloop([...SETUP, "--no-start"]).ended;
    expect(printed).toMatch(/ failed\n\nAll is ready: start the player\.\n$/);
  });

  it("is stopped first where it played by another configuration, and told to be closed where it is", async () => {
    const { spotloop, askedOf, dataDir } = await machine();
    const { show } = await health(dataDir);
    show({ status: "closed", onAir: "nothing" });

    const first = await spotloop(SETUP).ended;
    const again = await spotloop(SETUP).ended;
    const changed = await spotloop([...SETUP, "--health-port", "0"]).ended;

    expect([first.code, again.code, changed.code]).toEqual([0, 0, 0]);
    expect(first.said).toContain("The location is closed now: the player shows spots again when it opens.\n");
    expect(askedOf()).toEqual([STARTED, STARTED, "stop spotloop.service", STARTED]);
  });

  it.each([
    [
      "overridden",
      "override",
      "The operator's message or test card is on the screen: the player shows spots again after it.",
    ],
    ["off", "nothing", "The operator has switched the display off: the player shows spots again when it is on."],
  ] as const)("is told to be %s where it is", async (status, onAir, said) => {
    const { spotloop, dataDir } = await machine();
    const { show } = await health(dataDir);
    show({ status, onAir });

    const ended = await spotloop(SETUP).ended;

    expect([ended.code, ended.said.split("\n").slice(1)]).toEqual([0, [said, ""]]);
  });

  it.each<[string, { readonly hasUnit?: boolean }, (config: string) => readonly string[], number]>([
    ["that is what is asked", {}, () => [...SETUP, "--no-start"], 0],
    ["there is no unit, or no systemd", { hasUnit: false }, () => SETUP, 0],
    [
      "another configuration is written than the service plays by",
      {},
      (config) => [...SETUP, "--config", `${config}.2`],
      0,
    ],
    ["the machine cannot be set up", {}, () => ["provision", "--id", "wall-1"], 64],
    ["nothing is set up", {}, () => ["provision", "--help"], 0],
  ])("is left as it is where %s", async (_, given, args, code) => {
    const { spotloop, askedOf, config } = await machine(given);
    expect((await spotloop(args(config)).ended).code).toBe(code);
    expect(askedOf()).toEqual([]);
  });
});
