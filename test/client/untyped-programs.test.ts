import { describe, expect, it } from "vitest";
import type { NewLocation, NewRejection } from "../../src/client/checks.ts";
import { VendorClient } from "../../src/client/vendor-client.ts";
import type { Emulator } from "../../src/emulator/main.ts";
import type { LocationChange } from "../../src/wire/inventory.ts";
import { running } from "../emulator/running.ts";

const clientOf = ({ baseUrl }: Emulator) => new VendorClient({ baseUrl, orgToken: "org_demo" });

/** What is sent here the types forbid. */
describe("a program in JavaScript", () => {
  it("is told which fields of a draft that it read cannot be sent back empty", async () => {
    const client = clientOf(await running());
    await client.createLocation({ location_id: "L1", title: "Draft" });
    const read = await client.getLocation("L1");
    if (read.kind !== "ok") throw new Error("there is no draft");
    const change = { ...read.value, title: "New" } as unknown as LocationChange;

    expect(await client.updateLocation("L1", change)).toMatchObject({
      kind: "invalid",
      status: null,
      fields: expect.arrayContaining([{ field: "opening_168", message: "must not be null" }]),
    });
  });

  it.each([
    [{ title: 5, location_id: 5 }, ["location_id", "title"]],
    [{ title: "A", lat: "52.5", opening_168: "always", visitors_7: 7 }, ["lat", "opening_168", "visitors_7"]],
    [{ title: null, lat: null }, ["title", "lat"]],
  ])("is told what is of the wrong kind in %j", async (creation, fields) => {
    const created = await clientOf(await running()).createLocation(creation as unknown as NewLocation);

    expect(created).toMatchObject({ kind: "invalid", status: null });
    expect(created.kind === "invalid" && created.fields.map(({ field }) => field)).toEqual(fields);
  });

  it.each([
    [{}, "rejection_reasons"],
    [{ rejection_reasons: "FILTER" }, "rejection_reasons"],
    [{ rejection_reasons: ["CUSTOM"], custom_message: 5 }, "custom_message"],
  ])("is told what is wrong with the rejection %j", async (rejection, field) => {
    const client = clientOf(await running());

    expect(await client.rejectApproval("car_cinema", rejection as unknown as NewRejection)).toMatchObject({
      kind: "invalid",
      status: null,
      fields: [{ field }],
    });
  });

  it("finds what a number names", async () => {
    const client = clientOf(await running());
    await client.createLocation({ location_id: "5", title: "Fifth" });

    expect(await client.getLocation(5 as unknown as string)).toMatchObject({ kind: "ok", value: { title: "Fifth" } });
  });

  it.each([undefined, null])("asks for no object called %j", async (id) => {
    const emulator = await running();
    const answered = await clientOf(emulator).getScreen(id as unknown as string);

    expect(answered).toMatchObject({ kind: "invalid", status: null, fields: [{ field: "screen_id" }] });
    expect(emulator.calls()).toEqual([]);
  });
});
