import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { answersJsonSchema } from "../../../src/cli/provision/answers.ts";
import { running } from "../../emulator/running.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { lines, spotloopOf, spotloopWith } from "../vendor/spotloop.ts";
import { hasTerminal, onTerminal } from "../vendor/terminal.ts";

vi.setConfig({ testTimeout: 60_000 });

const DOOR = {
  ...{ id: "door-1", title: "Door", location: "gym-1", venueType: "40101", size: "1920x1080", loop: 60 },
  ...{ locationTitle: "Gym", lat: 52.5, long: 13.4, open: "always", visitors: [1, 2, 3, 4, 5, 6, 7] },
};

/** A folder with answers, and the configuration that is to be written beside it. */
function folderWith(answers: unknown) {
  const folder = temporaryFolder();
  const [file, config] = [join(folder, "setup.json"), join(folder, "etc", "config.json")];
  writeFileSync(file, typeof answers === "string" ? answers : JSON.stringify(answers));
  return { folder, file, config, json: () => JSON.parse(readFileSync(config, "utf8")) };
}

describe("spotloop provision --from", () => {
  it("sets up a machine by a file alone, relative paths from its folder", async () => {
    const { baseUrl, orgToken } = await running();
    const answers = { ...DOOR, baseUrl, orgTokenFile: "secret", dataDir: "data", healthPort: null };
    const { folder, file, config, json } = folderWith(answers);
    writeFileSync(join(folder, "secret"), orgToken, { mode: 0o600 });

    const made = await spotloopWith({})(["provision", "--config", config, "--from", file]);

    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toMatch(/^Location gym-1 is created: REVIEW\.\nScreen door-1 is created: 1920x1080\.\n/);
    expect(json()).toEqual({
      ...{ baseUrl, screenId: "door-1", orgTokenFile: join(folder, "secret") },
      ...{ dataDir: join(folder, "data"), health: { port: null } },
    });
    expect(made.stdout).not.toContain(orgToken);
  });

  it("is overruled by flags", async () => {
    const { file, config, json } = folderWith({ ...DOOR, healthPort: 9000 });
    const flags = ["--id", "door-2", "--size", "1080x1920", "--health-port", "9001"];

    const { stdout } = await spotloopOf(await running())(["provision", "--config", config, "--from", file, ...flags]);

    expect(stdout).toContain("\nScreen door-2 is created: 1080x1920.\n");
    expect(json()).toMatchObject({ screenId: "door-2", health: { port: 9001 } });
  });

  it.each<[string, unknown, string[]]>([
    ["no JSON", "{ // none\n}", ["The file is not JSON: line 1, column 3: comments are not allowed."]],
    ["no object", [], ["must be an object with settings"]],
    [
      "keys that there are not and values that cannot be",
      { ...DOOR, venuType: "401", loop: "60", lat: 95, open: "mon 8-25", size: "19", visitors: [1, 2], healthPort: -1 },
      [
        "7 problems:",
        "  loop: must be a number",
        "  healthPort: must be at least 0",
        "  venuType: is not a setting; the nearest is venueType",
        expect.stringMatching(/^ {2}open: /) as unknown as string,
        "  size: must be a size such as 1920x1080",
        "  lat: must be -90 to 90, and is 95",
        "  visitors: must be 7 numbers, Monday first; there are 2",
      ],
    ],
  ])("ends with 78 and makes nothing of %s", async (_, answers, said) => {
    const emulator = await running();
    const { file, config } = folderWith(answers);

    const { code, stdout, stderr } = await spotloopOf(emulator)(["provision", "--config", config, "--from", file]);

    const [first = "", ...others] = said;
    expect([code, stdout]).toEqual([78, ""]);
    expect(stderr.split("\n").slice(0, -1)).toEqual([`${file} cannot be used: ${first}`, ...others]);
    expect(emulator.calls()).toEqual([]);
    expect(statSync(config, { throwIfNoEntry: false })).toBe(undefined);
  });

  it("names the place of what breaks a rule of the service", async () => {
    const { file, config } = folderWith({ ...DOOR, venueType: "402", location: "loc_harbour" });

    const { code, stderr } = await spotloopOf(await running())(["provision", "--config", config, "--from", file]);

    expect([code, stderr]).toEqual([
      65,
      lines(
        "Location loc_harbour is there already and stays as it is; change it with: spotloop locations update loc_harbour",
        `${file}: venueType: 402 is Salons; this screen needs 101 Airports, its location's, or a child of that`,
      ),
    ]);
  });

  it.runIf(hasTerminal)("asks nothing on a terminal: what is missing is said", async () => {
    const { baseUrl, orgToken } = await running();
    const { folder, file, config } = folderWith({ id: "door-1", location: "gym-1", baseUrl });
    const env = { HOME: folder, XDG_CACHE_HOME: folder, SPOTLOOP_ORG_TOKEN: orgToken };

    const { code, seen } = await onTerminal(["provision", "--config", config, "--from", file], env).ended();

    expect([code, seen]).toEqual([
      64,
      lines(
        "2 problems:",
        "  --location-title: is missing: there is no location gym-1 yet",
        "  --venue-type: is missing: there is no location gym-1 yet",
      ),
    ]);
  });

  it("has a JSON Schema that is up to date; if not, run scripts/make-config-docs.ts", () => {
    const file = new URL("../../../assets/provision.schema.json", import.meta.url);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(answersJsonSchema());
  });
});
