import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { switches, switchNames } from "../../../src/emulator/behaviour/switches.ts";
import { behaviours, behaviourTable } from "../../../src/emulator/behaviour/table.ts";
import { vendor, venueWorld } from "./venue.ts";

const root = `${import.meta.dirname}/../../..`;

/** How many rows each section has. */
const SECTIONS = { A: 21, B: 19, C: 7, D: 2, E: 9, F: 21 };
const ids = Object.entries(SECTIONS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
);

/** The ids at the beginning of a test's title, as in "A10, A11 ignores …". */
function namedIn(text: string): string[] {
  return [...text.matchAll(/["'`]((?:[A-F]\d+, )*[A-F]\d+) /g)].flatMap(([, named = ""]) => named.split(", "));
}

describe("the table of behaviours", () => {
  it("has every row from A1 to F21, in order", () => {
    expect(behaviours.map(({ id }) => id)).toEqual(ids);
  });

  it("has a test named after every row", () => {
    const tests = globSync("test/emulator/**/*.test.ts", { cwd: root });
    const named = new Set(tests.flatMap((file) => namedIn(readFileSync(`${root}/${file}`, "utf8"))));

    expect(ids.filter((id) => !named.has(id))).toEqual([]);
  });

  it("has every switch in the row that says more about it, and nowhere else", () => {
    const rows = behaviours.filter((row) => row.switch !== undefined);

    expect(Object.fromEntries(rows.map((row) => [row.switch, row.id]))).toEqual(
      Object.fromEntries(switchNames.map((name) => [name, switches[name].row])),
    );
  });

  it("is in the docs as it is (node scripts/make-behaviour-table.ts)", () => {
    const page = readFileSync(`${root}/docs/emulator-behaviour.md`, "utf8");

    // Not `toContain`, which would print the whole of it.
    expect(page.includes(`<!-- behaviours -->\n${behaviourTable()}<!-- /behaviours -->`)).toBe(true);
  });
});

describe("the switches over HTTP", () => {
  it("are listed with the contract's words, the default and the alternatives, beside the whole table", async () => {
    const { control } = await vendor();

    const { status, body } = await control("GET", "/behaviour");

    expect(status).toBe(200);
    expect(body.switches.spotBadToken).toEqual({
      value: 401,
      default: 401,
      alternatives: [404],
      id: "A5",
      contract: "An invalid or missing org_token on the reject operation yields 401.",
      answer: "401 on every endpoint, the spot's included.",
    });
    expect(Object.keys(body.switches)).toEqual([
      "createStatus",
      "spotBadToken",
      "unknownFields",
      "reviewWithoutFields",
      "screenOnUnapproved",
      "both",
      "openingHours",
      "earlyPop",
    ]);
    expect(body.behaviours).toEqual(behaviours);
  });

  it("are set one by one, and stay so until they are set again", async () => {
    const { control, post } = await vendor();

    const set = await control("PATCH", "/behaviour", { createStatus: 200 });
    const [first, second] = [await post("/locations", { title: "T" }), await post("/locations", { title: "T" })];
    await control("PATCH", "/behaviour", { createStatus: 201, both: true });

    expect([set.status, set.body.switches.createStatus.value, set.body.switches.both.value]).toEqual([200, 200, false]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await post("/locations", { title: "T" })).status).toBe(201);
  });

  it.each([{ createStatus: 202 }, { createStatus: "200" }, { both: "yes" }, { colour: "red" }, [], "x"])(
    "are refused as a whole with %j",
    async (body) => {
      const { control } = await vendor();
      const before = await control("GET", "/behaviour");

      const refused = await control(
        "PATCH",
        "/behaviour",
        Array.isArray(body) ? body : { earlyPop: "refuse", ...Object(body) },
      );

      expect(refused.status).toBe(400);
      expect((await control("GET", "/behaviour")).body).toEqual(before.body);
    },
  );

  it("begin as the world says, and a reset brings that back", async () => {
    const { control } = await vendor({ world: venueWorld({ behaviour: { earlyPop: "refuse" } }) });
    const value = async () => (await control("GET", "/behaviour")).body.switches.earlyPop.value;
    const before = await value();
    await control("PATCH", "/behaviour", { earlyPop: "accept" });
    const between = await value();
    await control("POST", "/reset");

    expect([before, between, await value()]).toEqual(["refuse", "accept", "refuse"]);
  });
});
