import { describe, expect, it } from "vitest";
import { creativesDir, packagedCreatives } from "../../../src/emulator/world/creatives.ts";
import { demoWorld } from "../../../src/emulator/world/demo.ts";
import { readWorld } from "../../../src/emulator/world/read.ts";
import { builtInVenueTypes } from "../../../src/emulator/world/venue-types.ts";
import { smallWorld } from "../running.ts";

const packaged = packagedCreatives(creativesDir());

describe("a world file", () => {
  it("may be as small as an organization with a screen", () => {
    const [organization] = smallWorld().organizations;
    const { locations, screens } = organization ?? {};

    const reading = readWorld({ organizations: [{ org_token: "o", locations, screens }] }, packaged);

    expect(reading).toMatchObject({ kind: "world", world: { news: [], creatives: [], rateLimits: [] } });
  });

  it("is read the same from what reading it gave", () => {
    const once = readWorld(demoWorld(), packaged);
    if (once.kind === "bad") throw new Error(JSON.stringify(once.problems));

    expect(readWorld(JSON.parse(JSON.stringify(once.world)), packaged)).toEqual(once);
  });

  it("A16 has its instants in UTC with milliseconds and Z, however it writes them", () => {
    const [first, ...others] = smallWorld().organizations;
    const cars = first?.cars?.map((car) => ({ ...car, created_on: "2026-01-05T09:00:00Z" }));

    const reading = readWorld({ organizations: [{ ...first, cars }, ...others] }, packaged);

    expect(reading).toMatchObject({
      world: { organizations: [{ cars: [{ created_on: "2026-01-05T09:00:00.000Z" }] }, {}] },
    });
  });

  it("can bring creatives of its own, and have them shown", () => {
    const own = {
      name: "own",
      title: "Own",
      mimeType: "image/png",
      width: 1,
      height: 1,
      duration: 1000,
      url: "https://x/x.png",
    };

    const reading = readWorld({ ...smallWorld(), creatives: [own], news: [{ creative: "own" }] }, packaged);

    expect(reading.kind).toBe("world");
  });

  it("is told which key was meant", () => {
    const { organizations } = smallWorld();
    const reading = readWorld({ organisations: [], organizations: [{ ...organizations[0], screeens: [] }] }, packaged);

    expect(reading.kind === "bad" && reading.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'organizations[0]: Unrecognized key: "screeens" (did you mean "screens"?)',
      '(the whole file): Unrecognized key: "organisations" (did you mean "organizations"?)',
    ]);
  });

  it("comes with all its mistakes and where they are, whatever kind they are of", () => {
    const reading = readWorld(
      {
        organisations: [],
        organizations: [
          {
            org_token: "with space",
            locations: [
              { location_id: "l", title: "L", lat: 91, opening_168: [true], timezone: "Mars/Olympus" },
              { location_id: "l", title: "L", status: "OPEN" },
            ],
            screens: [{ screen_id: "s", title: "S", venue_type_id: "1", location_id: "nowhere", width: 0 }],
            cars: [{ car_id: "c", advertiser_name: "A", campaign_name: "C", creative: "nothing" }],
            campaigns: [{ campaign_id: "k", car_id: "unknown", screens: ["s", "t"] }],
          },
        ],
        news: [{ creative: "none" }, "news-transit"],
        rateLimits: [{ per: "day", calls: 1, seconds: 1 }],
      },
      packaged,
    );

    const paths = reading.kind === "bad" ? reading.problems.map(({ path }) => path) : [];
    expect(paths.toSorted()).toEqual([
      "(the whole file)",
      "news[0].creative",
      "news[1]",
      "organizations[0].campaigns[0].car_id",
      "organizations[0].campaigns[0].screens[1]",
      "organizations[0].cars[0].creative",
      "organizations[0].locations[0].lat",
      "organizations[0].locations[0].opening_168",
      "organizations[0].locations[0].timezone",
      "organizations[0].locations[1].location_id",
      "organizations[0].locations[1].status",
      "organizations[0].org_token",
      "organizations[0].screens[0].location_id",
      "organizations[0].screens[0].width",
      "rateLimits[0].per",
    ]);
  });

  it.each([null, [], "world", 7, {}])("is refused when it is %j", (content) => {
    expect(readWorld(content, packaged).kind).toBe("bad");
  });

  it("names the locations whose venue type is not one of level 2", () => {
    const [first] = smallWorld().organizations;
    const place = { location_id: "l", title: "L" };
    const locations = [
      { ...place, venue_type_id: "807" },
      { ...place, location_id: "m", venue_type_id: "80701" },
      { ...place, location_id: "n", venue_type_id: "4711" },
      { ...place, location_id: "loc_a" },
    ];

    const reading = readWorld({ organizations: [{ ...first, locations }] }, packaged, builtInVenueTypes());

    expect(reading).toEqual({
      kind: "bad",
      problems: [
        { path: "organizations[0].locations[1].venue_type_id", message: "80701 is no venue type of level 2" },
        { path: "organizations[0].locations[2].venue_type_id", message: "4711 is no venue type of level 2" },
      ],
    });
  });

  it.each([
    [{ behaviour: { createStatus: 202 } }, "behaviour.createStatus"],
    [{ behaviour: { colour: "red" } }, "behaviour"],
    [{ autoApprove: { carsMs: -1 } }, "autoApprove.carsMs"],
  ])("is refused with %j", (more, path) => {
    const reading = readWorld({ ...smallWorld(), ...more }, packaged);

    expect(reading.kind === "bad" && reading.problems.map((problem) => problem.path)).toEqual([path]);
  });

  it("needs a screen somewhere", () => {
    const reading = readWorld({ organizations: [{ org_token: "o" }] }, packaged);

    expect(reading).toEqual({
      kind: "bad",
      problems: [{ path: "organizations", message: "no organization has a screen" }],
    });
  });
});

describe("the demo world", () => {
  it("has a screen on an approved location, locations under way, and CARs of every status", () => {
    const reading = readWorld(demoWorld(), packaged);
    if (reading.kind === "bad") throw new Error(JSON.stringify(reading.problems));
    const [organization] = reading.world.organizations;

    expect(organization?.org_token).toBe("org_demo");
    expect(organization?.screens[0]).toMatchObject({ screen_id: "screen_demo", width: 1920, height: 1080 });
    expect(organization?.locations.map(({ status }) => status)).toEqual(["APPROVED", "REVIEW", "DRAFT"]);
    expect(new Set(organization?.cars.map(({ status }) => status))).toEqual(
      new Set(["approved", "pending", "rejected"]),
    );
  });
});
