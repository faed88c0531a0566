import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { VenueType } from "../../../src/core/inventory/rules.ts";
import type { Switches } from "../../../src/emulator/behaviour/switches.ts";
import { demoWorld } from "../../../src/emulator/world/demo.ts";
import { builtInVenueTypes } from "../../../src/emulator/world/venue-types.ts";
import { running } from "../../emulator/running.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { contrary, type Otherwise, withoutNulls, withStrangers } from "./contrary.ts";
import { type Spotloop, spotloopOf } from "./spotloop.ts";

const isWrite = (status: number, method: string) => method === "POST" && status < 300;

/** Says no more than it has to: writes are answered 204, errors have no body, what is unknown is not there. */
const terse: Otherwise = ({ status, body }, { method }) => {
  if (isWrite(status, method)) return { status: 204, body: undefined };
  return { body: status < 300 ? withoutNulls(body) : undefined };
};

/** Says more than it has to, in its own way: envelopes, HTML errors, other statuses for the same refusals. */
const wordy: Otherwise = ({ status, body }, { method }) => {
  if (isWrite(status, method)) return { status: 200, body: { data: body, ok: true } };
  if (status < 300) return { body: withStrangers(body) };
  const swapped = { 400: 422, 409: 400, 422: 400 }[status] ?? status;
  return { status: swapped, body: "<!doctype html><title>Error</title>" };
};

/** Accepts what is written and tells nothing but the identifier. */
const sparing: Otherwise = ({ status, body }, { method }) => {
  if (!isWrite(status, method)) return {};
  const { location_id, screen_id, id } = body as Record<string, unknown>;
  return { status: 202, body: { location_id, screen_id, id } };
};

/** Every switch on its other side, but those that the story cannot go on with. */
const switched: Partial<Switches> = {
  createStatus: 200,
  spotBadToken: 404,
  unknownFields: "reject",
  reviewWithoutFields: "allow",
  both: true,
  openingHours: "ignore",
  earlyPop: "refuse",
};

const GYM = ["--id", "L1", "--title", "Gym", "--venue-type", "401", "--open", "always"];
const PLACE = ["--lat", "52.5", "--long", "13.4", "--visitors", "1,2,3,4,5,6,7"];
const DOOR = [
  "--id",
  "S1",
  "--title",
  "Door",
  "--location",
  "L1",
  "--venue-type",
  "40101",
  "--size",
  "1x2",
  "--loop",
  "60",
];

/** What a vendor does with a new place, each step with what has to come of it. */
async function story(spotloop: Spotloop) {
  const file = join(temporaryFolder(), "screens.csv");
  writeFileSync(file, "id,title,location,venue-type,size,loop\nS1,Hall,L1,40101,1x2,60\nS2,Two,L1,401,1x2,60\n");
  const steps: [string[], number, string][] = [
    [
      ["locations", "create", ...GYM],
      0,
      "Location L1 is created: DRAFT.\nFor the review it lacks --lat, --long, --visitors.\n",
    ],
    [["locations", "create", ...GYM, "--title", "Other"], 65, "There is a location L1 already"],
    [["locations", "update", "L1", ...PLACE, "--phone", "1"], 0, "Location L1 is updated: REVIEW."],
    [["locations", "update", "L1", "--phone", ""], 0, "phone: 1 -> -"],
    [["locations", "submit", "L1"], 0, "Location L1 is so already; nothing was sent."],
    [["locations", "update", "L1", "--lat", "95", "--no-check"], 65, "The service refuses this (HTTP 4"],
    [["locations", "get", "L1"], 0, "  Open        always\n"],
    [["screens", "create", ...DOOR], 0, "Screen S1 is created at L1.\nNo spots yet: location L1 is in REVIEW"],
    [["screens", "create", ...DOOR, "--title", "Other"], 65, "There is a screen S1 already"],
    [["screens", "update", "S1", "--amount", "2"], 0, "Screen S1 is updated."],
    [["screens", "apply", file, "--yes"], 0, "created 1, updated 1, failed 0"],
    [["screens", "apply", file, "--yes"], 0, "2 screens: 0 to create, 0 to update, 2 as they are, 0 failed"],
    [["screens", "move", "S1", "loc_harbour", "--venue-type", "101", "--yes"], 0, "Screen S1 is at loc_harbour now."],
    [["screens", "get", "none"], 65, "There is no screen none in this organization."],
    [["cars", "get", "car_cinema"], 0, "  Advertiser  Meridian Pictures\n"],
    [
      ["cars", "reject", "car_cinema", "--reason", "CUSTOM", "--no-check", "--yes"],
      65,
      "The service refuses this (HTTP 4",
    ],
    [["cars", "reject", "car_cinema", "--reason", "FILTER", "--yes"], 0, "CAR car_cinema is rejected (FILTER)."],
    [
      ["cars", "reject", "car_cinema", "--reason", "FILTER", "--no-check", "--yes"],
      65,
      "The service refuses this (HTTP 4",
    ],
  ];
  for (const [args, code, said] of steps) {
    const ended = await spotloop(args);
    expect({ args, code: ended.code, said: ended.stdout + ended.stderr }).toEqual({
      args,
      code,
      said: expect.stringContaining(said),
    });
  }
}

const HARM = "\u001b[2J\u009b31m\u202e";
const DENIED = { detail: HARM, errors: [{ field: `x${HARM}`, message: HARM }] };

/** JSON with what a terminal would obey in each text that is not one of a few. */
function spoiltIn(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((entry) => spoiltIn(entry, name));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, spoiltIn(member, key)]));
  }
  return typeof value === "string" && !["status", "rejection_reasons", "timezone"].includes(name)
    ? value + HARM
    : value;
}

describe("every command", () => {
  it.each([
    ["says as little as it may", terse],
    ["says everything in its own way", wordy],
    ["tells only identifiers of what is written", sparing],
  ] as const)("comes to the same with a service that %s", async (_, otherwise) => {
    await story(spotloopOf(await contrary(await running(), otherwise)));
  });

  it("comes to the same with every switch on its other side", async () => {
    await story(spotloopOf(await running({ world: { ...demoWorld(), behaviour: switched } })));
  });

  it("says so when screens are refused on a location that is not approved (C1)", async () => {
    const behaviour = { screenOnUnapproved: "refuse" } as const;
    const spotloop = spotloopOf(await running({ world: { ...demoWorld(), behaviour } }));

    const refused = await spotloop(["screens", "create", ...DOOR, "--location", "loc_museum", "--venue-type", "801"]);

    expect([refused.code, refused.stderr]).toEqual([
      65,
      "The service refuses this (HTTP 422): --location: the location is in REVIEW\n",
    ]);
  });

  it("submits a draft that lacks fields where the service allows it (B4)", async () => {
    const spotloop = spotloopOf(await running({ world: { ...demoWorld(), behaviour: switched } }));
    await spotloop(["locations", "create", "--id", "L1", "--title", "Gym"]);

    const submitted = await spotloop(["locations", "submit", "L1", "--no-check"]);

    expect(submitted.stdout).toContain("Location L1 is updated: REVIEW.");
  });

  it.each([
    [401, 77],
    [403, 77],
    [404, 65],
  ])("ends with a service that answers a wrong token with %i by %i", async (status, code) => {
    const spotloop = spotloopOf(await contrary(await running(), () => ({ status, body: undefined })));

    const ended = [await spotloop(["screens", "get", "screen_demo"]), await spotloop(["venue-types"])];

    expect(ended.map((one) => one.code)).toEqual([code, code]);
  });

  it("takes identifiers of other kinds", async () => {
    const location = { location_id: "Berlin/Gym 1 ü", title: "Gym", status: "DRAFT", opening_168: [true], lat: "52" };
    const asked: string[] = [];
    const odd: Otherwise = (_, { path }) => {
      asked.push(path);
      return { status: 200, body: location };
    };

    const got = await spotloopOf(await contrary(await running(), odd))([
      "locations",
      "get",
      "Berlin/Gym 1 ü",
      "--json",
    ]);

    expect(asked).toEqual(["/vendor/org_demo/locations/Berlin%2FGym%201%20%C3%BC"]);
    // What cannot be read of it is as good as not told.
    expect(JSON.parse(got.stdout)).toMatchObject({ location_id: "Berlin/Gym 1 ü", opening_168: null, lat: null });
  });

  it("takes venue types of another scheme", async () => {
    const type = (id: string, label: string, parent_id: string | null, level: 1 | 2 | 3): Partial<VenueType> => {
      return { id, label, level, ...(parent_id === null ? {} : { parent_id }) };
    };
    const types = [
      ...[type("fun", "Fun", null, 1), type("bar", "Bars", "fun", 2), type("bar.door", "Door", "bar", 3)],
      { id: 5, level: 9 },
    ];
    const scheme: Otherwise = (_, { path }) => (path.endsWith("/venue_types") ? { body: types } : {});
    const spotloop = spotloopOf(
      await contrary(await running({ venueTypes: [...builtInVenueTypes().values()] }), scheme),
    );

    const found = await spotloop(["venue-types", "search", "door"]);
    const refused = await spotloop(["locations", "create", "--title", "A", "--venue-type", "bar.door"]);

    expect(found.stdout).toContain("bar.door  3      Door (Bars)  screen\n");
    expect(refused.stderr).toBe(
      "--venue-type: bar.door is Door (Bars), on level 3; a location takes one of level 2, such as bar Bars\n",
    );
  });

  it("shows what a service says as text, whatever else that would do to a terminal", async () => {
    const spoilt: Otherwise = ({ body }, { path }) => ({ body: path.includes("/none") ? DENIED : spoiltIn(body) });
    const spotloop = spotloopOf(await contrary(await running(), spoilt));
    const commands = [
      ["venue-types"],
      ["venue-types", "tree"],
      ["locations", "get", "loc_harbour"],
      ["locations", "update", "loc_harbour", "--title", "A"],
      ["screens", "get", "screen_demo"],
      ["screens", "update", "screen_demo", "--loop", "61", "--no-check"],
      ["cars", "get", "car_cinema"],
      ["cars", "reject", "car_cinema", "--reason", "FILTER", "--yes"],
      ["locations", "create", "--title", "A", "--id", "none", "--no-check"],
      ["locations", "update", "none", "--title", "A", "--no-check"],
    ];

    for (const args of commands) {
      const { stdout, stderr } = await spotloop(args);
      const harms = [...HARM].filter((one) => !/\w|\[/.test(one) && (stdout + stderr).includes(one));
      expect({ args, harms }).toEqual({ args, harms: [] });
    }
  });

  it("goes on without venue types where a service does not list them", async () => {
    const without: Otherwise = (_, { path }) => (path.endsWith("/venue_types") ? { status: 405, body: undefined } : {});
    const spotloop = spotloopOf(await contrary(await running(), without));

    expect((await spotloop(["locations", "create", ...GYM])).code).toBe(0);
    expect((await spotloop(["locations", "get", "L1"])).stdout).toContain("  Venue type  401\n");
    expect((await spotloop(["locations", "create", "--title", "A", "--venue-type", "4"])).stderr).toContain(
      "The service refuses this (HTTP 422): --venue-type: must be a venue type of level 2",
    );
  });
});
