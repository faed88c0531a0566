import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Emulator } from "../../../src/emulator/main.ts";
import { readConfig } from "../../../src/player/config/config.ts";
import { running } from "../../emulator/running.ts";
import { isPrivate, temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { lines, spotloopOf } from "../vendor/spotloop.ts";

vi.setConfig({ testTimeout: 60_000 });

const HEADER = "id,title,location,venue-type,size,loop,location-title,lat,long,open,visitors";
const GYM = 'Gym,52.5,13.4,"mon-fri 08:00-20:00",1 2 3 4 5 6 7';
/** Two screens at a location that is to be created, the second of which says no more about it; one at one that is there. */
const SHEET = lines(
  HEADER,
  `door-1,Door,gym-1,40101,1920x1080,60,${GYM}`,
  "wall-1,Wall,gym-1,40102,3840x2160,60,,,,,",
  "desk-1,Desk,loc_harbour,10101,1920x1080,60,,,,,",
);

function sheetOf(text = SHEET) {
  const folder = temporaryFolder();
  const [sheet, out] = [join(folder, "screens.csv"), join(folder, "out")];
  writeFileSync(sheet, text);
  const files = () => (existsSync(out) ? readdirSync(out).sort() : []);
  return { sheet, out, files, args: ["provision", "--batch", sheet, "--out", out] };
}

const posts = (emulator: Emulator) => emulator.calls().filter(({ method }) => method === "POST").length;

/** User data of cloud-init: a YAML that is JSON below its comments. */
function userData(file: string) {
  const text = readFileSync(file, "utf8");
  return { first: text.split("\n", 1)[0], data: JSON.parse(text.replace(/^#.*\n/gm, "")) };
}

describe("spotloop provision --batch", () => {
  it("shows what it would make, and makes nothing without a yes", async () => {
    const emulator = await running();
    const { args, out, files } = sheetOf();
    const plan = lines(
      ...["+ gym-1", "2 locations: 1 to create, 0 to update, 1 as they are, 0 failed"],
      ...["+ door-1", "+ wall-1", "+ desk-1", "3 screens: 3 to create, 0 to update, 0 as they are, 0 failed"],
      `3 files in ${out}: 3 to create, 0 to update, 0 as they are`,
    );

    const shown = await spotloopOf(emulator)([...args, "--dry-run"]);
    const unasked = await spotloopOf(emulator)(args);

    expect(shown).toEqual({ code: 0, stdout: plan, stderr: "" });
    expect(unasked).toEqual({
      code: 64,
      stdout: plan,
      stderr: "Nothing was changed. Add --yes to go on without being asked.\n",
    });
    expect([posts(emulator), files()]).toEqual([0, []]);
  });

  it("makes locations, screens and a configuration for each PC that the player can use, and nothing the second time", async () => {
    const emulator = await running();
    const { args, out, files } = sheetOf();
    const settings = ["--data-dir", "/srv/spotloop", "--health-port", "9000", "--yes"];

    const made = await spotloopOf(emulator)([...args, ...settings]);
    const before = posts(emulator);
    const again = await spotloopOf(emulator)([...args, ...settings]);

    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(made.stdout.split("\n").slice(-4)).toEqual([
      "by status: 1 REVIEW, 1 APPROVED",
      `3 written into ${out}, for their owner only.`,
      "Copy each to /etc/spotloop/config.json of its PC, and the organization token to /etc/spotloop/org-token.",
      "",
    ]);
    expect(files()).toEqual(["desk-1.json", "door-1.json", "wall-1.json"]);
    const path = join(out, "door-1.json");
    expect(isPrivate(path)).toBe(true);
    if (process.platform !== "win32") expect(statSync(out).mode & 0o777).toBe(0o700);
    writeFileSync(join(out, "org-token"), "t");
    expect(readConfig({ path, env: {} })).toMatchObject({
      kind: "ok",
      config: {
        baseUrl: emulator.baseUrl,
        screens: [{ screenId: "door-1" }],
        dataDir: resolve("/srv/spotloop"),
        health: { port: 9000 },
      },
    });
    expect(emulator.calls().filter(({ path: called }) => called.endsWith("/locations/gym-1")).length).toBeGreaterThan(
      0,
    );
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout).toContain("\nAll is as the file says: nothing was changed.\n");
    expect([before, posts(emulator)]).toEqual([4, 4]);
  });

  it("keeps what somebody added to a configuration, and closes one that others could read", async () => {
    const emulator = await running();
    const { args, out } = sheetOf();
    const path = join(out, "door-1.json");
    const spotloop = spotloopOf(emulator);

    await spotloop([...args, "--yes"]);
    writeFileSync(
      path,
      JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), screenId: "x", audio: { muted: false } }),
    );
    chmodSync(path, 0o644);
    const again = await spotloop([...args, "--yes"]);

    expect(again.stdout).toContain(`\n~ ${path}\n3 files in ${out}: 0 to create, 1 to update, 2 as they are\n`);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      ...{ baseUrl: emulator.baseUrl, orgTokenFile: "org-token", screenId: "door-1" },
      audio: { muted: false },
    });
    expect(isPrivate(path)).toBe(true);
  });

  it("keeps the other screens of a PC that has several", async () => {
    const emulator = await running();
    const { args, out } = sheetOf();
    const path = join(out, "door-1.json");
    await spotloopOf(emulator)([...args, "--yes"]);
    const { screenId, ...config } = JSON.parse(readFileSync(path, "utf8"));
    const screens = [
      { screenId, display: { match: 1 } },
      { screenId: "door-2", display: { match: 2 } },
    ];
    writeFileSync(path, JSON.stringify({ ...config, screens }));

    await spotloopOf(emulator)([...args, "--health-port", "9000", "--yes"]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ ...config, screens, health: { port: 9000 } });
  });

  it("takes rows of one location that say the same list of it", async () => {
    const emulator = await running();
    const folder = temporaryFolder();
    const row = { location: "new", "location-title": "New", "venue-type": "401", visitors: [1, 2, 3, 4, 5, 6, 7] };
    const screens = ["a-1", "a-2"].map((id) => ({ id, title: id, size: "1920x1080", loop: 60, ...row }));
    const sheet = join(folder, "sheet.json");
    writeFileSync(sheet, JSON.stringify(screens));
    const args = ["provision", "--batch", sheet, "--out", join(folder, "out"), "--dry-run"];
    expect(await spotloopOf(emulator)(args)).toMatchObject({ code: 0, stderr: "" });
  });

  it("writes what cloud-init reads, with the token only where that is asked for, and never says it", async () => {
    const emulator = await running();
    const { args, out, files } = sheetOf();
    const spotloop = spotloopOf(emulator);

    const plain = await spotloop([...args, "--cloud-init", "--yes"]);
    const without = userData(join(out, "door-1.yaml"));
    const shown = await spotloop([...args, "--cloud-init", "--with-token", "--dry-run", "--json"]);
    const secret = await spotloop([...args, "--cloud-init", "--with-token", "--yes"]);
    const withToken = userData(join(out, "door-1.yaml"));

    expect(files()).toEqual(["desk-1.yaml", "door-1.yaml", "wall-1.yaml"]);
    expect(without.first).toBe("#cloud-config");
    expect(JSON.stringify(without)).not.toContain(emulator.orgToken);
    expect(without.data.write_files.map((file: { path: string }) => file.path)).toEqual(["/etc/spotloop/config.json"]);
    expect(JSON.parse(without.data.write_files[0].content)).toEqual({
      ...{ baseUrl: emulator.baseUrl, orgTokenFile: "org-token", screenId: "door-1" },
    });
    expect(withToken.data.write_files[1]).toEqual({
      ...{ path: "/etc/spotloop/org-token", permissions: "0600", content: `${emulator.orgToken}\n` },
    });
    expect(isPrivate(join(out, "door-1.yaml"))).toBe(true);
    expect(secret.stdout).toContain("Each holds the organization token: keep them to yourself");
    const said = [plain, shown, secret].map(({ stdout, stderr }) => stdout + stderr).join("\n");
    expect(said).not.toContain(emulator.orgToken);
    expect(JSON.parse(shown.stdout)).toEqual({
      plan: [],
      files: files()
        .map((name) => join(out, name))
        .sort(byRow),
    });
  });

  it("says all mistakes of the file at once, with line and column, and makes nothing", async () => {
    const emulator = await running();
    const { args, sheet, files } = sheetOf(
      lines(
        HEADER,
        "door-1,Door,gym-1,40101,1920,60,Gym,95,13.4,always,1 2 3 4 5 6 7",
        "wall-1,Wall,gym-1,40102,1920x1080,0,Other gym,,,,",
        "door-1,Door,loc_harbour,10101,1920x1080,60,,,,,",
        "far-1,Far,nowhere,40101,1920x1080,60,,,,,",
        "desk-1,Desk,loc_harbour,10101,1920x1080,60,,,,,",
      ),
    );

    const { code, stdout, stderr } = await spotloopOf(emulator)([...args, "--yes"]);

    expect([code, posts(emulator), files()]).toEqual([65, 0, []]);
    expect(stdout).toMatch(/5 screens: 2 to create, 0 to update, 0 as they are, 3 failed\n$/);
    const json = await spotloopOf(emulator)([...args, "--yes", "--json"]);
    expect([json.code, json.stderr, posts(emulator), files()]).toEqual([65, stderr, 0, []]);
    expect(JSON.parse(json.stdout)).toMatchObject({ created: [], updated: [], files: [], failed: { length: 6 } });
    expect(JSON.parse(json.stdout).failed[0]).toEqual({
      ...{ where: `${sheet}:3`, id: "gym-1", problem: `location-title: is another in ${sheet}:2` },
    });
    expect(stderr.replaceAll(sheet, "screens.csv").split("\n")).toEqual([
      "screens.csv:3 gym-1: location-title: is another in screens.csv:2",
      "screens.csv:2 gym-1: lat: must be -90 to 90, and is 95",
      "screens.csv:5 nowhere: location-title: is missing: there is no location nowhere yet",
      "screens.csv:2 door-1: size: must be a size such as 1920x1080",
      "screens.csv:3 wall-1: loop: must be a whole number from 1, and is 0",
      "screens.csv:4 door-1: screen_id: door-1 is in screens.csv:2 already",
      "Nothing was made: mend this, and run the same command again.",
      "",
    ]);
  });

  it("makes nothing while a new screen or location has no identifier that one can have (A17)", async () => {
    const emulator = await running();
    const { args, sheet, files } = sheetOf(
      lines(
        HEADER,
        `my door,Door,floor/1,40101,1920x1080,60,${GYM}`,
        "../evil,Evil,loc_harbour,10101,1920x1080,60,,,,,",
        "desk-1,Desk,loc_harbour,10101,1920x1080,60,,,,,",
      ),
    );

    const { code, stderr } = await spotloopOf(emulator)([...args, "--yes"]);

    const must = "must be 1 to 64 of A-Z a-z 0-9 _ . -, and neither . nor ..";
    expect([code, posts(emulator), files()]).toEqual([65, 0, []]);
    expect(stderr.replaceAll(sheet, "screens.csv").split("\n")).toEqual([
      `screens.csv:2 floor/1: location: ${must}`,
      `screens.csv:2 my door: id: ${must}`,
      `screens.csv:3 ../evil: id: ${must}`,
      "Nothing was made: mend this, and run the same command again.",
      "",
    ]);
  });

  it("takes a screen that is there by what it is called, unless no file can be named so", async () => {
    const emulator = await running();
    const known = await spotloopOf(emulator)(["screens", "get", "screen_demo", "--json"]);
    const screen = JSON.parse(known.stdout);
    const calledBy = (screen_id: string) => {
      const body = { ...screen, screen_id };
      emulator.setFaults([{ match: { route: "screen" }, do: { status: 200, body } }]);
      return sheetOf(lines("id,title,location", `${screen_id},${screen.title},${screen.location_id}`));
    };

    const odd = calledBy("my door");
    expect((await spotloopOf(emulator)([...odd.args, "--yes"])).code).toBe(0);
    expect(odd.files()).toEqual(["my door.json"]);

    for (const id of ["../evil", "a\\b"]) {
      const evil = calledBy(id);
      const { code, stderr } = await spotloopOf(emulator)([...evil.args, "--yes"]);
      expect([code, stderr.split("\n")[0]]).toEqual([
        65,
        `${evil.sheet}:2 ${id}: id: no file can be named so, for it has a / or a \\`,
      ]);
      expect(evil.files()).toEqual([]);
    }
    expect(posts(emulator)).toBe(0);
  });

  it("does not promise that another run helps where the service refuses a row", async () => {
    const emulator = await running();
    emulator.setFaults([{ match: { route: "screens" }, do: { status: 400 } }]);

    const { code, stderr } = await spotloopOf(emulator)([...sheetOf().args, "--yes"]);

    expect(code).toBe(65);
    expect(stderr).toContain("The service refuses this (HTTP 400)");
    expect(stderr).not.toContain("Run the same command again");
  });

  it("goes on where a run before was cut off", async () => {
    const emulator = await running();
    const { args, files } = sheetOf();
    const spotloop = spotloopOf(emulator);
    emulator.setFaults([{ match: { route: "screens" }, skip: 1, do: { status: 500 } }]);

    const half = await spotloop([...args, "--yes"]);
    const before = files();
    emulator.setFaults([]);
    const whole = await spotloop([...args, "--yes"]);

    expect([half.code, before.length]).toEqual([69, 1]);
    expect(half.stderr).toContain("Run the same command again to go on.\n");
    expect(whole.stdout).toContain("\n3 screens: 2 to create, 0 to update, 1 as they are, 0 failed\n");
    expect([whole.code, files()]).toEqual([0, ["desk-1.json", "door-1.json", "wall-1.json"]]);
  });

  it.each<[string, string[], string[]]>([
    ["no folder", ["--batch", "x"], ["--out: is missing: the folder for the files of the PCs"]],
    ["flags of one screen", ["--batch", "x", "--id", "a", "--out", "o"], ["--id: does not go with --batch"]],
    [
      "flags of a batch for one screen",
      ["--id", "a", "--out", "o", "--cloud-init"],
      ["2 problems:", "  --out: goes with --batch only", "  --cloud-init: goes with --batch only"],
    ],
    [
      "a token without cloud-init, and a folder on this machine",
      ["--batch", "x", "--out", "o", "--with-token", "--data-dir", "data"],
      [
        "2 problems:",
        "  --with-token: goes with --cloud-init only",
        "  --data-dir: must be absolute: it is on the PCs",
      ],
    ],
  ])("is not to be had with %s", async (_, args, said) => {
    expect(await spotloopOf(await running())(["provision", ...args])).toEqual({
      ...{ code: 64, stdout: "", stderr: lines(...said) },
    });
  });
});

/** As the rows of the sheet are. */
function byRow(one: string, other: string): number {
  const place = (path: string) => ["door-1", "wall-1", "desk-1"].findIndex((id) => path.includes(id));
  return place(one) - place(other);
}
