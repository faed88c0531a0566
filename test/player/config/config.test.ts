import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readAccess } from "../../../src/player/config/access.ts";
import {
  type Config,
  type ConfigReading,
  type ConfigSource,
  complaintOf,
  readConfig,
} from "../../../src/player/config/config.ts";
import { defaultDataDir } from "../../../src/player/config/file.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const SECRET = "org_s3cret-token";
const least = { baseUrl: "https://service.example", orgToken: SECRET, screenId: "screen-1" };

function given(file: unknown, env: ConfigSource["env"] = {}, folder = temporaryFolder()) {
  const path = join(folder, "config.json");
  writeFileSync(path, typeof file === "string" ? file : JSON.stringify(file), { mode: 0o600 });
  return { folder, path, reading: readConfig(sourceIn(folder, env, path)) };
}

const isWindows = process.platform === "win32";
/** Where data are kept in these tests: Windows has no units, and so no folders of theirs. */
const DATA = isWindows ? "user-data" : "state";

function sourceIn(folder: string, env: ConfigSource["env"], path: string | null): ConfigSource {
  const userPaths = { config: join(folder, "user-config"), data: join(folder, "user-data") };
  return { path, env: { STATE_DIRECTORY: join(folder, "state"), ...env }, userPaths };
}

function good(reading: ConfigReading): Config {
  if (reading.kind === "bad") throw new Error(JSON.stringify(reading.problems));
  return reading.config;
}

function problems(reading: ConfigReading): string[] {
  return reading.kind === "ok" ? [] : reading.problems.map(({ path, message }) => `${path} ${message}`.trim());
}

/** A screen's display where the configuration says nothing of it. */
const displayByDefault = {
  match: null,
  fullscreen: true,
  width: null,
  height: null,
  mode: null,
  rotate: null,
  scale: null,
  power: "dpms",
};

describe("a configuration", () => {
  it("says of a section that is there twice that the last one counts", () => {
    const twice = `${JSON.stringify({ ...least, record: { days: 30 } }).slice(0, -1)}, "record": { "maxBytes": 2000000000 } }`;
    const { path, reading } = given(twice);
    const warnings = [`record is twice in ${path}: only the last one counts`];
    expect(reading).toMatchObject({ kind: "ok", warnings, config: { record: { maxBytes: 2_000_000_000 } } });
    expect(readAccess(sourceIn(temporaryFolder(), {}, path))).toMatchObject({ kind: "ok", access: { warnings } });
  });

  it("needs an address, a token and a screen, and has a default for all else", () => {
    const { folder, reading } = given({ $schema: "./config.schema.json", ...least });
    const { screenId, ...others } = least;
    expect(good(reading)).toEqual({
      ...others,
      screens: [
        {
          screenId,
          display: displayByDefault,
        },
      ],
      dataDir: join(folder, DATA),
      cache: { maxBytes: 8 * 1024 ** 3, minFreeBytes: 1024 ** 3, maxItemBytes: 1024 ** 3 },
      house: { dir: null, seconds: 10, clock: false },
      audio: { muted: true },
      openingHours: { respect: false },
      creatives: {
        allowPrivateNetwork: false,
        allowHosts: [],
        maxRequests: 300,
        maxBytes: 64 * 1024 ** 2,
        loadSeconds: 20,
      },
      health: { port: 8790 },
      operator: { chord: null },
      log: { level: "info", dir: join(folder, DATA, "logs"), maxBytes: 50 * 1024 ** 2 },
      spot: { maxAgeSeconds: 900, timeoutSeconds: 10 },
      proof: { timeoutSeconds: 10 },
      network: {
        ...{ monthlyBytes: null, maxBitsPerSecond: null, largeDownloadHours: null },
        uplink: { http: null, https: null, bypass: "", namedBy: null, certificates: [] },
      },
      record: { days: 400, maxBytes: 1024 ** 3, witnessUrl: null },
      remote: { allow: [], broker: null, clientId: null, topicPrefix: "spotloop" },
      playback: { hardwareDecoding: true, switches: [] },
    });
  });

  it("may be given less for all media than one file takes up by default", () => {
    const small = { maxBytes: 200_000_000 };
    expect(good(given({ ...least, cache: small }).reading).cache).toMatchObject({
      ...small,
      maxItemBytes: 200_000_000,
    });
    const large = { maxBytes: 2 * 1024 ** 3 };
    expect(good(given({ ...least, cache: large }).reading).cache).toMatchObject({ ...large, maxItemBytes: 1024 ** 3 });
  });

  it("has a broker by an encrypted address only, with credentials and parts of topics", () => {
    const broker = "mqtts://mqtt.example:8883";
    const wrong = (remote: object) => problems(given({ ...least, remote }).reading);
    expect(wrong({ broker: "mqtt://mqtt.example", authFile: "a" })).toEqual([
      "remote.broker must be an mqtts address, such as mqtts://mqtt.example:8883",
    ]);
    expect(wrong({ broker: "mqtts://me:secret@mqtt.example", authFile: "a" })).toEqual([
      "remote.broker must be without user and password: remote.authFile holds them",
    ]);
    expect(wrong({ broker })).toEqual([
      expect.stringContaining("remote.broker needs remote.authFile, or remote.certFile"),
    ]);
    expect(wrong({ broker, certFile: "a" })).toEqual(["remote.keyFile is missing"]);
    expect(wrong({ broker, authFile: "a", clientId: "#", topicPrefix: "a/+" })).toEqual([
      "remote.clientId must be 1 to 64 letters, digits, _, . or -",
      "remote.topicPrefix must be parts of a topic, such as spotloop/north",
    ]);
    expect(wrong({ allow: ["shell"] })).toEqual([expect.stringContaining("remote.allow[0] must be one of screenshot")]);
  });

  it("warns of a screen that can have no topic of its own at a broker, unless remote.clientId stands in for it", () => {
    const remote = { broker: "mqtts://mqtt.example", authFile: "a" };
    const warned = (screenId: string, clientId?: string) =>
      given({ ...least, screenId, remote: { ...remote, clientId: clientId ?? null } }).reading;
    expect(warned("lobby #1")).toMatchObject({
      kind: "ok",
      warnings: [
        'remote.broker is of no use: no topic can have the screenId "lobby #1" in it; name another by remote.clientId',
      ],
    });
    expect(warned("+")).toMatchObject({ warnings: [expect.stringContaining("remote.clientId")] });
    expect(warned("lobby #1", "lobby-1")).toMatchObject({ kind: "ok", warnings: [] });
    expect(warned("lobby 1")).toMatchObject({ kind: "ok", warnings: [] });
    expect(given({ ...least, screenId: "lobby #1" }).reading).toMatchObject({ kind: "ok", warnings: [] });
  });

  it.each(["mqtts:mqtt.example", "mqtts://"])("warns of a broker without a host: %s", (broker) => {
    expect(given({ ...least, remote: { broker, authFile: "a" } }).reading).toMatchObject({
      kind: "ok",
      warnings: ["remote.broker is of no use: it names no host, as mqtts://mqtt.example:8883 does"],
    });
  });

  it("warns of a witness with user and password, whom no request reaches, and tells neither", () => {
    const witnessed = (witnessUrl: string) => given({ ...least, record: { witnessUrl } }).reading;
    expect(witnessed("https://me:secret@witness.example/log")).toMatchObject({
      kind: "ok",
      warnings: ["record.witnessUrl is of no use: no request can be sent to an address with user and password"],
    });
    expect(witnessed("https://witness.example/@log")).toMatchObject({ kind: "ok", warnings: [] });
  });

  it("has the files of a broker beside itself", () => {
    const broker = "mqtts://mqtt.example:8883";
    const { folder, reading } = given({ ...least, remote: { broker, certFile: "me.pem", keyFile: "/keys/me.key" } });
    expect(good(reading).remote).toMatchObject({ certFile: join(folder, "me.pem"), keyFile: resolve("/keys/me.key") });
  });

  it("names everything that is missing", () => {
    expect(problems(given({}).reading)).toEqual([
      "baseUrl is missing",
      "screenId is missing",
      "orgToken is missing, and so is orgTokenFile",
    ]);
  });

  it("names every setting that is wrong, where it is and what is expected", () => {
    const { reading } = given({
      baseUrl: "ftp://service.example",
      orgToken: "two words",
      screenId: "",
      display: { match: 0, width: "1920" },
      cache: { maxBytes: 10, maxItemBytes: 20 },
      health: { port: 99_999 },
      log: { level: "loud", maxBytes: 10 },
      spot: { maxAgeSeconds: 0 },
      audio: "off",
      playback: { switches: ["enable-features=A", 7, "--no-dashes", "no-sandbox"] },
    });
    expect(problems(reading)).toEqual([
      "baseUrl must be an http or https address",
      "orgToken must not hold spaces or control characters",
      "screenId must not be empty",
      "display.match must be a display's name, or its place counted from the left, from 1",
      "display.width must be a number",
      "cache.maxItemBytes must be at most cache.maxBytes",
      "audio must be an object with settings",
      "health.port must be at most 65535",
      "log.level must be one of debug, info, warn, error",
      "log.maxBytes must be at least 1048576",
      "spot.maxAgeSeconds must be more than 0",
      "playback.switches[1] must be a text",
      "playback.switches[2] must be a switch without its dashes, such as enable-features=VaapiVideoDecoder",
      "playback.switches[3] is not allowed: it would undo the sandbox or open the player to others",
    ]);
  });

  it("says how many entries a list may have", () => {
    const display = { match: 1 };
    const screens = Array.from({ length: 17 }, (_, index) => ({
      screenId: `s${index}`,
      display: { match: index + 1 },
    }));
    const { screenId: _, ...others } = least;
    expect(problems(given({ ...others, screens: [] }).reading)).toEqual(["screens must have at least 1 entry"]);
    expect(problems(given({ ...others, screens }).reading)).toEqual(["screens must have at most 16 entries"]);
    expect(problems(given({ ...others, screens: [{ screenId: "s", display }] }).reading)).toEqual([]);
  });

  it.each([
    [{ baseURL: 1 }, "baseURL is not a setting; the nearest is baseUrl"],
    [{ health: { prot: 1 } }, "health.prot is not a setting; the nearest is health.port"],
    [{ maxBytes: 1 }, "maxBytes is not a setting; the nearest is cache.maxBytes"],
    [{ logs: {} }, "logs is not a setting; the nearest is log"],
  ])("names the nearest setting for an unknown one: %j", (more, problem) => {
    expect(problems(given({ ...least, ...more }).reading)).toEqual([problem]);
  });

  it("names a hundred unknown ones of a file that has thousands, and is none of ours", () => {
    const others = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`dependency-${index}`, index]));
    const told = problems(given({ ...least, ...others }).reading);
    expect([told.length, told.at(-1)]).toEqual([100, expect.stringContaining("dependency-99 is not a setting")]);
  });

  it.each([
    "https://user:pass@service.example",
    "https://service.example/?key=1",
    "https://service.example/#top",
    "service.example",
    "http://",
  ])("takes no such address: %s", (baseUrl) => {
    expect(given({ ...least, baseUrl }).reading.kind).toBe("bad");
  });

  it.each([["null"], ["[]"], ["7"], ['"text"']])("takes nothing but an object: %s", (file) => {
    expect(problems(given(file).reading)[0]).toBe("must be an object with settings");
  });

  it.each([".", ".."])("takes no screen called %j: no request could ask for its spots (A17)", (screenId) => {
    const reading = given(JSON.stringify({ ...least, screenId })).reading;

    expect(problems(reading)).toEqual(["screenId must not be . or .."]);
  });

  it("takes no screen whose name no request could write", () => {
    const reading = given(JSON.stringify({ ...least, screenId: "s\ud83d" })).reading;

    expect(problems(reading)).toEqual(["screenId must not hold half a character"]);
  });

  it.each([" s1", "s1\n"])("takes %j as it is, and says that there is a space", (screenId) => {
    expect(given({ ...least, screenId }).reading).toMatchObject({
      config: { screens: [{ screenId }] },
      warnings: [`screenId ${JSON.stringify(screenId)} begins or ends with a space, which is taken for a part of it`],
    });
  });

  it("tells line and column where it is not JSON", () => {
    expect(problems(given('{\n  "baseUrl": "x"\n  "screenId": 1\n}').reading)).toEqual([
      "The file is not JSON: line 3, column 3: a comma or } is expected here.",
    ]);
  });

  it("takes a display's place as a number or as a text", () => {
    const match = (value: unknown) =>
      good(given({ ...least, display: { match: value } }).reading).screens[0]?.display.match;
    expect([match(2), match("2"), match("DELL U2720Q")]).toEqual(["2", "2", "DELL U2720Q"]);
  });

  it("means relative folders from its own", () => {
    const { folder, reading } = given({
      ...least,
      dataDir: "data",
      house: { dir: "./house" },
      log: { dir: "../logs" },
    });
    const { dataDir, house, log } = good(reading);
    expect([dataDir, house.dir, log.dir]).toEqual([
      join(folder, "data"),
      join(folder, "house"),
      join(folder, "../logs"),
    ]);
  });
});

describe("the organization token", () => {
  const { orgToken: _, ...tokenless } = least;

  it("can stand in a file of its own, beside the configuration", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "token"), `${SECRET}\n`, { mode: 0o600 });
    const { reading } = given({ ...tokenless, orgTokenFile: "token" }, {}, folder);
    expect(good(reading).orgToken).toBe(SECRET);
    expect(reading.watch).toContain(join(folder, "token"));
  });

  it("can stand in a file that PowerShell wrote, and so can the configuration", () => {
    const folder = temporaryFolder();
    const path = join(folder, "config.json");
    const written = (text: string) => Buffer.from(`\ufeff${text}\r\n`, "utf16le");
    writeFileSync(join(folder, "token"), written(SECRET), { mode: 0o600 });
    writeFileSync(path, written(JSON.stringify({ ...tokenless, orgTokenFile: "token", house: { dir: "Häuser" } })));
    const config = good(readConfig(sourceIn(folder, {}, path)));
    expect([config.orgToken, config.house.dir]).toEqual([SECRET, join(folder, "Häuser")]);
  });

  it("can come from a systemd credential when the file is silent", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "org-token"), SECRET, { mode: 0o600 });
    expect(good(given(tokenless, { CREDENTIALS_DIRECTORY: folder }).reading).orgToken).toBe(SECRET);
    expect(problems(given(tokenless, { CREDENTIALS_DIRECTORY: "/nowhere" }).reading)).toHaveLength(1);
  });

  it("must not be given twice", () => {
    expect(problems(given({ ...least, orgTokenFile: "token" }).reading)).toEqual([
      "orgTokenFile must not be given beside orgToken",
    ]);
  });

  it.each([
    [{ orgToken: 123 }, "orgToken must be a text"],
    [{ orgToken: null }, "orgToken must be a text"],
    [{ orgToken: "" }, "orgToken must not be empty"],
    [{ orgTokenFile: 5 }, "orgTokenFile must be a text"],
    [{ orgTokenFile: "" }, "orgTokenFile must not be empty"],
  ])("is complained of once where it is none: %j", (token, problem) => {
    const { orgToken: _, ...others } = least;
    expect(problems(given({ ...others, ...token }).reading)).toEqual([problem]);
  });

  it("is complained of in the same way where nothing else of a configuration matters", () => {
    const { orgToken: _, ...others } = least;
    const read = (token: object) => readAccess({ path: given({ ...others, ...token }).path, env: {} });
    const wrong = (token: object) => ({
      kind: "bad",
      problems: [{ path: Object.keys(token)[0], message: "must be a text" }],
    });
    expect(read({ orgToken: 123 })).toMatchObject(wrong({ orgToken: 123 }));
    expect(read({ orgTokenFile: 5 })).toMatchObject(wrong({ orgTokenFile: 5 }));
  });

  it("is missed by name where its file is not there, empty or no token", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "empty"), "\n");
    writeFileSync(join(folder, "words"), `${SECRET} and more`);
    const of = (orgTokenFile: string) => problems(given({ ...tokenless, orgTokenFile }, {}, folder).reading).join();
    expect(of("none")).toContain("cannot be read (ENOENT)");
    expect(of("empty")).toContain("must not be empty");
    expect(of("words")).toContain("must not hold spaces");
    expect(of("words")).not.toContain(SECRET);
  });

  it.skipIf(isWindows)("is warned about where others can read it, in whichever file it is", () => {
    const folder = temporaryFolder();
    const { path, reading } = given(least, {}, folder);
    expect(reading).toMatchObject({ kind: "ok", warnings: [] });
    chmodSync(path, 0o644);
    const again = readConfig(sourceIn(folder, {}, path));
    expect(again).toMatchObject({ warnings: [expect.stringContaining(`chmod 600 ${path}`)] });
    expect(readConfig(sourceIn(folder, { SPOTLOOP_ORG_TOKEN: SECRET }, path))).toMatchObject({ warnings: [] });
  });

  it("is in no problem, whatever is wrong", () => {
    const files = [
      `{ "orgToken": "${SECRET}" "screenId": 1`,
      `{ "orgToken": ${SECRET} }`,
      { ...least, orgToken: [SECRET] },
      { ...least, orgToken: `${SECRET}\t` },
      { ...least, orgToken: { value: SECRET } },
      { ...least, baseUrl: `https://${SECRET}@service.example` },
    ];
    const readings = files.map((file) => given(file).reading);
    expect(readings.map(({ kind }) => kind)).toEqual(files.map(() => "bad"));
    expect(JSON.stringify(readings.map(problems))).not.toContain("s3cret");
  });
});

describe("the environment", () => {
  it("stands over the file, for scalars in sections too", () => {
    const env = {
      SPOTLOOP_BASE_URL: "http://127.0.0.1:8787",
      SPOTLOOP_SCREEN_ID: "007",
      SPOTLOOP_HEALTH_PORT: "null",
      SPOTLOOP_LOG_LEVEL: "debug",
      SPOTLOOP_AUDIO_MUTED: "false",
      SPOTLOOP_CACHE_MAX_BYTES: "2147483648",
      SPOTLOOP_DISPLAY_MATCH: "2",
      SPOTLOOP_SPOT_TIMEOUT_SECONDS: "2.5",
      SPOTLOOP_DATA_DIR: "/data",
      SPOTLOOP_HOUSE_DIR: "",
    };
    const config = good(given(least, env).reading);
    expect(config).toMatchObject({
      baseUrl: "http://127.0.0.1:8787",
      screens: [{ screenId: "007", display: { match: "2" } }],
      health: { port: null },
      log: { level: "debug", dir: resolve("/data/logs") },
      audio: { muted: false },
      cache: { maxBytes: 2_147_483_648 },
      spot: { maxAgeSeconds: 900, timeoutSeconds: 2.5 },
      dataDir: resolve("/data"),
      house: { dir: null },
    });
  });

  it("is named where it gave what is wrong", () => {
    const env = { SPOTLOOP_HEALTH_PORT: "99999", SPOTLOOP_AUDIO_MUTED: "quiet" };
    expect(problems(given(least, env).reading)).toEqual([
      "audio.muted must be true or false (set by SPOTLOOP_AUDIO_MUTED)",
      "health.port must be at most 65535 (set by SPOTLOOP_HEALTH_PORT)",
    ]);
  });

  it("says of a misspelt variable which one it might be", () => {
    const { reading } = given(least, { SPOTLOOP_SCREENID: "x", SPOTLOOP_CONTROL_URL: "y", OTHER: "z" });
    expect(reading).toMatchObject({
      warnings: ["SPOTLOOP_SCREENID is not a setting: did you mean SPOTLOOP_SCREEN_ID?"],
    });
  });

  it("says of one that is named after a list that it sets nothing", () => {
    expect(given(least, { SPOTLOOP_CREATIVES_ALLOW_HOSTS: "cdn.example" }).reading).toMatchObject({
      warnings: ["SPOTLOOP_CREATIVES_ALLOW_HOSTS sets nothing: only the file sets creatives.allowHosts"],
    });
  });

  it("stands in for the file's token, whichever way that is given", () => {
    const env = { SPOTLOOP_ORG_TOKEN: "other" };
    expect(good(given(least, env).reading).orgToken).toBe("other");
    const { orgToken: _, ...tokenless } = least;
    expect(good(given({ ...tokenless, orgTokenFile: "gone" }, env).reading).orgToken).toBe("other");
  });

  it("needs no file beside it when it has all that is required", () => {
    const folder = temporaryFolder();
    const env = { SPOTLOOP_BASE_URL: least.baseUrl, SPOTLOOP_ORG_TOKEN: SECRET, SPOTLOOP_SCREEN_ID: "s" };
    const reading = readConfig(sourceIn(folder, env, null));
    expect(reading).toMatchObject({ kind: "ok", path: null });
  });
});

describe("where a configuration is looked for", () => {
  it("is where the command line says, and nowhere else", () => {
    const folder = temporaryFolder();
    const { path } = given(least, {}, folder);
    const reading = readConfig(sourceIn(folder, { SPOTLOOP_CONFIG: path }, join(folder, "other.json")));
    expect(reading).toMatchObject({
      kind: "bad",
      path: join(folder, "other.json"),
      watch: [join(folder, "other.json")],
    });
    expect(problems(reading)[0]).toContain(`There is no file at ${join(folder, "other.json")}`);
  });

  it("is said where there is none yet, which is no mistake in it", () => {
    const folder = temporaryFolder();
    const complaint = (path: string) => {
      const reading = readConfig(sourceIn(folder, {}, path));
      return reading.kind === "bad" ? complaintOf(reading) : null;
    };
    const bad = join(folder, "bad.json");
    writeFileSync(bad, "{}", { mode: 0o600 });

    expect(complaint(join(folder, "none.json"))).toEqual({
      ...{ heading: "there is no configuration yet", advice: "Write one with: spotloop provision" },
    });
    expect(complaint(bad)).toEqual({ heading: `the configuration ${bad} cannot be used`, advice: null });
  });

  it.skipIf(isWindows)("is where the environment says, else the machine's place, else the user's", () => {
    const folder = temporaryFolder();
    const { path } = given(least, {}, folder);
    expect(readConfig(sourceIn(folder, { SPOTLOOP_CONFIG: path }, null))).toMatchObject({ kind: "ok", path });
    const user = join(folder, "user-config", "config.json");
    mkdirSync(join(folder, "user-config"));
    writeFileSync(user, JSON.stringify(least), { mode: 0o600 });
    expect(readConfig(sourceIn(folder, {}, null)).watch).toEqual(["/etc/spotloop/config.json", user]);
    expect(readConfig(sourceIn(folder, {}, null))).toMatchObject({ kind: "ok", path: user });
  });

  it.skipIf(isWindows)("is there where it cannot be looked at, which is said rather than that there is none", () => {
    const folder = temporaryFolder();
    symlinkSync("circle", join(folder, "circle"));
    const reading = readConfig(sourceIn(folder, {}, join(folder, "circle", "config.json")));
    expect(reading).toMatchObject({ kind: "bad", absentFrom: [] });
    expect(problems(reading)).toEqual(["The file cannot be read (ELOOP)."]);
  });

  it("is in ProgramData on Windows", () => {
    const userPaths = { config: "C:\\Users\\k\\Config", data: "C:\\Users\\k\\Data" };
    const reading = readConfig({ path: null, env: { ProgramData: "D:\\All" }, platform: "win32", userPaths });
    expect(reading.watch).toEqual(["D:\\All\\Spotloop\\config.json", "C:\\Users\\k\\Config\\config.json"]);
  });

  it("says so of a folder and of a file that is much too large", () => {
    const folder = temporaryFolder();
    expect(problems(readConfig(sourceIn(folder, {}, folder)))).toEqual(["The file cannot be read (EISDIR)."]);
    expect(problems(given(" ".repeat(2_000_000), {}, folder).reading)[0]).toContain("is larger than");
  });
});

describe("where data is kept unless told", () => {
  it("is the unit's state directory, else the user's", () => {
    const userPaths = { config: "config", data: "user-data" };
    const ofUnit = { env: { STATE_DIRECTORY: "/a:/b" }, userPaths };
    expect(defaultDataDir({ ...ofUnit, platform: "linux" })).toBe("/a");
    expect(defaultDataDir({ env: {}, platform: "darwin", userPaths })).toBe("user-data");
  });

  it("is the user's on Windows, where a colon is part of each folder", () => {
    const userPaths = { config: "C:\\Config", data: "C:\\Data" };
    expect(defaultDataDir({ env: { STATE_DIRECTORY: "D:\\State" }, platform: "win32", userPaths })).toBe("C:\\Data");
  });
});

describe("the screens of a configuration", () => {
  const { screenId: _, ...base } = least;
  const display = displayByDefault;

  it("must be one under Wayland", () => {
    const screens = ["a", "b"].map((screenId, index) => ({ screenId, display: { match: index + 1 } }));
    const { folder, path } = given({ ...base, screens });
    const source = sourceIn(folder, {}, path);
    expect(problems(readConfig({ ...source, wayland: true }))).toEqual([
      "screens must be one under Wayland, which lets no program choose a display",
    ]);
    expect(good(readConfig({ ...source, wayland: false })).screens).toHaveLength(2);
    given({ ...base, screens: screens.slice(1) }, {}, folder);
    expect(good(readConfig({ ...source, wayland: true })).screens).toHaveLength(1);
  });

  it.each([
    ["mode", "1080p", "must be a size and, if need be, a refresh rate, such as 1920x1080 or 1920x1080@59.94"],
    ["rotate", 45, "must be one of 0, 90, 180, 270"],
    ["scale", 0, "must be at least 0.25"],
  ])("have displays that can be set up: not by a %s of %s", (key, value, message) => {
    const { reading } = given({ ...base, screens: [{ screenId: "a", display: { [key]: value } }] });
    expect(problems(reading)).toEqual([`screens[0].display.${key} ${message}`]);
  });

  it("can be several, each on its own display", () => {
    const screens = [{ screenId: "a" }, { screenId: "b", display: { match: 2 } }];
    expect(good(given({ ...base, screens }).reading).screens).toEqual([
      { screenId: "a", display },
      { screenId: "b", display: { ...display, match: "2" } },
    ]);
  });

  it.each([
    ["screenId too", { screenId: "a", screens: [{ screenId: "b" }] }, ["screenId must not stand beside screens"]],
    ["a display for all", { display: {}, screens: [{ screenId: "b" }] }, ["display must not stand beside screens"]],
    ["none of them", { screens: [] }, ["screens must have at least 1 entry"]],
    ["no list", { screens: "lobby" }, ["screens must be a list"]],
    ["no id", { screens: [{ display: { match: 1 } }] }, ["screens[0].screenId is missing"]],
    ["a misspelling", { screens: [{ screenId: "a", dispaly: {} }] }, ["screens[0].dispaly is not a setting"]],
    [
      "one screen twice",
      { screens: [{ screenId: "a" }, { screenId: "a", display: { match: 2 } }] },
      ["screens[1].screenId is there twice"],
    ],
    [
      "one display twice, as a number and as a text",
      {
        screens: [
          { screenId: "a", display: { match: 2 } },
          { screenId: "b", display: { match: "2" } },
        ],
      },
      ["screens[1].display.match is there twice"],
    ],
    [
      "the primary display twice",
      { screens: [{ screenId: "a" }, { screenId: "b" }] },
      ["screens[1].display.match is there twice"],
    ],
  ])("cannot be given with %s", (_, file, expected) => {
    const found = problems(given({ ...base, ...file }).reading);
    expect(found).toHaveLength(expected.length);
    expected.forEach((start, index) => {
      expect(found[index]).toContain(start);
    });
  });

  it("names the variable that gives one beside them", () => {
    const reading = given({ ...base, screens: [{ screenId: "a" }] }, { SPOTLOOP_SCREEN_ID: "b" }).reading;
    expect(problems(reading)[0]).toContain("(set by SPOTLOOP_SCREEN_ID)");
  });
});

describe("the operator's hotkey", () => {
  it.each(["Control+Alt+Shift+D", "Control+Alt+F12", "Control+Shift+1"])("can be %s", (chord) => {
    expect(good(given({ ...least, operator: { chord } }).reading).operator).toEqual({ chord });
  });

  it.each(["D", "Shift+D", "Control+Alt", "control+alt+d", "Control+Alt+Delete"])("cannot be %s", (chord) => {
    expect(problems(given({ ...least, operator: { chord } }).reading)[0]).toMatch(
      /^operator\.chord must be two or more/,
    );
  });
});
