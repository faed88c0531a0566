import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Emulator } from "../../../src/emulator/main.ts";
import { MONDAY_8, running } from "../../emulator/running.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { lines, spotloopAloneOf, spotloopOf } from "./spotloop.ts";

const GYMS = lines(
  "id,title,venue-type,lat,long,open,visitors",
  'gym-1,Gym,401,52.5,13.4,"mon-fri 08:00-20:00, sat 10:00-18:00",120 110 115 130 180 240 90',
  "gym-2,Gym 2,401,52.6,13.5,always,1 2 3 4 5 6 7",
);
const SCREENS = lines(
  "screen_id;title;location_id;venue_type_id;size;loop_duration",
  "screen_demo;Above the ticket desk;loc_harbour;101;1920x1080;60",
  "screen_kiosk;By the bar;loc_harbour;10101;1080x1920;90",
  "door-1;Door;loc_harbour;10102;1920x1080;60",
);

const SHEET = lines("id;title;lat;long", "gym-1;Größe 1,5;52,5;13,4");
const TABS = lines("id\ttitle\tlat\tlong", "gym-1\tGröße 1,5\t52.5\t13.4");
/** The same table as spreadsheets of several languages and ages write it. */
const SPREADSHEETS: Readonly<Record<string, Buffer>> = {
  "Windows-1252, semicolons, decimal commas": Buffer.from(SHEET, "latin1"),
  "UTF-8 with a byte order mark": Buffer.from(`\ufeff${SHEET}`),
  "UTF-16, tabs": Buffer.from(`\ufeff${TABS}`, "utf16le"),
  "its own line about semicolons": Buffer.from(`sep=;\r\n${SHEET}`),
  "tabs, decimal commas": Buffer.from(TABS.replace("52.5", "52,5").replace("13.4", "13,4")),
  "decimal commas and powers of ten": Buffer.from(SHEET.replace("52,5", "5,25E+01").replace("13,4", "134E-1")),
  "blank lines above": Buffer.from(`\r\n  \n${SHEET}`),
  "blank lines above its own line about semicolons": Buffer.from(`\n\nsep=;\n${SHEET}`),
  "the service's own columns in capitals": Buffer.from(
    SHEET.replace("long", "long;Status").replace("13,4", "13,4;DRAFT"),
  ),
  "rows without a value": Buffer.from(`${SHEET};;;\r\n;;;\r\n`),
  "columns without a name": Buffer.from(SHEET.replaceAll("\n", ";;\n")),
};

/** A file in a folder of its own, and what begins a line about it. */
function fileWith(text: string | Buffer, name = "file.csv"): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

const posts = (emulator: Emulator) => emulator.calls().filter(({ method }) => method === "POST").length;

describe("spotloop locations apply", () => {
  it("prints what it would do for machines, and does nothing", async () => {
    const emulator = await running();
    const file = fileWith(lines("id,title,phone", "gym-1,Gym,1", "loc_harbour,Elsewhere,2"));

    const shown = await spotloopOf(emulator)(["locations", "apply", file, "--dry-run", "--json"]);

    expect([shown.code, JSON.parse(shown.stdout)]).toEqual([
      0,
      {
        ...{ created: [], updated: [], unchanged: 0, failed: [] },
        plan: [
          {
            what: "create",
            where: `${file}:2`,
            id: "gym-1",
            fields: { location_id: "gym-1", title: "Gym", phone: "1" },
          },
          {
            ...{ what: "update", where: `${file}:3`, id: "loc_harbour" },
            before: { title: expect.any(String), phone: null },
            change: { title: "Elsewhere", phone: "2" },
            effects: [],
          },
        ],
      },
    ]);
    expect(posts(emulator)).toBe(0);
  });

  it("says that a new location's available-for-ads is left out (B7)", async () => {
    const spotloop = spotloopOf(await running());
    const file = fileWith(lines("id,title,available-for-ads", "gym-1,Gym,yes", "gym-2,Gym,no", "gym-3,Gym,"));

    const applied = await spotloop(["locations", "apply", file, "--yes"]);
    const json = fileWith('{ "location_id": "gym-4", "title": "Gym", "available_for_ads": true }', "gym.json");
    const created = await spotloop(["locations", "create", "--from", json]);

    expect([applied.code, applied.stderr]).toEqual([
      0,
      "available-for-ads is left out of 2 new locations: it can be set once they are APPROVED.\n",
    ]);
    expect([created.code, created.stderr]).toEqual([
      0,
      "available_for_ads is left out of a new location: it can be set once it is APPROVED.\n",
    ]);
  });

  it("creates what is missing, and nothing the second time", async () => {
    const emulator = await running();
    const spotloop = spotloopAloneOf(emulator);
    const file = fileWith(GYMS);

    const first = await spotloop(["locations", "apply", file, "--yes"]);
    const second = await spotloop(["locations", "apply", file, "--yes"]);
    const gym = await spotloop(["locations", "get", "gym-1", "--json"]);

    expect(first).toEqual({
      code: 0,
      stdout: lines(
        "+ gym-1",
        "+ gym-2",
        "2 locations: 2 to create, 0 to update, 0 as they are, 0 failed",
        "created 2, updated 0, failed 0",
        "by status: 2 REVIEW",
      ),
      stderr: "",
    });
    expect(second).toEqual({
      code: 0,
      stdout: lines("2 locations: 0 to create, 0 to update, 2 as they are, 0 failed"),
      stderr: "",
    });
    expect(posts(emulator)).toBe(2);
    expect(JSON.parse(gym.stdout)).toMatchObject({
      title: "Gym",
      status: "REVIEW",
      visitors_7: [120, 110, 115, 130, 180, 240, 90],
    });
  });

  it("says which are drafts and what each lacks, and how many there are of each status", async () => {
    const emulator = await running();
    const spotloop = spotloopOf(emulator);
    const rows = lines(
      "id,title,venue-type,lat,long,open,visitors",
      "gym-1,Gym,401,52.5,13.4,always,1 2 3 4 5 6 7",
      "gym-2,Gym 2,401,52.5,,always,",
      "loc_library,East Library,,,,,",
      "loc_harbour,Harbour,,,,,",
    );
    const file = fileWith(rows);

    const applied = await spotloop(["locations", "apply", file, "--yes"]);
    const again = await spotloop(["locations", "apply", file, "--yes"]);
    const json = await spotloop(["locations", "apply", file, "--yes", "--json"]);
    const planned = await spotloop(["locations", "apply", file, "--dry-run", "--json"]);

    const standing = [
      "gym-2 is a draft: for the review it lacks long, visitors",
      "loc_library is a draft: for the review it lacks venue-type, lat, long, open, visitors",
      "by status: 2 DRAFT, 1 REVIEW, 1 APPROVED",
    ];
    expect(applied).toEqual({
      code: 0,
      stdout: lines(
        "+ gym-1",
        "+ gym-2",
        "~ loc_harbour",
        "    title: Harbour Hall -> Harbour",
        "4 locations: 2 to create, 1 to update, 1 as they are, 0 failed",
        "created 2, updated 1, failed 0",
        ...standing,
      ),
      stderr: "",
    });
    expect(again.stdout).toBe(lines("4 locations: 0 to create, 0 to update, 4 as they are, 0 failed", ...standing));
    expect(JSON.parse(json.stdout)).toEqual({
      ...{ created: [], updated: [], unchanged: 4, failed: [] },
      statuses: { DRAFT: 2, REVIEW: 1, APPROVED: 1 },
      drafts: [
        { id: "gym-2", lacks: ["long", "visitors_7"] },
        { id: "loc_library", lacks: ["venue_type_id", "lat", "long", "opening_168", "visitors_7"] },
      ],
    });
    expect(JSON.parse(planned.stdout)).not.toHaveProperty("drafts");
  });

  it("names the first drafts of many, and all when asked to", async () => {
    const spotloop = spotloopOf(await running());
    const rows = Array.from({ length: 23 }, (_, n) => `gym-${n},Gym ${n}`);
    const file = fileWith(lines("id,title", ...rows));

    const some = await spotloop(["locations", "apply", file, "--yes"]);
    const all = await spotloop(["locations", "apply", file, "--all"]);

    expect(some.stdout).toMatch(
      /^gym-19 is a draft: .*\n… and 3 more drafts; --all shows them\nby status: 23 DRAFT\n$/m,
    );
    expect(all.stdout).toMatch(/^gym-22 is a draft: .*\nby status: 23 DRAFT\n$/m);
  });

  it("takes back what get --json prints", async () => {
    const emulator = await running();
    const spotloop = spotloopOf(emulator);
    const { stdout } = await spotloop(["locations", "get", "loc_harbour", "--json"]);

    const same = await spotloop(["locations", "apply", fileWith(`[${stdout}]`), "--yes", "--json"]);

    expect(JSON.parse(same.stdout)).toEqual({ created: [], updated: [], unchanged: 1, failed: [] });
    expect(posts(emulator)).toBe(0);
  });

  it.each(Object.entries(SPREADSHEETS))("takes what a spreadsheet writes: %s", async (_, bytes) => {
    const emulator = await running();

    const shown = await spotloopOf(emulator)(["locations", "apply", fileWith(bytes), "--dry-run", "--json"]);

    const fields = { location_id: "gym-1", title: "Größe 1,5", lat: 52.5, long: 13.4 };
    expect(JSON.parse(shown.stdout)).toMatchObject({ plan: [{ id: "gym-1", fields }], failed: [] });
  });

  it("refuses a row that has a value where its column has no name", async () => {
    const emulator = await running();
    const file = fileWith(lines("id,title,,", "gym-1,Gym,,", "gym-2,Gym,,lost"));
    const shown = await spotloopOf(emulator)(["locations", "apply", file, "--dry-run", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      plan: [{ id: "gym-1" }],
      failed: [{ where: `${file}:3`, problem: "column 4 has a value and no name" }],
    });
  });

  it("reports every bad row with what to mend, and does the others", async () => {
    const emulator = await running();
    const file = fileWith(
      lines(
        "id,title,venue-type,lat,open,available-for-ads",
        "gym-1,Gym,401,1,always,",
        "gym-2, ,40101,95,mon 8:30-9,",
        ",No id,401,1,always,",
        "gym-1,Twice,401,1,always,",
        "gym-3,Long,401,1,always,yes,",
        "loc_museum,,,,,yes",
        "gym-4,,401,1,,",
      ),
    );

    const applied = await spotloopOf(emulator)(["locations", "apply", file, "--yes"]);

    expect(applied).toEqual({
      code: 65,
      stdout: lines(
        "+ gym-1",
        "7 locations: 1 to create, 0 to update, 0 as they are, 6 failed",
        "created 1, updated 0, failed 6",
        "gym-1 is a draft: for the review it lacks long, visitors",
        "by status: 1 DRAFT",
      ),
      stderr: lines(
        `${file}:3 gym-2: open: "8:30-9" is not on the whole hour, as schedules have to be; lat: must be -90 to 90, and is 95`,
        `${file}:4: location_id: is missing`,
        `${file}:5 gym-1: location_id: gym-1 is in ${file}:2 already`,
        `${file}:6: has more values than the header has names`,
        `${file}:7 loc_museum: available-for-ads: cannot be set while the location is in REVIEW`,
        `${file}:8 gym-4: title: is missing`,
      ),
    });
  });
});

describe("spotloop screens apply", () => {
  it("shows what differs, and changes nothing without a yes", async () => {
    const emulator = await running();
    const file = fileWith(SCREENS);

    const asked = await spotloopOf(emulator)(["screens", "apply", file]);
    const shown = await spotloopOf(emulator)(["screens", "apply", file, "--dry-run"]);

    const plan = lines(
      "~ screen_kiosk",
      "    title: By the café -> By the bar",
      "    loop_duration: 60 -> 90",
      "+ door-1",
      "3 screens: 1 to create, 1 to update, 1 as they are, 0 failed",
    );
    expect(asked).toEqual({
      code: 64,
      stdout: plan,
      stderr: "Nothing was changed. Add --yes to go on without being asked.\n",
    });
    expect(shown).toEqual({ code: 0, stdout: plan, stderr: "" });
    expect(posts(emulator)).toBe(0);
  });

  it("says which moves may stop campaigns, and does them", async () => {
    const emulator = await running();
    const rows = [
      { id: "screen_kiosk", location: "loc_museum", venue_type: "801" },
      { screen_id: "screen_demo", location_id: "loc_museum", venue_type_id: 801 },
      { screen_id: "screen_museum", available_for_ads: false },
    ];

    const moved = await spotloopOf(emulator)(["screens", "apply", fileWith(JSON.stringify(rows)), "--yes"]);

    expect(moved).toMatchObject({ code: 0, stderr: "" });
    expect(moved.stdout).toContain(
      "\nThis moves 2 screens and sends loc_museum to REVIEW; campaigns may stop until that is approved.\n" +
        "This takes it out of all campaigns.\n" +
        "3 screens: 0 to create, 3 to update, 0 as they are, 0 failed\ncreated 0, updated 3, failed 0\n",
    );
  });

  it("keeps to the rules of its location, row by row", async () => {
    const rows = [
      { id: "a", title: "A", location: "loc_harbour", "venue-type": "401", width: 1, height: 1, loop: 1 },
      { id: "b", title: "B", location: "none", "venue-type": "101", width: 1, height: 1, loop: 1 },
      { id: "c", title: "C", size: "1x", loop: 0, colour: "red" },
      "d",
    ];
    const file = fileWith(JSON.stringify(rows));

    const applied = await spotloopOf(await running())(["screens", "apply", file, "--yes", "--json"]);

    expect(applied.code).toBe(65);
    expect(JSON.parse(applied.stdout)).toEqual({
      created: [],
      updated: [],
      unchanged: 0,
      failed: [
        {
          where: `${file}[0]`,
          id: "a",
          problem: "venue-type: 401 is Gyms; this screen needs 101 Airports, its location's, or a child of that",
        },
        { where: `${file}[1]`, id: "b", problem: "location: there is no location none" },
        {
          where: `${file}[2]`,
          id: "c",
          problem:
            "colour: is not a column; the nearest is loop; size: must be a size such as 1920x1080; " +
            "loop: must be a whole number from 1, and is 0",
        },
        { where: `${file}[3]`, id: "", problem: "is not an object" },
      ],
    });
  });

  it("shows the first rows of many, and all when asked to", async () => {
    const spotloop = spotloopOf(await running());
    const rows = Array.from({ length: 23 }, (_, n) => `s-${n},Screen ${n},loc_harbour,101,1920x1080,60`);
    const file = fileWith(lines("id,title,location,venue-type,size,loop", ...rows));

    const some = await spotloop(["screens", "apply", file, "--dry-run"]);
    const all = await spotloop(["screens", "apply", file, "--dry-run", "--all"]);

    expect(some.stdout).toContain("+ s-19\n… and 3 more screens to create or update; --all shows them\n23 screens:");
    expect(all.stdout).toContain("+ s-22\n23 screens:");
  });

  it.each([
    ["a strange column", "id,titel\na,b\n", "titel: is not a column; the nearest is title"],
    ["one column twice", "id,title,title\na,b,c\n", "title: is there twice"],
    ["two names of one column", "screen_id,id,title\ndoor,1,Door\n", "id: says the same as screen_id"],
    ["a size, and a width beside it", "id,size,width\na,1x2,3\n", "width: says the same as size"],
    [
      "a header alone, with two names of one column",
      "location,location_id\n",
      "location_id: says the same as location",
    ],
    ["an open quote", 'id,title\na,"b\n', "Quote Not Closed"],
    ["broken JSON", '[{"id":"a"},]', "line 1, column 13: no comma may stand before the end"],
  ])("takes nothing from a file with %s", async (_, text, said) => {
    const emulator = await running();
    const file = fileWith(text);

    const { code, stdout, stderr } = await spotloopOf(emulator)(["screens", "apply", file, "--yes"]);

    expect([code, stdout]).toEqual([65, ""]);
    expect(stderr).toContain(file);
    expect(stderr).toContain(said);
    expect(emulator.calls()).toEqual([]);
  });

  it.skipIf(process.platform === "win32").each([
    [["screens", "apply", "/dev/zero", "--yes"], 256],
    [["screens", "create", "--from", "/dev/zero"], 1],
  ])("reads no more than may be of what has no end: %j", async (args, mostMb) => {
    const { code, stderr } = await spotloopOf(await running())(args);

    expect([code, stderr]).toEqual([65, `/dev/zero is larger than ${mostMb * 1024 * 1024} bytes\n`]);
  });

  it("takes no object of JSON that says one thing under two names", async () => {
    const emulator = await running();
    const file = fileWith(
      JSON.stringify([{ id: "a", screen_id: "b", title: "Door", size: "1x2", height: 3, width: null }]),
    );

    const { code, stderr } = await spotloopOf(emulator)(["screens", "apply", file, "--yes"]);

    expect(code).toBe(65);
    expect(stderr).toContain("screen_id: says the same as id");
    expect(stderr).toContain("height: says the same as size");
    expect(stderr).not.toContain("width: says");
    expect(posts(emulator)).toBe(0);
  });

  it("ends with 77 at once when the token is not accepted, and with 69 when there is no service", async () => {
    const emulator = await running();
    const file = fileWith(SCREENS);
    const refused = await spotloopOf({ ...emulator, orgToken: "org_none" })(["screens", "apply", file, "--yes"]);
    emulator.setFaults([{ match: { route: "screens" }, do: { status: 500 } }]);
    const failed = await spotloopOf(emulator)(["screens", "apply", file, "--yes"]);

    expect([refused.code, refused.stdout]).toEqual([77, ""]);
    expect(failed.code).toBe(69);
    expect(failed.stdout).toContain("created 0, updated 1, failed 1\n");
  });

  it("waits as long as the service asks, and then goes on", async () => {
    const emulator = await running();
    emulator.setFaults([
      { match: { route: "screens" }, times: 1, do: { retryAfter: 1 } },
      { match: { route: "screen" }, times: 1, do: { retryAfter: 1 } },
      { match: { route: "location" }, times: 1, do: { retryAfter: new Date(MONDAY_8 + 1_000).toUTCString() } },
    ]);

    const applied = await spotloopOf(emulator)(["screens", "apply", fileWith(SCREENS), "--yes"]);

    expect(applied).toMatchObject({ code: 0, stderr: "" });
    expect(emulator.calls().filter(({ status }) => status === 429).length).toBe(3);
  });
});
