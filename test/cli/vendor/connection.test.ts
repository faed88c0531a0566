import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { nobody } from "../../client/server.ts";
import { running } from "../../emulator/running.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { lines, spotloopOf, spotloopWith } from "./spotloop.ts";

const isWindows = process.platform === "win32";
const GET = ["screens", "get", "screen_demo", "--json"];

function secretFile(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

describe("a command that talks to the service", () => {
  it("finds it in the file that is named, which need not be a player's", async () => {
    const { baseUrl } = await running();
    const folder = temporaryFolder();
    secretFile(folder, "org-token", "org_demo\n");
    const config = secretFile(folder, "c.json", JSON.stringify({ baseUrl, orgTokenFile: "org-token", cache: "odd" }));
    const spotloop = spotloopWith({});

    expect(await spotloop([...GET, "--config", config])).toMatchObject({ code: 0, stderr: "" });
    expect(await spotloopWith({ SPOTLOOP_CONFIG: config })(GET)).toMatchObject({ code: 0, stderr: "" });
  });

  it("finds it in the user's own file", async () => {
    const { baseUrl } = await running();
    const home = temporaryFolder();
    // Windows keeps configurations of a user beside other things of the program's.
    const folder = join(home, "spotloop", ...(isWindows ? ["Config"] : []));
    mkdirSync(folder, { recursive: true });
    secretFile(folder, "config.json", JSON.stringify({ baseUrl, orgToken: "org_demo" }));

    expect(await spotloopWith({ XDG_CONFIG_HOME: home, APPDATA: home })(GET)).toMatchObject({ code: 0, stderr: "" });
  });

  it("lets flags go before the environment, and that before the file", async () => {
    const emulator = await running();
    const folder = temporaryFolder();
    const token = secretFile(folder, "token", "org_demo");
    const config = secretFile(folder, "c.json", JSON.stringify({ baseUrl: await nobody(), orgToken: "org_none" }));
    const spotloop = spotloopOf({ ...emulator, orgToken: "org_none" });

    expect((await spotloop([...GET, "--config", config])).code).toBe(77);
    expect((await spotloop([...GET, "--config", config, "--org-token-file", token])).code).toBe(0);
    expect((await spotloop([...GET, "--base-url", await nobody()])).code).toBe(69);
  });

  it.skipIf(process.platform === "win32")("warns of a token that others can read", async () => {
    const emulator = await running();
    const token = secretFile(temporaryFolder(), "token", "org_demo");
    chmodSync(token, 0o644);

    const { code, stderr } = await spotloopOf(emulator)([...GET, "--org-token-file", token]);

    expect([code, stderr]).toEqual([
      0,
      `warning: ${token} holds the organization token and can be read by others: chmod 600 ${token}\n`,
    ]);
  });

  it("ends with 78, all that is missing and what to do where there is no configuration yet", async () => {
    const { code, stdout, stderr } = await spotloopWith({})(GET);

    expect([code, stdout]).toEqual([78, ""]);
    expect(stderr).toMatch(
      isWindows
        ? /^There is no configuration yet at C:\\ProgramData\\Spotloop\\config\.json or .+\\spotloop\\Config\\config\.json: 2 problems:\n/
        : /^There is no configuration yet at \/etc\/spotloop\/config\.json or \/.+\/spotloop\/config\.json: 2 problems:\n/,
    );
    expect(stderr).toMatch(/\nWrite one with: spotloop provision\n$/);
    expect(stderr).toContain("\n  baseUrl: is missing. Give --base-url or SPOTLOOP_BASE_URL.\n");
    expect(stderr).toContain(
      "\n  orgToken: is missing, and so is orgTokenFile. Give --org-token-file or SPOTLOOP_ORG_TOKEN.\n",
    );
  });

  it.each([
    ["is not there", null, "The file is not there."],
    ["is not JSON", "{", "The file is not JSON: line 1, column 2: the file ends too early."],
    ["has an odd address", '{"baseUrl":"ftp://x","orgToken":"t"}', "baseUrl: must be an http or https address"],
  ])("ends with 78 when the file %s", async (_, text, said) => {
    const config = join(temporaryFolder(), "c.json");
    if (text !== null) writeFileSync(config, text);

    const { code, stderr } = await spotloopWith({})([...GET, "--config", config]);

    expect(code).toBe(78);
    expect(stderr).toContain(said);
  });

  it("says that there is none where a file is named that is not there", async () => {
    const config = join(temporaryFolder(), "c.json");

    expect((await spotloopWith({})([...GET, "--config", config])).stderr).toBe(
      lines(`There is no configuration yet at ${config}: The file is not there.`, "Write one with: spotloop provision"),
    );
  });

  it("ends with 78 and names the flags that it cannot use", async () => {
    const args = [...GET, "--base-url", "network", "--org-token-file", "/none"];

    const { code, stderr } = await spotloopWith({})(args);

    expect(code).toBe(78);
    expect(stderr).toMatch(/^2 problems:\n/);
    expect(stderr).toContain("  baseUrl: must be an http or https address (set by --base-url)\n");
    const none = resolve("/none");
    expect(stderr).toContain(
      `  orgTokenFile: names ${none}, which cannot be read (ENOENT) (set by --org-token-file)\n`,
    );
  });

  it("sends no token that was pasted with the end of its line, and says where it stands", async () => {
    const emulator = await running();
    const { baseUrl } = emulator;
    const strange = { baseUrl, orgToken: "org_demo\r" };
    const config = secretFile(temporaryFolder(), "c.json", JSON.stringify(strange));
    const setup = secretFile(temporaryFolder(), "setup.json", JSON.stringify({ id: "d", location: "l" }));

    expect(await spotloopOf(strange)(GET)).toEqual({
      ...{ code: 78, stdout: "" },
      stderr: lines(
        "orgToken: must not hold spaces or control characters (set by SPOTLOOP_ORG_TOKEN). Give --org-token-file or SPOTLOOP_ORG_TOKEN.",
      ),
    });
    expect(await spotloopWith({})([...GET, "--config", config])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining(
        `The configuration ${config} cannot be used: orgToken: must not hold spaces or control characters`,
      ),
    });
    expect(await spotloopOf(strange)(["provision", "--from", setup, "--config", `${config}.new`])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining("orgToken: must not hold spaces or control characters"),
    });
    expect(await spotloopOf(strange)(["conformance", "--screen-id", "screen_demo"])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("The organization's token must not hold spaces or control characters."),
    });
    expect(emulator.calls()).toEqual([]);
  });

  it("ends with 77 when the token is not accepted, and with 69 when nobody answers", async () => {
    const emulator = await running();

    expect(await spotloopOf({ ...emulator, orgToken: "org_none" })(GET)).toEqual({
      code: 77,
      stdout: "",
      stderr: lines(
        "The service does not accept the organization token. Mend SPOTLOOP_ORG_TOKEN or the file that holds it.",
      ),
    });
    expect(await spotloopOf({ baseUrl: await nobody(), orgToken: "org_demo" })(GET)).toEqual({
      code: 69,
      stdout: "",
      stderr: lines("The service did not answer as it should: ECONNREFUSED. spotloop doctor says more."),
    });
  });

  it("waits when the service asks for a moment, says so, and sends again what was not done (A14)", async () => {
    const emulator = await running();
    const limit = (route: string) => ({ match: { route }, times: 1, do: { retryAfter: 1 } });
    emulator.setFaults([limit("locations"), limit("screen")]);
    const spotloop = spotloopOf(emulator);

    const created = await spotloop(["locations", "create", "--id", "L1", "--title", "Gym"]);
    const shown = await spotloop(GET);

    expect([created.code, created.stderr]).toEqual([0, "The service asks to wait 1 s.\n"]);
    expect([shown.code, shown.stderr]).toEqual([0, "The service asks to wait 1 s.\n"]);
  });

  it.each([
    [{ retryAfter: 30 }, "The service is asked too often. Try again in 30 s."],
    [{ status: 429 }, "The service is asked too often. Try again in half a minute."],
    [{ retryAfter: 11 }, "The service is asked too often. Try again in 11 s."],
    [{ status: 503, retryAfter: 9 }, "The service did not answer as it should: HTTP 503. Try again in 9 s."],
    [{ status: 500 }, "The service did not answer as it should: HTTP 500. spotloop doctor says more."],
    [{ malformedJson: true }, "The service did not answer as it should: the answer is not JSON."],
  ] as const)("ends with 69 when the service answers %j", async (faultAction, said) => {
    const emulator = await running();
    emulator.setFaults([{ match: { route: "screen" }, do: faultAction }]);

    const { code, stderr } = await spotloopOf(emulator)(GET);

    expect(code).toBe(69);
    expect(stderr).toContain(said);
  });

  it("says when it is not known whether something was done", async () => {
    const emulator = await running();
    emulator.setFaults([
      { match: { route: "locations" }, do: { reset: true } },
      { match: { route: "location" }, do: { reset: true } },
    ]);

    const { code, stderr } = await spotloopOf(emulator)(["locations", "create", "--id", "L1", "--title", "A"]);

    expect(code).toBe(69);
    expect(stderr).toContain("Whether it was done is not known. See with: spotloop locations get L1");
  });

  it("never has the token in what it says", async () => {
    const emulator = await running();
    const token = "org_very-secret-token";
    const spotloop = spotloopOf({ ...emulator, orgToken: token });
    const ended = [
      await spotloop(["locations", "create", "--title", "A", "--dry-run"]),
      await spotloop(GET),
      await spotloop(["locations", "create", "--title", "A", "--no-check"]),
    ];

    expect(JSON.stringify(ended)).not.toContain("secret");
  });
});
