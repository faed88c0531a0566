import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";

import { virtualClock } from "../../../src/emulator/clock.ts";
import { type Emulator, startEmulator } from "../../../src/emulator/main.ts";
import { demoWorld } from "../../../src/emulator/world/demo.ts";
import { readConfig } from "../../../src/player/config/config.ts";
import { createMetrics } from "../../../src/player/health/metrics.ts";
import { startPlayer } from "../../../src/player/player.ts";
import { running } from "../../emulator/running.ts";
import { eventually } from "../../support/machine/processes.ts";
import { isPrivate, temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { SimulatedStage } from "../../support/player/simulated-stage.ts";
import { lines, type Spotloop, spotloopOf, spotloopWith } from "../vendor/spotloop.ts";
import { hasTerminal, onTerminal } from "../vendor/terminal.ts";

const GYM = [
  ...["--location", "gym-1", "--location-title", "Gym", "--lat", "52.5", "--long", "13.4", "--open", "always"],
  ...["--visitors", "1,2,3,4,5,6,7"],
];
const DOOR = ["--id", "door-1", "--title", "Door", "--venue-type", "40101", "--size", "1920x1080"];

/** An organization that has nothing yet. */
async function freshOrganization({ controlUrl, baseUrl }: Emulator) {
  await control(controlUrl, "organizations", { org_token: "org_fresh" });
  return { baseUrl, orgToken: "org_fresh" };
}

async function control(controlUrl: string, path: string, body: object = {}): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${controlUrl}/control/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(await reply.text());
  return reply.json();
}

/** What is typed to take the line away that stands there (Ctrl+U). */
const ERASED = "\u0015";

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
const json = (file: string) => JSON.parse(readFileSync(file, "utf8"));

describe("spotloop provision", () => {
  it("leads from nothing to the first proved spot", async () => {
    const clock = new ManualClock();
    const emulator = await startEmulator({ seed: 1, clock: virtualClock(clock) });
    onTestFinished(() => emulator.close());
    const spotloop = spotloopOf(await freshOrganization(emulator));
    const folder = temporaryFolder();
    const config = join(folder, "config.json");

    const provisioned = await spotloop(["provision", "--config", config, ...GYM, ...DOOR]);
    expect(provisioned).toMatchObject({ code: 0, stderr: "" });
    expect(provisioned.stdout).toMatch(/^Location gym-1 is created: REVIEW\.\nScreen door-1 is created: 1920x1080\.\n/);
    expect(provisioned.stdout).toContain("\nok       token          is accepted\n");
    expect(provisioned.stdout).toContain("\nwarning  location       gym-1, REVIEW: no spots yet\n");
    expect(provisioned.stdout).toMatch(
      /\nThe player can be started\. Before ads can run:\n- The operator decides now; until then its screens get no spots\.\n$/,
    );

    await control(emulator.controlUrl, "locations/gym-1/approve");
    await control(emulator.controlUrl, "screens/door-1/next", { spots: [{ news: "news-weather", ad: "ad-coffee" }] });
    const reading = readConfig({ path: config, env: { SPOTLOOP_DATA_DIR: join(folder, "data") } });
    if (reading.kind === "bad") throw new Error(JSON.stringify(reading.problems));
    const stage = new SimulatedStage(clock);
    const parts = {
      log: pino({ level: "silent" }),
      metrics: createMetrics(),
      fetch,
      random: () => 0.5,
      spotRetryMs: 0,
    };
    const player = await startPlayer({ config: reading.config, clock, ...parts });
    onTestFinished(() => player.stop());
    const { loop } = player.play("door-1", stage);
    stage.connect((event) => loop.dispatch(event));

    const verdicts = await eventually("the first proved spot", async () => {
      await clock.advance(250);
      const spot = emulator.spots("door-1").find(({ news, ad }) => [news, ad].every((item) => item?.pops.length === 1));
      return spot && [spot.news, spot.ad].map((item) => item?.pops[0]?.verdict);
    });

    expect(verdicts).toEqual(["counted", "counted"]);
    expect(emulator.audit()).toEqual([]);
  });

  it("writes a configuration and a token that only their owner can read", async () => {
    const organization = await freshOrganization(await running());
    const config = join(temporaryFolder(), "new", "config.json");

    await spotloopOf(organization)(["provision", "--config", config, ...GYM, ...DOOR]);

    expect(json(config)).toEqual({ baseUrl: organization.baseUrl, orgTokenFile: "org-token", screenId: "door-1" });
    expect(readFileSync(join(config, "..", "org-token"), "utf8")).toBe("org_fresh\n");
    expect([config, join(config, "..", "org-token")].map(isPrivate)).toEqual([true, true]);
  });

  it("leaves alone what else the configuration says, and a token in a file where it is", async () => {
    const { baseUrl, orgToken } = await freshOrganization(await running());
    const folder = temporaryFolder();
    const [config, token] = [join(folder, "config.json"), join(folder, "secret")];
    writeFileSync(config, JSON.stringify({ baseUrl, orgToken: "old", audio: { muted: false } }));
    writeFileSync(token, orgToken, { mode: 0o600 });
    const spotloop = spotloopWith({});

    await spotloop(["provision", "--config", config, "--org-token-file", token, ...GYM, ...DOOR]);
    expect(json(config)).toEqual({ baseUrl, orgTokenFile: token, screenId: "door-1", audio: { muted: false } });

    const again = await spotloop([
      "provision",
      "--config",
      config,
      "--id",
      "door-1",
      "--location",
      "gym-1",
      "--size",
      "1920x1080",
    ]);
    expect(again.stdout).toMatch(
      /^Location gym-1 is there already: REVIEW\.\nScreen door-1 is there already: 1920x1080\.\n/,
    );
    expect(json(config)).toEqual({ baseUrl, orgTokenFile: token, screenId: "door-1", audio: { muted: false } });
  });

  it.skipIf(process.platform === "win32")(
    "says where the token is, and closes a file of it that others could read",
    async () => {
      const { baseUrl, orgToken } = await freshOrganization(await running());
      const folder = temporaryFolder();
      const [config, real, link] = [join(folder, "config.json"), join(folder, "real"), join(folder, "link")];
      writeFileSync(real, orgToken);
      chmodSync(real, 0o644);
      symlinkSync(real, link);
      const spotloop = spotloopWith({});
      const args = ["provision", "--config", config, "--base-url", baseUrl];

      const linked = await spotloop([...args, "--org-token-file", link, ...GYM, ...DOOR]);
      const linkedMode = modeOf(real);
      chmodSync(real, 0o640);
      const again = await spotloop([...args, "--id", "door-1", "--location", "gym-1", "--size", "1920x1080"]);
      const written = await spotloop([...args, "--id", "door-1", "--location", "gym-1", "--size", "1920x1080"], {
        env: { SPOTLOOP_ORG_TOKEN: orgToken },
      });

      const told = `The organization token stays in ${link} (${real}): the configuration names it.`;
      expect(linked.stdout).toContain(`\n${told} Others could read it; now only its owner can.\n`);
      expect(again.stdout).toContain(`\n${told} Others could read it; now only its owner can.\n`);
      expect([linkedMode, modeOf(real)]).toEqual(["600", "600"]);
      const beside = join(folder, "org-token");
      expect(written.stdout).toContain(`\nThe organization token is in ${beside}, for its owner only.\n`);
      expect([readFileSync(beside, "utf8"), modeOf(beside), json(config).orgTokenFile]).toEqual([
        ...[`${orgToken}\n`, "600", "org-token"],
      ]);
    },
  );

  it("writes where the data is to be and the port of the health pages, and looks there", async () => {
    const organization = await freshOrganization(await running());
    const folder = temporaryFolder();
    const config = join(folder, "config.json");
    writeFileSync(config, JSON.stringify({ health: { port: 1 } }), { mode: 0o600 });
    const spotloop = spotloopOf(organization);
    const dataDir = join(folder, "data");
    const settings = ["--data-dir", dataDir, "--health-port", "9123"];
    const env = { SPOTLOOP_DATA_DIR: join(folder, "elsewhere") };

    const { code, stdout } = await spotloop(["provision", "--config", config, ...settings, ...GYM, ...DOOR], { env });
    const first = json(config);
    const again = ["--id", "door-1", "--location", "gym-1", "--size", "1920x1080", "--health-port", "off"];
    await spotloop(["provision", "--config", config, ...again]);

    expect(code).toBe(0);
    expect(first).toMatchObject({ dataDir, health: { port: 9123 } });
    expect(stdout.replace(/\s+/g, " ")).toContain(`data folder ${dataDir} is not there yet`);
    expect(json(config)).toMatchObject({ dataDir, health: { port: null } });
  });

  it("adds one screen to a machine that has several, once", async () => {
    const organization = await freshOrganization(await running());
    const config = join(temporaryFolder(), "config.json");
    const screens = [{ screenId: "door-0", display: { match: 1 } }];
    writeFileSync(config, JSON.stringify({ screens }), { mode: 0o600 });
    const spotloop = spotloopOf(organization);
    const again = ["--id", "door-1", "--location", "gym-1", "--size", "1920x1080"];

    for (const args of [[...GYM, ...DOOR], again]) await spotloop(["provision", "--config", config, ...args]);

    expect(json(config)).toEqual({
      ...{ baseUrl: organization.baseUrl, orgTokenFile: "org-token" },
      screens: [...screens, { screenId: "door-1" }],
    });
  });

  it("picks a location that is there, and takes its type where none is given", async () => {
    const emulator = await running();
    const config = join(temporaryFolder(), "config.json");

    const { code, stdout } = await spotloopOf(emulator)([
      ...[
        "provision",
        "--config",
        config,
        "--id",
        "wall-1",
        "--location",
        "loc_harbour",
        "--size",
        "1280x720",
        "--json",
      ],
    ]);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      screen: { screen_id: "wall-1", title: "wall-1", venue_type_id: "101", width: 1280, loop_duration: 60 },
      location: { location_id: "loc_harbour" },
      config,
      missing: [],
      doctor: { ok: true },
    });
  });

  it("makes no location for a screen whose change nobody agreed to", async () => {
    const emulator = await running();
    const config = join(temporaryFolder(), "config.json");
    const moving = ["--config", config, "--id", "screen_demo", ...GYM, "--venue-type", "401", "--size", "1920x1080"];

    const { code, stderr } = await spotloopOf(emulator)(["provision", ...moving]);

    expect([code, stderr.split("\n").at(-2)]).toEqual([64, "Add --yes to change it, or give another --id."]);
    expect(emulator.calls().filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("changes a screen that is there only after a yes", async () => {
    const emulator = await running();
    const config = join(temporaryFolder(), "config.json");
    const change = [
      "provision",
      "--config",
      config,
      "--id",
      "screen_kiosk",
      "--location",
      "loc_harbour",
      "--size",
      "720x1280",
    ];
    const spotloop = spotloopOf(emulator);

    const refused = await spotloop(change);
    const changed = await spotloop([...change, "--yes", "--json"]);

    expect(refused).toEqual({
      code: 64,
      stdout: "",
      stderr: lines(
        "There is a screen screen_kiosk already; this changes it:",
        "  size: 1080 -> 720",
        "  size: 1920 -> 1280",
        "Add --yes to change it, or give another --id.",
      ),
    });
    expect(JSON.parse(changed.stdout).screen).toMatchObject({
      title: "By the café",
      venue_type_id: "10101",
      width: 720,
    });
  });

  it.runIf(process.platform === "linux")("finds the display's size", async () => {
    const emulator = await running();
    const folder = temporaryFolder();
    const xrandr =
      "Screen 0: minimum 8 x 8\nDP-1 connected 800x600+1920+0\nHDMI-1 connected primary 1920x1080+0+0 510mm\n";
    writeFileSync(join(folder, "xrandr"), `#!/bin/sh\ncat <<'END'\n${xrandr}END\n`, { mode: 0o755 });
    const config = join(folder, "config.json");

    const { stdout } = await spotloopOf(emulator)(
      ["provision", "--config", config, "--id", "wall-1", "--location", "loc_harbour"],
      { env: { PATH: `${folder}:${process.env.PATH}` } },
    );

    expect(stdout).toContain("\nScreen wall-1 is created: 1920x1080.\n");
    expect(stdout).toContain("\nok       display        HDMI-1 1920x1080, DP-1 800x600\n");
  });

  it.each<[string, string[], number, string[]]>([
    [
      "nothing but mistakes",
      ["--lat", "x", "--size", "19"],
      64,
      [
        "4 problems:",
        "  --id: is missing",
        "  --location: is missing",
        '  --lat: must be a number, and is "x"',
        "  --size: must be a size such as 1920x1080",
      ],
    ],
    [
      "a new location without a name or type",
      ["--id", "a", "--location", "new", "--size", "1x1"],
      64,
      [
        "2 problems:",
        "  --location-title: is missing: there is no location new yet",
        "  --venue-type: is missing: there is no location new yet",
      ],
    ],
    [
      "a new location that breaks a rule",
      ["--id", "a", "--location", "new", "--location-title", " ", "--venue-type", "4", "--lat", "95", "--size", "1x1"],
      65,
      [
        "3 problems:",
        "  --location-title: must not be blank",
        "  --venue-type: 4 is Health & Beauty, on level 1; a location takes one of level 2",
        "  --lat: must be -90 to 90, and is 95",
      ],
    ],
    [
      "a screen that breaks a rule",
      ["--id", "a", "--location", "loc_harbour", "--venue-type", "401", "--size", "0x1", "--loop", "0"],
      65,
      [
        "3 problems:",
        "  --venue-type: 401 is Gyms; this screen needs 101 Airports, its location's, or a child of that",
        "  --size: must be a whole number from 1, and is 0",
        "  --loop: must be a whole number from 1, and is 0",
      ],
    ],
    [
      "settings that cannot be",
      ["--id", "a", "--location", "loc_harbour", "--size", "1x1", "--data-dir", "", "--health-port", "65536"],
      64,
      ["2 problems:", "  --data-dir: is empty", "  --health-port: must be a port from 0 to 65535, or off"],
    ],
    [
      "no display to ask",
      ["--id", "a", "--location", "loc_harbour"],
      64,
      ["--size: is missing, and no display can be asked"],
    ],
  ])("creates and writes nothing of %s", async (_, args, code, said) => {
    const emulator = await running();
    const config = join(temporaryFolder(), "config.json");
    const env = { PATH: "/nowhere" };

    expect(await spotloopOf(emulator)(["provision", "--config", config, ...args], { env })).toEqual({
      code,
      stdout: "",
      stderr: lines(...said),
    });
    expect(emulator.calls().some(({ method }) => method === "POST")).toBe(false);
    expect(statSync(config, { throwIfNoEntry: false })).toBe(undefined);
  });

  it("ends with 78 and touches nothing when there is a configuration that it cannot read", async () => {
    const config = join(temporaryFolder(), "config.json");
    writeFileSync(config, "{");

    const { code, stderr } = await spotloopOf(await running())(["provision", "--config", config, ...GYM, ...DOOR]);

    expect([code, readFileSync(config, "utf8")]).toEqual([78, "{"]);
    expect(stderr).toContain(`${config} is there and cannot be used: The file is not JSON`);
  });

  it("creates nothing when the configuration cannot be written", async () => {
    const emulator = await running();
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");

    const { code, stderr } = await spotloopOf(emulator)([
      "provision",
      "--config",
      join(file, "c.json"),
      ...GYM,
      ...DOOR,
    ]);

    expect([code, stderr]).toEqual([78, expect.stringContaining("cannot be written")]);
    expect(emulator.calls()).toEqual([]);
  });

  it("ends with 78 without a service, and with 77 with a wrong token", async () => {
    const config = join(temporaryFolder(), "config.json");
    const emulator = await running();

    const nowhere = await spotloopWith({})(["provision", "--config", config, ...GYM, ...DOOR]);
    const stranger: Spotloop = spotloopOf({ ...emulator, orgToken: "org_none" });
    const refused = await stranger(["provision", "--config", config, ...GYM, ...DOOR]);

    expect([nowhere.code, refused.code]).toEqual([78, 77]);
    expect(nowhere.stderr).toMatch(/^There is no configuration yet at .*c.*\.json: 2 problems:\n/);
    expect(nowhere.stderr).not.toContain("Write one with");
    expect(nowhere.stderr).toContain("  baseUrl: is missing. Give --base-url or SPOTLOOP_BASE_URL.\n");
  });

  it("makes nothing under identifiers that no screen or location can have (A17), and names both", async () => {
    const emulator = await running();
    const config = join(temporaryFolder(), "config.json");
    const named = ["--location", "floor 1/gym", "--id", "my door"];

    const { code, stderr } = await spotloopOf(emulator)(["provision", "--config", config, ...GYM, ...DOOR, ...named]);

    const must = "must be 1 to 64 of A-Z a-z 0-9 _ . -, and neither . nor ..";
    expect([code, stderr]).toEqual([65, lines("2 problems:", `  --id: ${must}`, `  --location: ${must}`)]);
    expect(emulator.calls().filter(({ method }) => method === "POST")).toEqual([]);
    expect(existsSync(config)).toBe(false);
  });

  it("takes a location that is there by what it is called", async () => {
    const emulator = await running();
    const location = demoWorld().organizations[0]?.locations?.find(({ location_id }) => location_id === "loc_harbour");
    const body = { ...location, location_id: "floor 1/gym" };
    emulator.setFaults([{ match: { route: "location" }, do: { status: 200, body } }]);
    const config = join(temporaryFolder(), "config.json");

    const { stderr } = await spotloopOf(emulator)([
      ...["provision", "--config", config, ...DOOR, "--venue-type", "10101", "--location", "floor 1/gym"],
    ]);

    expect(stderr).toContain("The service refuses this");
    expect(emulator.calls().filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it.runIf(hasTerminal)("asks for everything on a terminal", async () => {
    const { baseUrl, orgToken } = await freshOrganization(await running());
    const folder = temporaryFolder();
    const config = join(folder, "config.json");
    const asking = onTerminal(["provision", "--config", config], { HOME: folder, XDG_CACHE_HOME: folder });

    await asking.answer("Identifier of this screen:", "my door");
    await asking.answer("must be 1 to 64 of A-Z a-z 0-9 _ . -", `${ERASED}door-1`);
    await asking.answer("Identifier of its location:", "gym-1");
    await asking.answer("Service address:", baseUrl);
    await asking.answer("Organization token:", orgToken);
    await asking.answer("There is no location gym-1 yet. Its name:", "Gym");
    await asking.choose("What kind of place it is:", "gym", "401 Gyms");
    await asking.answer("Latitude:", "52.5");
    await asking.answer("Longitude:", "13.4");
    await asking.answer("Opening hours, such as mon-fri 08:00-20:00:", "always");
    await asking.answer("Visitors a day, seven numbers, Monday first:", "1,2,3,4,5,6,7");
    await asking.choose("Where in it the screen is:", "lob", "40101 Lobby (Gyms)");
    await asking.answer("Name of this screen:", "Door");
    await asking.answer("Its size in pixels:", "1920x1080");
    const { code, seen } = await asking.ended();

    expect(code).toBe(0);
    expect(seen).toContain("Location gym-1 is created: REVIEW.\nScreen door-1 is created: 1920x1080.\n");
    expect(seen).not.toContain(orgToken);
    expect(json(config)).toEqual({ baseUrl, orgTokenFile: "org-token", screenId: "door-1" });
  });
});
