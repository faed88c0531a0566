import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots } from "../support/creatives/running-order.ts";
import { eventually, type Program, startPlayerProcess, userFolder } from "../support/machine/processes.ts";
import { sandboxedRenderers } from "../support/machine/sandbox.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const spots = plannedSpots(readCatalogue(), 3);
let output: string;
let packaged: Program;
let rig: Rig;
let config: string;

/** One of each kind that would undo what protects a player from what it shows, or open it to others. */
const FORBIDDEN = [
  "--no-sandbox",
  "--disable-setuid-sandbox",
  "--disable-gpu-sandbox",
  "--disable-seccomp-filter-sandbox",
  "--disable-web-security",
  "--disable-site-isolation-trials",
  "--remote-debugging-port=0",
  "--remote-allow-origins=*",
  "--inspect",
  "--inspect-brk=0",
  "--js-flags=--expose-gc",
  "--ignore-certificate-errors",
  "--ignore-certificate-errors-spki-list=x",
  "--allow-running-insecure-content",
  "--allow-insecure-localhost",
  "--unsafely-treat-insecure-origin-as-secure=http://x.example",
  "--allow-file-access-from-files",
  "--load-extension=/tmp/x",
  "--disable-extensions-except=/tmp/x",
  "--host-rules=x",
  "--host-resolver-rules=x",
  "--proxy-server=x.example",
  "--proxy-pac-url=http://x.example",
  "--user-data-dir=/tmp/x",
  "--ssl-key-log-file=/tmp/x",
  "--log-net-log=/tmp/x",
  "--renderer-cmd-prefix=x",
  "--gpu-launcher=x",
  "--utility-cmd-prefix=x",
];

beforeAll(async () => {
  output = mkdtempSync(join(tmpdir(), "spotloop-packaged-"));
  chmodSync(output, 0o755);
  const args = ["scripts/ready.mjs", "package", "--dir", `-c.directories.output=${output}`];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: "pipe" });
  packaged = { executable: join(output, "linux-unpacked", "spotloop"), args: [] };
  rig = await openRig();
  config = rig.configure();
}, 240_000);

afterAll(async () => {
  await rig?.close();
  rmSync(output, { recursive: true, force: true });
});

describe("the packaged player", () => {
  it("plays video, images and HTML with the sandbox on and proves each item once", async () => {
    await rig.emulator.next(spots);
    const player = rig.play(["--config", rig.configure()], packaged);
    const proved = async () => {
      const ledger = (await rig.emulator.ledger()).slice(0, spots.length);
      const verdicts = ledger.flatMap(({ news, ad }) => [news, ad].map((item) => item?.pops.map((pop) => pop.verdict)));
      return verdicts.filter((one) => one?.length).length === 2 * spots.length ? verdicts : undefined;
    };
    expect(await eventually("all proofs", proved)).toEqual(Array.from({ length: 2 * spots.length }, () => ["counted"]));
    expect(await sandboxedRenderers(player.pid)).toBeGreaterThan(0);
    expect(await player.stop()).toBe(0);
  });

  // Side by side, as many as there are processors: each is gone before it opens anything.
  describe.concurrent("does not run", () => {
    it.each(["--no-zygote", "--disable-namespace-sandbox"])(
      "with %s: Chromium or the player ends it",
      async (extra) => {
        const player = rig.play(["--config", config, extra], packaged);
        expect(await player.ended).not.toBe(0);
        expect(player.stderr.join("\n")).not.toContain("player started");
      },
    );

    it.each(FORBIDDEN)("with %s: ends with 78", async (extra) => {
      const player = rig.play(["--config", config, extra], packaged);
      expect(await player.ended).toBe(78);
      expect(player.stderr.join("\n")).toContain(`does not run with ${extra.split("=")[0]}`);
    });
  });

  it("ends with 78 when its configuration has mistakes and somebody asks", async () => {
    const player = rig.play(["--config", rig.configure({ screenId: "" }), "--check-config"], packaged);
    expect(await player.ended).toBe(78);
  });
});

describe("the packaged doctor", () => {
  it("tells what only Electron knows of the machine, and leaves nothing behind", async () => {
    const temporary = userFolder();
    onTestFinished(() => temporary.remove());
    const env = { DISPLAY: rig.display.name, TMPDIR: temporary.path };
    const doctor = startPlayerProcess(packaged, env, rig.home, ["doctor", "--json", "--config", rig.configure()]);
    await doctor.ended;
    const { findings } = JSON.parse(doctor.stdout.join("\n"));
    expect(findings).toContainEqual(
      expect.objectContaining({ name: "display", text: expect.stringContaining("1280x720") }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ name: "codecs", verdict: "ok" }));
    expect(readdirSync(temporary.path)).toEqual([]);
  });
});

describe("the packaged emulator", () => {
  it.each([
    ["with a display", () => ({ DISPLAY: rig.display.name })],
    ["without a display", () => ({})],
  ])("serves a network %s until it is asked to stop, and leaves no copies of its media behind", async (_, display) => {
    const ports = ["--port", "0", "--media-port", "0", "--control-port", "0"];
    const temporary = userFolder();
    onTestFinished(() => temporary.remove());
    const env = { ...display(), TMPDIR: temporary.path };
    const emulator = startPlayerProcess(packaged, env, rig.home, ["emulator", ...ports, "--seed", "1"]);
    onTestFinished(async () => void (await emulator.stop()));

    const ready = JSON.parse(await eventually("the ready line", () => emulator.stdout[0]));
    expect(ready).toMatchObject({ ready: true, orgToken: "org_demo", screenId: "screen_demo" });
    const spot = await fetch(`${ready.baseUrl}/v3/vendor/${ready.orgToken}/1/rt_ad/${ready.screenId}`);
    const { news, ad } = ((await spot.json()) as { data: Record<"news" | "ad", { url: string; pop: string }> }).data;
    for (const url of [news.url, ad.url, news.pop, ad.pop])
      expect([url, (await fetch(url)).status]).toEqual([url, 200]);
    const page = await fetch(ready.controlUrl);
    expect(await page.text()).toContain("Spotloop <span>emulator</span>");

    expect(await emulator.stop()).toBe(0);
    expect(emulator.stdout).toHaveLength(1);
    expect(readdirSync(temporary.path)).toEqual([]);
  });

  it("keeps its state in a file across restarts", async () => {
    const args = ["emulator", "--port", "0", "--media-port", "0", "--control-port", "0", "--data", "network.db"];
    for (const spots of [0, 1]) {
      const emulator = startPlayerProcess(packaged, null, rig.home, args);
      onTestFinished(async () => void (await emulator.stop()));
      const ready = JSON.parse(await eventually("the ready line", () => emulator.stdout[0]));
      expect(await (await fetch(`${ready.controlUrl}/control/spots`)).json()).toHaveLength(spots);
      await fetch(`${ready.baseUrl}/v3/vendor/org_demo/1/rt_ad/screen_demo`);
      expect(await emulator.stop()).toBe(0);
    }
  });

  it("runs a command beside a network of its own, and ends with its exit code", async () => {
    const script =
      "const { SPOTLOOP_CONTROL_URL: url } = process.env; fetch(url + '/control/health').then(async (answer) => { console.log(await answer.text()); process.exit(7); })";
    const command = ["emulator", "exec", "--", process.execPath, "--no-warnings", "-e", script];
    const exec = startPlayerProcess(packaged, null, rig.home, command);

    expect(await exec.ended).toBe(7);
    expect(exec.stdout).toEqual(['{"status":"ok"}']);
  });

  it("ends with 78 when its world has mistakes, naming all of them", async () => {
    const world = join(output, "world.json");
    writeFileSync(world, JSON.stringify({ organizations: [], wether: 1 }));
    const emulator = startPlayerProcess(packaged, null, rig.home, ["emulator", "--port", "0", "--world", world]);

    expect(await emulator.ended).toBe(78);
    expect(emulator.stderr.join("\n")).toContain("organizations");
    expect(emulator.stderr.join("\n")).toContain("wether");
  });
});
