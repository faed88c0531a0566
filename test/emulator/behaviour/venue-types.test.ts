import { describe, expect, it } from "vitest";
import { venueTypeName } from "../../../src/core/inventory/rules.ts";
import { builtInVenueTypes, readVenueTypes } from "../../../src/emulator/world/venue-types.ts";
import { vendor } from "./venue.ts";

interface VenueType {
  readonly id: string;
  readonly parent_id: string | null;
  readonly level: number;
  readonly selectable: boolean;
}

describe("the venue types", () => {
  it("D1 are a three-level tree of at least 11, 40 and 50, numbered so that a parent is two digits shorter", async () => {
    const { get } = await vendor();

    const { status, headers, body } = await get("/venue_types");
    const types: VenueType[] = body;
    const ids = new Set(types.map(({ id }) => id));
    const count = (level: number) => types.filter((type) => type.level === level).length;

    expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
    expect(count(1)).toBeGreaterThanOrEqual(11);
    expect(count(2)).toBeGreaterThanOrEqual(40);
    expect(count(3)).toBeGreaterThanOrEqual(50);
    expect(ids.size).toBe(types.length);
    for (const { id, parent_id, level, selectable } of types) {
      expect(selectable).toBe(level !== 1);
      expect(parent_id).toBe(level === 1 ? null : id.slice(0, -2));
      if (parent_id !== null) expect(ids).toContain(parent_id);
    }
  });

  it("D1 have every key of the contract", async () => {
    const { get } = await vendor();
    const { body } = await get("/venue_types");

    expect(body.find(({ id }: VenueType) => id === "101")).toEqual({
      label: "Airports",
      id: "101",
      parent_id: "1",
      level: 2,
      selectable: true,
      description: expect.any(String),
    });
    for (const type of body) {
      expect(Object.keys(type)).toEqual(["label", "id", "parent_id", "level", "selectable", "description"]);
    }
  });

  it("D1 can be others", async () => {
    const venueTypes = [
      { label: "Places", id: "p", parent_id: null, level: 1, selectable: false, description: null },
      { label: "Kiosk", id: "k", parent_id: "p", level: 2, selectable: true, description: null },
    ];
    const place = { location_id: "loc_k", title: "Kiosk", venue_type_id: "k" };
    const screen = { screen_id: "s", title: "S", venue_type_id: "k", location_id: "loc_k" };
    const organization = { org_token: "org_a", locations: [place], screens: [screen] };
    const { get, post } = await vendor({ venueTypes, world: { organizations: [organization] } });

    expect((await get("/venue_types")).body).toEqual(venueTypes);
    expect((await post("/locations", { title: "K", venue_type_id: "k" })).status).toBe(201);
    expect((await post("/locations", { title: "K", venue_type_id: "101" })).status).toBe(422);
  });

  it("D1 are refused with all their mistakes", () => {
    const type = { label: "X", description: null };
    const reading = readVenueTypes([
      { ...type, id: "1", parent_id: null, level: 1, selectable: true },
      { ...type, id: "101", parent_id: "9", level: 2, selectable: true },
      { ...type, id: "101", parent_id: "1", level: 3, selectable: true },
    ]);

    expect(reading).toEqual({
      kind: "bad",
      problems: [
        { path: "[0].selectable", message: "is true for levels 2 and 3 only" },
        { path: "[1].parent_id", message: "there is no venue type 9" },
        { path: "[2].id", message: "101 is there already" },
        { path: "[2].parent_id", message: "must be of level 2, which this one's is not" },
      ],
    });
  });

  it.each([null, [], {}, "venues", [{ id: "1" }]])("D1 are refused when they are %j", (content) => {
    expect(readVenueTypes(content).kind).toBe("bad");
  });

  it("D1 can be read from what they are answered as", async () => {
    const { get } = await vendor();

    expect(readVenueTypes((await get("/venue_types")).body)).toEqual({ kind: "tree", tree: builtInVenueTypes() });
  });

  it("D2 are shown to people with their parent where a label repeats", async () => {
    const tree = builtInVenueTypes();
    const lobbies = [...tree.values()]
      .filter(({ label }) => label === "Lobby")
      .map(({ id }) => venueTypeName(tree, id));
    const { control } = await vendor();

    expect(lobbies.length).toBeGreaterThan(1);
    expect(new Set(lobbies).size).toBe(lobbies.length);
    expect([venueTypeName(tree, "80701"), venueTypeName(tree, "807")]).toEqual(["Lobby (Hotels)", "Hotels"]);
    expect((await control("GET", "/screens?org_token=org_a")).body[0].venue_type).toBe("Lobby (Hotels)");
  });
});
