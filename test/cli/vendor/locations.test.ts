import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { running } from "../../emulator/running.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { lines, spotloopOf } from "./spotloop.ts";

const GYM = [
  ...["--id", "L1", "--title", "Gym", "--venue-type", "401", "--lat", "52.5", "--long", "-13.4"],
  ...["--open", "mon-fri 08:00-20:00, sat 10:00-18:00", "--visitors", "1,2,3,4,5,6,7"],
];
const ALWAYS = Array<boolean>(168).fill(true);

describe("spotloop locations", () => {
  it("creates a location and shows it", async () => {
    const spotloop = spotloopOf(await running());

    expect(await spotloop(["locations", "create", ...GYM, "--email", "gym@example.com"])).toEqual({
      code: 0,
      stdout: lines(
        "Location L1 is created: REVIEW.",
        "The operator decides now; until then its screens get no spots.",
      ),
      stderr: "",
    });
    expect(await spotloop(["locations", "get", "L1"])).toEqual({
      code: 0,
      stdout: lines(
        "Location L1",
        "  Title       Gym",
        "  Status      REVIEW",
        "  Ads         no",
        "  Venue type  401 Gyms",
        "  Position    52.5, -13.4",
        "  Place       (Etc/GMT+1)",
        "  E-mail      gym@example.com",
        "  Phone       -",
        "  Visitors    1, 2, 3, 4, 5, 6, 7 (Monday first)",
        "  Open        mon-fri 08:00-20:00, sat 10:00-18:00",
        "         0     6     12    18    24",
        "    mon  ........############....",
        "    tue  ........############....",
        "    wed  ........############....",
        "    thu  ........############....",
        "    fri  ........############....",
        "    sat  ..........########......",
        "    sun  ........................",
        "The operator decides now; until then its screens get no spots.",
      ),
      stderr: "",
    });
  });

  it("creates a draft, says what it lacks, and submits it once that is there", async () => {
    const spotloop = spotloopOf(await running());
    const draft = await spotloop(["locations", "create", "--id", "L1", "--title", "Gym", "--lat", "1", "--long", "2"]);
    const early = await spotloop(["locations", "submit", "L1"]);
    const rest = ["--venue-type", "401", "--open", "always"];
    await spotloop(["locations", "update", "L1", ...rest]);
    const late = await spotloop(["locations", "update", "L1", "--visitors", "1 2 3 4 5 6 7"]);

    expect(draft.stdout).toBe(
      lines("Location L1 is created: DRAFT.", "For the review it lacks --venue-type, --open, --visitors."),
    );
    expect(early).toEqual({
      code: 65,
      stdout: "",
      stderr: lines(
        "3 problems:",
        "  venue_type_id: is required for review",
        "  opening_168: is required for review",
        "  visitors_7: is required for review",
      ),
    });
    expect(late).toEqual({
      code: 0,
      stdout: lines(
        "Location L1 is updated: REVIEW.",
        "The operator decides now; until then its screens get no spots.",
      ),
      stderr: lines("  visitors: - -> 1,2,3,4,5,6,7", "This sends the location to REVIEW."),
    });
  });

  it.each([
    ["--lat", "52.5", "latitude 52.5, no longitude yet"],
    ["--long", "13.4", "longitude 13.4, no latitude yet"],
    ["--lat", "0", "latitude 0, no longitude yet"],
    ["--title", "Gym", "-"],
  ])("shows half of a position, too: %s %s", async (flag, value, said) => {
    const spotloop = spotloopOf(await running());
    await spotloop(["locations", "create", "--id", "L1", "--title", "Gym", flag, value]);

    expect((await spotloop(["locations", "get", "L1"])).stdout).toContain(`\n  Position    ${said}\n`);
  });

  it("prints the object alone with --json", async () => {
    const spotloop = spotloopOf(await running());

    const created = await spotloop(["locations", "create", ...GYM, "--json"]);
    const got = await spotloop(["locations", "get", "L1", "--json"]);

    expect(JSON.parse(created.stdout)).toMatchObject({ location_id: "L1", status: "REVIEW" });
    expect(got).toEqual({ code: 0, stdout: created.stdout, stderr: "" });
  });

  it("takes a location from a file or standard input, flags going before it", async () => {
    const spotloop = spotloopOf(await running());
    const file = join(temporaryFolder(), "gym.json");
    writeFileSync(
      file,
      JSON.stringify({ location_id: "L1", title: "Gym", open: "always", visitors_7: [1, 2, 3, 4, 5, 6, 7] }),
    );
    const stdin = JSON.stringify({ location_id: "L2", title: "Spa", opening_168: ALWAYS, email: null });

    const fromFile = await spotloop(["locations", "create", "--from", file, "--title", "Gym 1", "--json"]);
    const fromInput = await spotloop(["locations", "create", "--from", "-", "--json"], { stdin });

    expect(JSON.parse(fromFile.stdout)).toMatchObject({ location_id: "L1", title: "Gym 1", opening_168: ALWAYS });
    expect(JSON.parse(fromInput.stdout)).toMatchObject({ location_id: "L2", opening_168: ALWAYS, email: null });
  });

  it("shows the request instead of sending it, without the token", async () => {
    const emulator = await running();
    const spotloop = spotloopOf(emulator);

    const create = ["locations", "create", "--title", "Gym", "--visitors", "1,2,3,4,5,6,7", "--dry-run"];
    expect(await spotloop(create)).toEqual({
      code: 0,
      stdout: lines(
        `POST ${emulator.baseUrl}/vendor/{org_token}/locations`,
        "Content-Type: application/json",
        "",
        "{",
        '  "title": "Gym",',
        '  "visitors_7": [1,2,3,4,5,6,7]',
        "}",
      ),
      stderr: "",
    });
    const submit = await spotloop(["locations", "submit", "loc_museum", "--dry-run", "--no-check", "--json"]);
    expect(JSON.parse(submit.stdout)).toEqual({
      method: "POST",
      url: `${emulator.baseUrl}/vendor/{org_token}/locations/loc_museum`,
      body: { status: "REVIEW" },
    });
    expect(emulator.calls().some(({ method }) => method === "POST")).toBe(false);
  });

  it("says what an update does before it is done", async () => {
    const spotloop = spotloopOf(await running());

    const moved = await spotloop(["locations", "update", "loc_harbour", "--lat", "53.6", "--yes"]);
    const renamed = await spotloop(["locations", "update", "loc_harbour", "--title", "Harbour", "--archived", "yes"]);
    const again = await spotloop(["locations", "update", "loc_harbour", "--title", "Harbour"]);

    expect(moved.stderr).toBe(
      lines(
        "  lat: 53.5453 -> 53.6",
        "This sends the location back to REVIEW (lat); campaigns may stop until it is approved again.",
      ),
    );
    expect(renamed).toEqual({
      code: 0,
      stdout: lines("Location loc_harbour is updated: REVIEW.", "It is archived: its screens get no spots."),
      stderr: lines(
        "  title: Harbour Hall -> Harbour",
        "  archived: no -> yes",
        "This archives it: no spots any more.",
      ),
    });
    expect(again.stdout).toContain("Location loc_harbour is so already; nothing was sent.");
  });

  it("switches ads of an approved location off and on", async () => {
    const spotloop = spotloopOf(await running());

    const off = await spotloop(["locations", "update", "loc_harbour", "--available-for-ads", "no"]);
    const on = await spotloop(["locations", "update", "loc_harbour", "--available-for-ads", "yes", "--json"]);

    expect(off.stdout).toBe(
      lines(
        "Location loc_harbour is updated: APPROVED.",
        "No ads: spotloop locations update loc_harbour --available-for-ads yes",
      ),
    );
    expect(JSON.parse(on.stdout)).toMatchObject({ available_for_ads: true });
  });

  it("clears what can be cleared", async () => {
    const spotloop = spotloopOf(await running());
    await spotloop(["locations", "create", "--id", "L1", "--title", "Gym", "--phone", "1", "--email", "a@b.example"]);

    const cleared = await spotloop(["locations", "update", "L1", "--phone", "", "--email", "", "--json"]);

    expect(JSON.parse(cleared.stdout)).toMatchObject({ phone: null, email: null });
  });

  it.each([
    [
      "flags that cannot be read, and what breaks a rule besides",
      ["create", "--lat", "x", "--long", "200", "--open", "mon 8:30-9", "--visitors", "a", "--archived", "maybe"],
      64,
      [
        "6 problems:",
        '  --lat: must be a number, and is "x"',
        '  --open: "8:30-9" is not on the whole hour, as schedules have to be',
        "  --visitors: must be seven numbers with commas between, Monday first",
        "  --archived: must be yes or no",
        "  --title: is missing",
        "  --long: must be -180 to 180, and is 200",
      ],
    ],
    [
      "values that break a rule",
      ["create", "--title", " ", "--venue-type", "40101", "--lat", "95", "--visitors", "1,2"],
      65,
      [
        "4 problems:",
        "  --title: must not be blank",
        "  --venue-type: 40101 is Lobby (Gyms), on level 3; a location takes one of level 2, such as 401 Gyms",
        "  --lat: must be -90 to 90, and is 95",
        "  --visitors: must be 7 numbers, Monday first; there are 2",
      ],
    ],
    ["a location that is not there", ["get", "none"], 65, ["There is no location none in this organization."]],
    [
      "an identifier that is taken",
      ["create", "--id", "loc_museum", "--title", "Other"],
      65,
      ["There is a location loc_museum already; see it with: spotloop locations get loc_museum"],
    ],
    [
      "ads before the approval",
      ["update", "loc_museum", "--available-for-ads", "yes"],
      65,
      ["--available-for-ads: cannot be set while the location is in REVIEW"],
    ],
    [
      "an update of nothing",
      ["update", "loc_museum"],
      64,
      ["There is nothing to change. Give --title or another field."],
    ],
    ["no identifier", ["get"], 64, ["error: missing required argument 'id'"]],
    ["a misspelt flag", ["create", "--titel", "x"], 64, ["error: unknown option '--titel'", "(Did you mean --title?)"]],
    ["a misspelt command", ["gte", "x"], 64, ["error: unknown command 'gte'", "(Did you mean get?)"]],
    ["a file that is not there", ["create", "--from", "none.json"], 65, ["none.json cannot be read (ENOENT)"]],
  ])("refuses %s", async (_, args, code, said) => {
    const emulator = await running();

    expect(await spotloopOf(emulator)(["locations", ...args])).toEqual({ code, stdout: "", stderr: lines(...said) });
    expect(emulator.calls().some(({ method, status }) => method === "POST" && status < 300)).toBe(false);
  });

  it.each([
    ["{", ["line 1, column 2 of FILE is not JSON: the file ends too early"]],
    ["[]", ["FILE must hold one object"]],
    [
      '{"title":5,"lat":"x","opening_168":[1],"tittle":"a","long":181}',
      [
        "4 problems:",
        "  tittle: is not a column; the nearest is title",
        '  lat: must be a number, and is "x"',
        "  opening_168: must be a list of true and false",
        "  long: must be -180 to 180, and is 181",
      ],
    ],
  ])("refuses %s from a file", async (text, said) => {
    const file = join(temporaryFolder(), "gym.json");
    writeFileSync(file, text);

    const refused = await spotloopOf(await running())(["locations", "create", "--from", file]);

    expect(refused).toEqual({ code: 65, stdout: "", stderr: lines(...said).replace("FILE", file) });
  });

  it("names standard input where that is refused", async () => {
    const refused = await spotloopOf(await running())(["locations", "create", "--from", "-"], { stdin: "[]" });

    expect(refused).toEqual({ code: 65, stdout: "", stderr: "standard input must hold one object\n" });
  });

  it("leaves the rules to the service when it is not to check, and passes on what it says", async () => {
    const refused = await spotloopOf(await running())([
      ...["locations", "create", "--id", "L1", "--title", "A", "--lat", "95", "--visitors", "1", "--no-check"],
    ]);

    expect(refused.code).toBe(65);
    expect(refused.stderr).toMatch(
      /^The service refuses this \(HTTP 400\): 2 problems:\n {2}--lat: .*\n {2}--visitors: /,
    );
  });
});
