import { describe, expect, it } from "vitest";
import { running } from "../../emulator/running.ts";
import { contrary, type Otherwise } from "./contrary.ts";
import { lines, spotloopOf } from "./spotloop.ts";

describe("spotloop venue-types", () => {
  it("finds types by a word, and tells equal labels apart (D2)", async () => {
    const spotloop = spotloopOf(await running());

    expect(await spotloop(["venue-types", "search", "gym"])).toEqual({
      code: 0,
      stdout: lines(
        "ID     LEVEL  NAME                      FOR",
        "401    2      Gyms                      location, screen",
        "40101  3      Lobby (Gyms)              screen",
        "40102  3      Fitness Equipment (Gyms)  screen",
      ),
      stderr: "",
    });
    const found = await spotloop(["venue-types", "search", "gym", "--json"]);
    expect(JSON.parse(found.stdout)).toMatchObject([{ id: "401" }, { id: "40101" }, { id: "40102" }]);
    expect(await spotloop(["venue-types", "search", "nothing like it"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "No venue type has that.\n",
    });
  });

  it("waits for a few seconds where the service asks for that (A14)", async () => {
    let calls = 0;
    const limited: Otherwise = () => (calls++ === 0 ? { status: 429, body: undefined, retryAfter: "1" } : {});
    const spotloop = spotloopOf(await contrary(await running(), limited));

    expect(await spotloop(["venue-types", "search", "gyms"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("401"),
      stderr: "The service asks to wait 1 s.\n",
    });
  });

  it("lists them all, no line wider than a terminal, and as a tree", async () => {
    const spotloop = spotloopOf(await running());

    const list = await spotloop(["venue-types"]);
    const tree = await spotloop(["venue-types", "tree"]);

    const widest = Math.max(...list.stdout.split("\n").map((line) => line.length));
    expect(list.stdout).toContain("\n1       1      Transit ");
    expect(widest).toBeLessThanOrEqual(80);
    expect(tree.stdout.split("\n").slice(0, 3)).toEqual(["1 Transit", "  101 Airports", "    10101 Arrival Hall"]);
  });

  it.each([
    [41, "👩‍👧…"],
    [42, "…"],
  ])("cuts a long name between the characters that people see, after %i of one column", async (count, end) => {
    const emulator = await running();
    const label = `${"a".repeat(count)}👩‍👧 and more of it`;
    const type = { id: "1", label, parent_id: null, level: 1, selectable: false, description: null };
    emulator.setFaults([{ match: { route: "venueTypes" }, do: { status: 200, body: [type] } }]);

    const list = await spotloopOf(emulator)(["venue-types"]);

    expect(list.stdout.split("\n")[1]).toMatch(new RegExp(`^1   1      a{${count}}${end} +-$`, "u"));
  });

  it("asks the service once a day, unless told to refresh", async () => {
    const emulator = await running();
    const spotloop = spotloopOf(emulator);
    const asked = () => emulator.calls().filter(({ route }) => route === "venueTypes").length;

    await spotloop(["venue-types", "--json"]);
    await spotloop(["venue-types", "search", "gym"]);
    expect(asked()).toBe(1);

    await spotloop(["venue-types", "tree", "--refresh"]);
    expect(asked()).toBe(2);
  });

  it("does not take a type for unknown because the cache is old", async () => {
    const emulator = await running();
    const spotloop = spotloopOf(emulator);
    emulator.setFaults([{ match: { route: "venueTypes" }, times: 1, do: { status: 200, body: [] } }]);
    await spotloop(["venue-types"]);

    const created = await spotloop(["locations", "create", "--id", "L1", "--title", "Gym", "--venue-type", "401"]);

    expect(created.code).toBe(0);
  });
});
