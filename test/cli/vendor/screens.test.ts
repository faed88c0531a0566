import { describe, expect, it } from "vitest";
import { running } from "../../emulator/running.ts";
import { lines, spotloopAloneOf, spotloopOf } from "./spotloop.ts";

const DOOR = [
  ...["--id", "S1", "--title", "Door", "--location", "loc_harbour", "--venue-type", "10101"],
  ...["--size", "1920x1080", "--loop", "60"],
];

describe("spotloop screens", () => {
  it("creates a screen and shows it", async () => {
    const spotloop = spotloopAloneOf(await running());

    const created = await spotloop(["screens", "create", ...DOOR, "--amount", "2", "--imps-weekly", "12000"]);

    expect(created).toEqual({ code: 0, stdout: lines("Screen S1 is created at loc_harbour."), stderr: "" });
    expect(await spotloop(["screens", "get", "S1"])).toEqual({
      code: 0,
      stdout: lines(
        "Screen S1",
        "  Title        Door",
        "  Location     loc_harbour",
        "  Venue type   10101 Arrival Hall (Airports)",
        "  Size         1920x1080",
        "  Loop         60 s",
        "  Ads          yes",
        "  Amount       2 displays",
        "  Impressions  12,000 a week",
      ),
      stderr: "",
    });
  });

  it("says what keeps a screen from spots", async () => {
    const spotloop = spotloopOf(await running());

    const museum = await spotloop(["screens", "get", "screen_museum"]);
    const archived = await spotloop(["screens", "update", "screen_demo", "--archived", "yes"]);

    expect(museum.stdout).toContain("No spots yet: location loc_museum is in REVIEW, and has to be APPROVED.");
    expect(archived.stdout).toBe(
      lines(
        "Screen screen_demo is updated.",
        "It is archived: no spots. spotloop screens update screen_demo --archived no",
      ),
    );
  });

  it.each<[string, string[], string[]]>([
    [
      "tomorrow",
      ["locations", "update", "loc_harbour", "--open", "tue-fri 08:00-20:00"],
      ["No ads now: location loc_harbour is closed until Tuesday 08:00 (Europe/Berlin)."],
    ],
    [
      "in an hour",
      // It is 9 o'clock in Berlin.
      ["locations", "update", "loc_harbour", "--open", "mon 10:00-20:00"],
      ["No ads now: location loc_harbour is closed until Monday 10:00 (Europe/Berlin)."],
    ],
    [
      "never",
      ["locations", "update", "loc_harbour", "--open", "never"],
      ["No ads now: location loc_harbour is closed at all hours."],
    ],
    ["at once", ["locations", "update", "loc_harbour", "--open", "mon 09:00-10:00"], []],
    [
      "and takes none",
      ["locations", "update", "loc_harbour", "--open", "fri 9-10", "--available-for-ads", "no"],
      [
        "No ads: spotloop locations update loc_harbour --available-for-ads yes",
        "No ads now: location loc_harbour is closed until Friday 09:00 (Europe/Berlin).",
      ],
    ],
  ])("says that there are no ads now, by the service's time: opens %s", async (_, change, said) => {
    const spotloop = spotloopOf(await running());
    await spotloop([...change, "--yes"]);

    const { stdout } = await spotloop(["screens", "get", "screen_demo"]);

    expect(stdout.split("\n").slice(9)).toEqual([...said, ""]);
  });

  it("says that there are no ads for a type that the location no longer has (B13)", async () => {
    const emulator = await running();
    const spotloop = spotloopOf(emulator);
    await spotloop(["locations", "update", "loc_harbour", "--venue-type", "102", "--yes"]);
    await fetch(`${emulator.controlUrl}/control/locations/loc_harbour/approve`, { method: "POST" });

    const { stdout } = await spotloop(["screens", "get", "screen_kiosk"]);

    expect(stdout).toContain(
      "\nNo ads: 10101 does not belong to the location's 102. spotloop screens update screen_kiosk --venue-type 102\n",
    );
  });

  it("says so where the location cannot be read", async () => {
    const emulator = await running();
    emulator.setFaults([{ match: { route: "location" }, do: { status: 500 } }]);

    const { code, stdout } = await spotloopOf(emulator)(["screens", "get", "screen_demo"]);

    expect(code).toBe(0);
    expect(stdout).toContain("\nLocation loc_harbour cannot be read: it may keep the screen from spots.\n");
  });

  it("updates, and clears what can be cleared", async () => {
    const spotloop = spotloopOf(await running());
    await spotloop(["screens", "create", ...DOOR, "--amount", "2"]);

    const updated = await spotloop(["screens", "update", "S1", "--loop", "90", "--size", "1080x1920", "--amount", ""]);
    const got = await spotloop(["screens", "get", "S1", "--json"]);

    expect(updated).toEqual({
      code: 0,
      stdout: lines("Screen S1 is updated."),
      stderr: lines("  size: 1920 -> 1080", "  size: 1080 -> 1920", "  loop: 60 -> 90", "  amount: 2 -> -"),
    });
    expect(JSON.parse(got.stdout)).toMatchObject({ loop_duration: 90, width: 1080, height: 1920, amount: null });
  });

  it("moves, and says what that does", async () => {
    const spotloop = spotloopOf(await running());

    const misfit = await spotloop(["screens", "move", "screen_kiosk", "loc_museum", "--yes"]);
    const moved = await spotloop(["screens", "move", "screen_kiosk", "loc_museum", "--venue-type", "801", "--yes"]);

    expect(misfit).toEqual({
      code: 65,
      stdout: "",
      stderr: lines(
        "--venue-type: 10101 is Arrival Hall (Airports); this screen needs 801 Recreational Locations, its location's, or a child of that",
      ),
    });
    expect(moved).toEqual({
      code: 0,
      stdout: lines(
        "Screen screen_kiosk is at loc_museum now.",
        "No spots yet: location loc_museum is in REVIEW, and has to be APPROVED.",
      ),
      stderr: lines(
        "  location: loc_harbour -> loc_museum",
        "  venue-type: 10101 -> 801",
        "This moves the screen from loc_harbour to loc_museum and sends loc_museum to REVIEW; campaigns may stop until it is approved.",
      ),
    });
  });

  it("shows the request instead of sending it", async () => {
    const emulator = await running();

    const shown = await spotloopOf(emulator)(["screens", "create", ...DOOR, "--dry-run", "--json"]);

    expect(JSON.parse(shown.stdout)).toEqual({
      method: "POST",
      url: `${emulator.baseUrl}/vendor/{org_token}/screens`,
      body: {
        ...{ screen_id: "S1", title: "Door", location_id: "loc_harbour", venue_type_id: "10101" },
        ...{ width: 1920, height: 1080, loop_duration: 60 },
      },
    });
    expect(emulator.calls().some(({ method }) => method === "POST")).toBe(false);
  });

  it.each([
    [
      "all that is missing or cannot be read",
      ["create", "--id", "S1", "--size", "19", "--loop", "0", "--amount", "two"],
      64,
      [
        "6 problems:",
        "  --size: must be a size such as 1920x1080",
        '  --amount: must be a number, and is "two"',
        "  --title: is missing",
        "  --location: is missing",
        "  --venue-type: is missing",
        "  --loop: must be a whole number from 1, and is 0",
      ],
    ],
    [
      "what breaks a rule",
      ["create", ...DOOR, "--venue-type", "401", "--loop", "1.5", "--imps-weekly", "-1"],
      65,
      [
        "3 problems:",
        "  --venue-type: 401 is Gyms; this screen needs 101 Airports, its location's, or a child of that",
        "  --loop: must be a whole number from 1, and is 1.5",
        "  --imps-weekly: must be a whole number from 0, and is -1",
      ],
    ],
    [
      "a location that is not there",
      ["create", ...DOOR, "--location", "none"],
      65,
      ["--location: there is no location none"],
    ],
    ["a move to nowhere", ["move", "screen_demo", "none"], 65, ["location: there is no location none"]],
    ["a screen that is not there", ["get", "none"], 65, ["There is no screen none in this organization."]],
    [
      "a taken identifier",
      ["create", ...DOOR, "--id", "screen_demo"],
      65,
      ["There is a screen screen_demo already; see it with: spotloop screens get screen_demo"],
    ],
    ["a move without a target", ["move", "screen_demo"], 64, ["error: missing required argument 'location'"]],
  ])("refuses %s", async (_, args, code, said) => {
    expect(await spotloopOf(await running())(["screens", ...args])).toEqual({
      code,
      stdout: "",
      stderr: lines(...said),
    });
  });
});
