import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { reachableHost } from "../../src/emulator/http/listener.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const FREE = ["--port", "0", "--media-port", "0", "--control-port", "0"];

/** The command line in a process of its own. */
function spotloop(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.stderr += text;
  });
  return { child, printed };
}

async function ended(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, "close");
  return code;
}

async function ready(child: ChildProcess, printed: { stdout: string }) {
  while (!printed.stdout.includes("\n")) await Promise.race([once(child.stdout ?? child, "data"), endedEarly(child)]);
  return JSON.parse(printed.stdout);
}

async function endedEarly(child: ChildProcess): Promise<never> {
  throw new Error(`it ended with ${await ended(child)}`);
}

describe("spotloop emulator", () => {
  // On Windows nobody sends a signal to another process: it is ended on the spot.
  it.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "prints one line of JSON when it is ready, and ends with 0 on %s",
    async (signal) => {
      const { child, printed } = spotloop("emulator", ...FREE, "--seed", "7");

      const line = await ready(child, printed);
      const health = await fetch(`${line.controlUrl}/control/health`);
      const spot = await fetch(`${line.baseUrl}/v3/vendor/${line.orgToken}/1/rt_ad/${line.screenId}`);
      child.kill(signal);

      expect(await ended(child)).toBe(0);
      expect(line).toEqual({
        ready: true,
        baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        mediaUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        controlUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        orgToken: "org_demo",
        screenId: "screen_demo",
      });
      expect([health.status, spot.status]).toEqual([200, 200]);
      expect(printed.stdout).toBe(`${JSON.stringify(line)}\n`);
      expect(printed.stderr).toContain("service GET spot screen_demo 200");
    },
  );

  it("starts the world that it is given", async () => {
    const file = join(temporaryFolder(), "world.json");
    const location = { location_id: "l", title: "L" };
    const screen = { screen_id: "mine", title: "S", venue_type_id: "1", location_id: "l" };
    const organizations = [{ org_token: "org_mine", locations: [location], screens: [screen] }];
    writeFileSync(file, JSON.stringify({ organizations }));
    const { child, printed } = spotloop("emulator", ...FREE, "--world", file);

    expect(await ready(child, printed)).toMatchObject({ orgToken: "org_mine", screenId: "mine" });
  });

  it("prints an example of a world that it starts", async () => {
    const printing = spotloop("emulator", "world", "--example");
    expect(await ended(printing.child)).toBe(0);
    const file = join(temporaryFolder(), "world.json");
    writeFileSync(file, printing.printed.stdout);
    const { child, printed } = spotloop("emulator", ...FREE, "--world", file);

    expect(await ready(child, printed)).toMatchObject({ orgToken: "org_mine", screenId: "screen_wall" });
  });

  it("ends with 78 and every problem of a bad world with its path", async () => {
    const file = join(temporaryFolder(), "world.json");
    writeFileSync(file, '{"organizations":[{"org_token":"o"}],"news":[{"creative":"none"}],"wether":1}');
    const { child, printed } = spotloop("emulator", ...FREE, "--world", file);

    expect(await ended(child)).toBe(78);
    expect(printed).toEqual({
      stdout: "",
      stderr: [
        `the world file ${file} cannot be used:`,
        '  (the whole file): Unrecognized key: "wether"',
        "  news[0].creative: there is no creative none",
        "  organizations: no organization has a screen",
        "",
      ].join("\n"),
    });
  });

  it.each(["{", null])("ends with 78 when the world file holds %j", async (content) => {
    const file = join(temporaryFolder(), "world.json");
    if (content !== null) writeFileSync(file, content);
    const { child, printed } = spotloop("emulator", ...FREE, "--world", file);

    expect(await ended(child)).toBe(78);
    expect(printed.stderr).toContain(`the world file ${file} cannot be read`);
  });

  it.each(["world", "venue-types"])("ends with 78 when the file of --%s is larger than it may be", async (flag) => {
    const file = join(temporaryFolder(), "large.json");
    writeFileSync(file, "");
    truncateSync(file, 64 * 1024 * 1024 + 1);
    const { child, printed } = spotloop("emulator", ...FREE, `--${flag}`, file);

    expect(await ended(child)).toBe(78);
    expect(printed.stderr).toMatch(/file .*large\.json is larger than 67108864 bytes/);
  });

  it("has the venue types that it is given", async () => {
    const file = join(temporaryFolder(), "types.json");
    const type = { label: "Places", id: "p", parent_id: null, level: 1, selectable: false, description: null };
    writeFileSync(file, JSON.stringify([type]));
    const { child, printed } = spotloop("emulator", ...FREE, "--venue-types", file);

    const { baseUrl, orgToken } = await ready(child, printed);

    expect(await (await fetch(`${baseUrl}/vendor/${orgToken}/venue_types`)).json()).toEqual([type]);
  });

  it("ends with 78 and every problem of bad venue types with its path", async () => {
    const file = join(temporaryFolder(), "types.json");
    const type = { label: "Places", description: null, selectable: true };
    const types = [
      { ...type, id: "p", parent_id: null, level: 1 },
      { ...type, id: "k", parent_id: "q", level: 2 },
    ];
    writeFileSync(file, JSON.stringify(types));
    const { child, printed } = spotloop("emulator", ...FREE, "--venue-types", file);

    expect(await ended(child)).toBe(78);
    expect(printed).toEqual({
      stdout: "",
      stderr: [
        `the venue types file ${file} cannot be used:`,
        "  [0].selectable: is true for levels 2 and 3 only",
        "  [1].parent_id: there is no venue type q",
        "",
      ].join("\n"),
    });
  });

  it("says which port is busy", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { child, printed } = spotloop("emulator", ...FREE, "--media-port", String(port));

    expect(await ended(child)).toBe(1);
    expect(printed).toEqual({
      stdout: "",
      stderr: `the media port ${port} on 127.0.0.1 cannot be opened: something else is using it\n`,
    });
  });

  it("warns when others on the network can reach it", async () => {
    const { child, printed } = spotloop("emulator", ...FREE, "--host", "0.0.0.0");

    const line = await ready(child, printed);

    expect(line.baseUrl.replace(/:\d+$/, "")).toBe(`http://${reachableHost("0.0.0.0")}`);
    expect((await fetch(`${line.controlUrl}/control/health`)).status).toBe(200);
    expect(printed.stderr).toContain("warning: listening on 0.0.0.0");
  });

  it.each([
    ["--port", "65536"],
    ["--port", "x"],
    ["--seed", "-1"],
    ["--sead", "1"],
    // As a variable that is not set leaves them.
    ["--data", ""],
    ["--host", ""],
  ])("refuses %s %j", async (...flags) => {
    const { child, printed } = spotloop("emulator", ...flags);

    expect(await ended(child)).toBe(64);
    expect(printed.stderr).toContain(flags[0]);
  });
});
