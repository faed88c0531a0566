import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { codeOf, failure, fine, warning } from "../../src/cli/doctor/finding.ts";
import { displaysIn } from "../../src/cli/doctor/machine-checks.ts";
import { offsetText } from "../../src/cli/doctor/service-checks.ts";
import type { Emulator } from "../../src/emulator/main.ts";
import { demoWorld } from "../../src/emulator/world/demo.ts";
import { proofMigrations } from "../../src/player/proofs/proof-records.ts";
import { openDatabase } from "../../src/player/stores/database.ts";
import { nobody, serve } from "../client/server.ts";
import { running } from "../emulator/running.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../support/machine/small-disk.ts";
import { isPrivate, temporaryFolder } from "../support/machine/temporary-folder.ts";
import { spotloopWith } from "./vendor/spotloop.ts";

interface Found {
  readonly name: string;
  readonly verdict: string;
  readonly text: string;
  readonly advice: string | null;
}

/** A network in real time, as far as its clock goes. */
async function inRealTime(world = demoWorld()): Promise<Emulator> {
  const emulator = await running({ world });
  emulator.clock.set({ mode: "real", now: Date.now() });
  return emulator;
}

/** The environment of a player with a data folder of its own. */
function playerOf({ baseUrl, orgToken, screenId }: Pick<Emulator, "baseUrl" | "orgToken" | "screenId">) {
  const SPOTLOOP_DATA_DIR = temporaryFolder();
  const known = { SPOTLOOP_BASE_URL: baseUrl, SPOTLOOP_ORG_TOKEN: orgToken, SPOTLOOP_SCREEN_ID: screenId };
  return { ...known, SPOTLOOP_DATA_DIR };
}

/** What doctor finds, by name, and what it ends with. */
async function found(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const { code, stdout } = await spotloopWith(env)(["doctor", "--json", ...args]);
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Found[] };
  const by = (name: string) => findings.filter((finding) => finding.name === name);
  const line = (name: string) => by(name).map(({ verdict, text }) => `${verdict}: ${text}`)[0];
  return { code, ok, findings, line, advice: (name: string) => by(name)[0]?.advice };
}

describe("spotloop doctor", () => {
  it("finds nothing failed where all is well, and prints a line for each look", async () => {
    const emulator = await inRealTime();
    const env = playerOf(emulator);

    const { code, stdout, stderr } = await spotloopWith(env)(["doctor"], { stdin: "" });

    const [heads = "", sums] = [stdout.split("\n\n")[0], stdout.split("\n\n")[1]];
    const names = heads
      .split("\n")
      .flatMap((line) => /^(?:ok|warning|failed) +(\S+(?: \S+)*?) {2}/.exec(line)?.[1] ?? []);
    expect([code, stderr]).toEqual([0, ""]);
    expect(names).toEqual([
      ...["configuration", "name", "proxy", "service", "token", "clock", "screen", "location", "venue type"],
      ...["opening hours", "spot", "news media", "ad media", "proof host", "codecs", "graphics", "display", "panel"],
      ...["house content", "data folder", "disk", "write speed", "sqlite", "proofs", "player", "versions"],
    ]);
    expect(stdout).toContain("\nok       token          is accepted\n");
    expect(stdout).toContain("\nok       screen         screen_demo, 1920x1080\n");
    expect(sums).toMatch(/^\d+ ok, \d+ warning, 0 failed\n$/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(emulator.calls().some(({ method }) => method === "POST")).toBe(false);
  });

  it("prints the findings alone with --json", async () => {
    const { code, ok, findings } = await found(playerOf(await inRealTime()));

    expect([code, ok]).toEqual([0, true]);
    expect(findings[0]).toEqual({
      ...{ name: "configuration", verdict: "ok", text: "all from the environment", advice: null },
    });
  });

  it("tells whether the location is open and until when, and whether the screen rests", async () => {
    const world = demoWorld();
    for (const location of world.organizations[0]?.locations ?? []) {
      if (location.location_id === "loc_harbour") location.opening_168 = Array<boolean>(168).fill(false);
    }
    const env = playerOf(await inRealTime(world));

    expect((await found(env)).line("opening hours")).toBe("ok: closed now: there may be no ads");
    const resting = await found({ ...env, SPOTLOOP_OPENING_HOURS_RESPECT: "true" });
    expect(resting.line("opening hours")).toBe("ok: closed now: the screen rests");
    const everyDay = { ...demoWorld() };
    for (const location of everyDay.organizations[0]?.locations ?? []) {
      if (location.location_id !== "loc_harbour") continue;
      location.opening_168 = Array.from({ length: 168 }, (_, hour) => hour % 24 < 23);
    }
    const { line } = await found(playerOf(await inRealTime(everyDay)));
    expect(line("opening hours")).toMatch(
      /^ok: (open now until \w{3},? 23:00|closed now until \w{3},? 00:00: there may be no ads)$/,
    );
  });

  it("tells what the folder of house content holds, and what of it is skipped", async () => {
    const env = playerOf(await inRealTime());
    const folder = temporaryFolder();

    const empty = await found({ ...env, SPOTLOOP_HOUSE_DIR: folder });
    expect(empty.line("house content")).toBe(
      `warning: ${folder}: there is nothing in it to show, so the packaged slate is shown`,
    );
    for (const name of ["a.jpg", "b.png", "c.mp4", "d.txt"]) writeFileSync(join(folder, name), "x");
    const filled = await found({ ...env, SPOTLOOP_HOUSE_DIR: folder });
    expect(filled.line("house content")).toBe(
      `warning: ${folder}: 2 images, 1 clip, 0 pages; skipped: d.txt is no image, clip or page`,
    );
    expect((await found(env)).line("house content")).toBe("ok: the packaged slate");
  });

  it.skipIf(!HAS_SMALL_DISKS)("warns of a data folder in memory, there already or not", async () => {
    const env = playerOf(await inRealTime());
    const inMemory = smallDisk(32 * 1024 * 1024).path;

    for (const [dataDir, more] of [
      [inMemory, ""],
      [join(inMemory, "new"), " is not there yet; the player makes it"],
    ] as const) {
      const { line, advice } = await found({ ...env, SPOTLOOP_DATA_DIR: dataDir });
      expect(line("data folder")).toBe(
        `warning: ${dataDir}${more}, on tmpfs: a restart may lose proofs that wait, and all media`,
      );
      expect(advice("data folder")).toBe("Put dataDir on a disk that keeps what is written.");
    }
  });

  it("leaves nothing behind in the data folder", async () => {
    const env = playerOf(await inRealTime());

    await found(env);

    expect(readdirSync(env.SPOTLOOP_DATA_DIR)).toEqual([]);
  });

  it("ends with 78 and every mistake in the configuration, and looks at the rest all the same", async () => {
    const { baseUrl } = await inRealTime();
    const config = join(temporaryFolder(), "c.json");
    writeFileSync(config, JSON.stringify({ baseUrl, orgToken: "org_demo", screenid: "a", log: { level: "loud" } }));

    const { code, ok, findings, line } = await found({}, ["--config", config]);

    expect([code, ok]).toEqual([78, false]);
    const wrong = findings.filter(({ name }) => name === "configuration").map(({ text }) => text);
    expect(wrong).toEqual([
      expect.stringContaining("screenId is missing"),
      expect.stringContaining("log.level must be one of"),
      expect.stringContaining("screenid is not a setting; the nearest is screenId"),
    ]);
    expect(line("token")).toBe("ok: is accepted");
    expect(line("screen")).toBe(undefined);
  });

  it("says that there is no configuration, and how to get one", async () => {
    const { code, findings } = await found({});

    expect(code).toBe(78);
    expect(findings[0]).toMatchObject({
      ...{ verdict: "failed", text: expect.stringMatching(/^there is none yet\. There is no file at /) },
      advice: "Write one with: spotloop provision",
    });
  });

  it("ends with 78 where the file that is named is not there, whatever the environment says", async () => {
    const config = join(temporaryFolder(), "nope.json");

    const { code, findings } = await found(playerOf(await inRealTime()), ["--config", config]);

    expect(code).toBe(78);
    expect(findings[0]).toMatchObject({
      ...{ name: "configuration", verdict: "failed", text: `there is none yet. The file ${config} is not there` },
      advice: "Write one with: spotloop provision",
    });
  });

  it.each([
    ["is no JSON", "{", "configuration", "Mend FILE"],
    ["has a setting that cannot be", '{"log":{"level":"loud"}}', "configuration", "Mend FILE"],
    ["names no service, which provision asks for", "{}", "configuration", "Mend FILE, or write it: spotloop provision"],
    ["names no token, which provision asks for", "{}", "token", "Mend FILE, or write it: spotloop provision"],
    ["names a token that is not there", '{"orgTokenFile":"none"}', "token", "Mend FILE"],
  ])("says what to do about a configuration that %s", async (_, text, name, advice) => {
    const config = join(temporaryFolder(), "c.json");
    writeFileSync(config, text);
    const env = text.includes("loud") ? playerOf(await inRealTime()) : {};

    const told = await found(env, ["--config", config]);

    expect(told.advice(name)).toBe(advice.replace("FILE", config));
  });

  it("ends with 77 when the token is not accepted", async () => {
    const { code, line, advice } = await found(playerOf({ ...(await inRealTime()), orgToken: "org_none" }));

    expect(code).toBe(77);
    expect([line("service"), line("token")]).toEqual([
      expect.stringMatching(/^ok: answers in/),
      "failed: is not accepted",
    ]);
    expect(advice("token")).toContain("ask the operator for a new one");
  });

  it.each([
    ["nobody listens", nobody, "service", /^failed: does not answer \(ECONNREFUSED\)$/],
    ["its name is unknown", async () => "http://nowhere.invalid", "name", /^failed: nowhere\.invalid is not found/],
    ["another service is there", () => other(404), "service", /^failed: answers HTTP 404$/],
    ["it is broken", () => other(500), "service", /^failed: answers HTTP 500$/],
  ])("ends with 69 when %s", async (_, address, name, said) => {
    const { code, line } = await found(playerOf({ ...(await inRealTime()), baseUrl: await address() }));

    expect(code).toBe(69);
    expect(line(name)).toMatch(said);
  });

  it("ends with 69 when the certificate is not to be trusted", async () => {
    const server = createServer({}, (_, response) => void response.end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

    const { code, line } = await found(playerOf({ ...(await inRealTime()), baseUrl }));

    expect(code).toBe(69);
    expect(line("tls")).toMatch(/^failed: no trusted connection \(.+\)$/);
  });

  it("sees a clock that is off", async () => {
    const emulator = await inRealTime();
    emulator.clock.set({ mode: "real", now: Date.now() - 600_000 });

    const { code, line, advice } = await found(playerOf(emulator));

    expect(code).toBe(0);
    expect(line("clock")).toMatch(/^warning: (599|600|601) s ahead of the service's$/);
    expect(advice("clock")).toContain("set-ntp");
  });

  it("tells how exactly it knows a clock that is in step", async () => {
    const { line } = await found(playerOf(await inRealTime()));

    expect(line("clock")).toMatch(/^ok: as the service's, give or take \d+\.\d s$/);
  });

  it.each([
    [0, 500, "as the service's, give or take 0.5 s"],
    [-499, 500, "as the service's, give or take 0.5 s"],
    [-12, 8, "12 ms ahead of the service's, give or take 8 ms"],
    [1_240, 510, "1.2 s behind the service's, give or take 0.5 s"],
    [-600_400, 510, "600 s ahead of the service's"],
  ])("tells of an offset of %d ms that is known to %d ms: %s", (offsetMs, withinMs, said) => {
    expect(offsetText(offsetMs, withinMs)).toBe(said);
  });

  it("tells which proxy there is, and that this machine itself is asked directly, without its password", async () => {
    const env = { ...playerOf(await inRealTime()), HTTPS_PROXY: "http://secret:secret@127.0.0.1:1" };

    const { findings, line } = await found(env);

    expect(line("proxy")).toBe("ok: not for the service; HTTPS_PROXY names one");
    expect(line("service")).toMatch(/^ok: answers/);
    expect(JSON.stringify(findings)).not.toContain("secret");
  });

  it("sees a variable that is not used", async () => {
    const { line } = await found({ ...playerOf(await inRealTime()), ALL_PROXY: "socks5://127.0.0.1:1" });

    expect(line("proxy")).toBe("warning: ALL_PROXY is set, and is not used");
  });

  it.each([
    ["a location in review", "screen_museum", "location", "warning: loc_museum, REVIEW: no spots yet"],
    ["a screen that is not there", "none", "screen", "failed: There is no screen none in this organization"],
  ])("sees %s", async (_, screenId, name, said) => {
    const { line } = await found(playerOf({ ...(await inRealTime()), screenId }));

    expect(line(name)).toBe(said);
  });

  it.runIf(process.platform === "linux")("sees a display that is not there", async () => {
    const { line } = await found({ ...playerOf(await inRealTime()), DISPLAY: ":60551", PATH: "/nowhere" });

    expect(line("display")).toBe("warning: there is no display :60551");
  });

  it.runIf(process.platform === "linux")("sees that a display has no such place among those there are", async () => {
    const [{ baseUrl, orgToken }, folder] = [await inRealTime(), temporaryFolder()];
    const xrandr = "#!/bin/sh\necho 'HDMI-1 connected 1920x1080+0+0'\necho 'HDMI-2 connected 1280x720+1920+0'\n";
    writeFileSync(join(folder, "xrandr"), xrandr, { mode: 0o755 });
    const screens = ["screen_demo", "screen_kiosk"].map((screenId, index) => ({
      ...{ screenId, display: { match: 2 + index } },
    }));
    const config = join(folder, "config.json");
    writeFileSync(config, JSON.stringify({ baseUrl, orgToken, dataDir: "data", screens }));

    const { line } = await found({ PATH: `${folder}:${process.env.PATH}` }, ["--config", config]);

    expect(line("display")).toBe("warning: there is no display 3: HDMI-1 1920x1080, HDMI-2 1280x720");
  });

  it("sees media that cannot be had", async () => {
    const emulator = await inRealTime();
    emulator.setFaults([{ match: { route: "media", kind: "ad" }, do: { status: 403 } }]);

    const { code, line, advice } = await found(playerOf(emulator));

    expect(code).toBe(69);
    expect(line("ad media")).toMatch(/^failed: does not come from 127\.0\.0\.1:\d+ \(HTTP 403\)$/);
    expect(advice("ad media")).toContain("firewall");
  });

  it("asks for media as a browser does: some hosts refuse everybody else", async () => {
    const { url } = await serve((request, response) => {
      response.writeHead(request.headers["user-agent"]?.startsWith("Mozilla/5.0 ") ? 200 : 403).end();
    });
    const emulator = await inRealTime();
    emulator.setFaults([{ match: { route: "media" }, do: { redirect: url } }]);

    const { code, line } = await found(playerOf(emulator));

    for (const kind of ["news", "ad"]) expect(line(`${kind} media`)).toMatch(/^ok: comes from /);
    expect(code).toBe(0);
  });

  it("counts the proofs, and sees those that will not be paid", async () => {
    const env = playerOf(await inRealTime());
    const opening = openDatabase({
      path: join(env.SPOTLOOP_DATA_DIR, "proofs.db"),
      durability: "full",
      migrations: proofMigrations,
    });
    if (opening.kind !== "open") throw new Error(opening.kind);
    const insert = `insert into proof (run_id, playout_id, screen_id, request_id, item_id, kind, pop, shown_wall,
      requested_wall, requested_monotonic, requested_boot, service_offset, timeline, due, deadline, state)
      values ('r', ?, 's', 'q', 'i', 'ad', 'http://p', 0, 0, 0, 'b', 0, 'b', 0, 0, ?)`;
    ["delivered", "delivered", "refused", "owed"].forEach(
      (state, n) => void opening.database.prepare(insert).run(n, state),
    );

    // The player has it open all the while.
    const { line, advice } = await found(env);
    opening.database.close();

    expect(line("proofs")).toBe("warning: 1 waiting, 2 delivered, 1 refused, 0 expired");
    expect(advice("proofs")).toBe(
      "1 play will not be paid: look at the log. The last refused: 1970-01-01 00:00:00 ad i on s, UTC.",
    );
  });

  it("leaves a broken outbox as it is", async () => {
    const env = playerOf(await inRealTime());
    const path = join(env.SPOTLOOP_DATA_DIR, "proofs.db");
    writeFileSync(path, "no database");

    const { line } = await found(env);

    expect(line("proofs")).toMatch(/^warning: .* cannot be read \(SQLITE_NOTADB\)$/);
    expect(readFileSync(path, "utf8")).toBe("no database");
  });

  it("tells of the clock what a player that runs has found out", async () => {
    const clock = { wall: "2026-10-21T07:28:03.000Z", offsetMs: 40, uncertaintyMs: 12, bootId: "boot-1" };
    const told = { status: "ok", restarts: 0, lastError: null, clock };
    const health = await serve((_, response) => void response.end(JSON.stringify(told)));
    const env = playerOf(await inRealTime());
    const note = { port: Number(new URL(health.url).port), pid: 1 };
    writeFileSync(join(env.SPOTLOOP_DATA_DIR, "health.json"), JSON.stringify(note));

    expect((await found(env)).line("player")).toBe(
      "ok: running: ok, 0 restarts, its clock 40 ms behind the service's, give or take 12 ms",
    );
  });

  it.each([
    ["ok", null, "ok: running: ok, 2 restarts"],
    ["failing", "the display is gone", "failed: running: failing, 2 restarts, last error: the display is gone"],
  ])("asks a player that runs here: %s", async (status, lastError, said) => {
    const health = await serve((_, response) => void response.end(JSON.stringify({ status, restarts: 2, lastError })));
    const env = playerOf(await inRealTime());
    const note = { port: Number(new URL(health.url).port), pid: 1 };
    writeFileSync(join(env.SPOTLOOP_DATA_DIR, "health.json"), JSON.stringify(note));

    expect((await found(env)).line("player")).toBe(said);
  });

  it("writes a bundle without the token, whatever it holds", async () => {
    const { baseUrl, screenId } = await inRealTime();
    const token = "very/secret+token";
    const folder = temporaryFolder();
    const [config, bundle, dataDir] = [join(folder, "c.json"), join(folder, "bundle.json"), join(folder, "data")];
    const address = `${baseUrl}/x`;
    writeFileSync(config, JSON.stringify({ baseUrl: address, orgToken: token, screenId, dataDir }));
    mkdirSync(join(dataDir, "logs"), { recursive: true });
    const logged = ["{}", `{"msg":"odd ${token}"}`, `{"msg":"GET ${address}/vendor/${encodeURIComponent(token)}/x"}`];
    writeFileSync(join(dataDir, "logs", "spotloop.1.log"), logged.join("\n"));

    const { code, stderr } = await spotloopWith({ SPOTLOOP_LOG_LEVEL: "debug" })([
      ...["doctor", "--config", config, "--bundle", bundle, "--json"],
    ]);

    const text = readFileSync(bundle, "utf8");
    expect([code, stderr]).toEqual([69, `The bundle is ${bundle}; the token is not in it.\n`]);
    expect(isPrivate(bundle)).toBe(true);
    expect(text).not.toContain("secret");
    expect(JSON.parse(text)).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ name: "configuration", verdict: "ok" })]),
      configuration: { path: config, baseUrl: address, screenId, orgToken: "[redacted]" },
      environment: { SPOTLOOP_LOG_LEVEL: "debug" },
      log: ["{}", expect.stringContaining("odd [redacted]"), expect.stringContaining("/vendor/[redacted]/x")],
    });
  });
});

it("a bundle has the end of the log before where a new file of it has only begun", async () => {
  const folder = temporaryFolder();
  const [bundle, logs] = [join(folder, "bundle.json"), join(folder, "data", "logs")];
  mkdirSync(logs, { recursive: true });
  writeFileSync(join(logs, "spotloop.1.log"), "the cause\n");
  utimesSync(join(logs, "spotloop.1.log"), 1_000, 1_000);
  writeFileSync(join(logs, "spotloop.2.log"), "a new day\nand now\n");
  // A folder for logs may be that of other programs, too.
  for (const name of ["auth.log", "spotloop.log.gz"]) writeFileSync(join(logs, name), "not ours\n");
  mkdirSync(join(logs, "old"));
  const config = join(folder, "c.json");
  const settings = {
    baseUrl: "http://127.0.0.1:9",
    orgToken: "org_nobody",
    screenId: "s",
    dataDir: join(folder, "data"),
  };
  writeFileSync(config, JSON.stringify(settings));
  await spotloopWith({})(["doctor", "--config", config, "--bundle", bundle]);
  expect(JSON.parse(readFileSync(bundle, "utf8")).log).toEqual(["the cause", "a new day", "and now"]);
});

it.skipIf(process.platform === "win32")(
  "a bundle goes into a file of its owner's only, though it was there for all",
  async () => {
    const bundle = join(temporaryFolder(), "bundle.json");
    writeFileSync(bundle, "", { mode: 0o644 });
    const { stderr } = await spotloopWith({})(["doctor", "--bundle", bundle]);
    expect([stderr, isPrivate(bundle)]).toEqual([`The bundle is ${bundle}; the token is not in it.\n`, true]);
  },
);

describe("spotloop doctor --bundle -", () => {
  it.each([[[]], [["--json"]]])("prints the bundle alone, and says the findings beside it (%j)", async (args) => {
    const env = playerOf(await inRealTime());

    const { code, stdout, stderr } = await spotloopWith(env)(["doctor", "--bundle", "-", ...args]);

    const { findings, configuration } = JSON.parse(stdout);
    expect([code, findings[0].name, configuration.orgToken]).toEqual([0, "configuration", "[redacted]"]);
    expect(stderr).toContain("\nok       token          is accepted\n");
    expect(stderr).toMatch(/\nThe bundle is on standard output; the token is not in it\.\n$/);
    expect(stdout + stderr).not.toContain(env.SPOTLOOP_ORG_TOKEN);
  });
});

describe("the exit code of a doctor", () => {
  const failures = { disk: failure("disk", "", null), name: failure("name", "", null, 69) };

  it.each([
    [[fine("a", ""), warning("b", "")], 0],
    [[failures.disk], 1],
    [[failures.disk, failures.name], 69],
    [[failures.name, failure("token", "", null, 77), failure("configuration", "", null, 78)], 78],
  ])("is that of the first cause: %#", (findings, code) => {
    expect(codeOf(findings)).toBe(code);
  });
});

describe("the displays that xrandr tells", () => {
  it("come with the primary one first, those without a picture left out", () => {
    const text = [
      "Screen 0: minimum 320 x 200, current 3840 x 1080, maximum 16384 x 16384",
      "DP-1 connected 1920x1080+1920+0 (normal left inverted) 510mm x 290mm",
      "   1920x1080     60.00*+",
      "HDMI-1 connected primary 1080x1920+0+0 left (normal) 510mm x 290mm",
      "DP-2 disconnected (normal left inverted right x axis y axis)",
      "DP-3 connected (normal left inverted right x axis y axis)",
    ].join("\n");

    expect(displaysIn(text)).toEqual([
      { name: "HDMI-1", width: 1080, height: 1920 },
      { name: "DP-1", width: 1920, height: 1080 },
    ]);
  });
});

/** A service that answers everything with one status. */
async function other(status: number): Promise<string> {
  return (await serve((_, response) => void response.writeHead(status).end())).url;
}
