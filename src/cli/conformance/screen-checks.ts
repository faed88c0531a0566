import { screenSchema } from "../../wire/inventory.ts";
import { type Check, fits, has, hasStatus, succeeded, unchanged } from "./check.ts";
import { createScreen, freshLocation, freshScreen, readLocation } from "./scenery.ts";
import type { Reply, Subject } from "./subject.ts";

/** What is checked of screens against an emulator. */
export const screenChecks: readonly Check[] = [
  {
    id: "Create a Screen",
    name: "has every field, with the contract's defaults",
    basis: "contract",
    run: async (subject) => {
      const { screen_id, location_id } = await freshScreen(subject, "APPROVED");
      const reply = await read(subject, screen_id);
      const defaults = { archived: false, available_for_ads: true };
      return [
        ...hasStatus(reply, 200),
        ...fits(reply.body, screenSchema),
        ...has(reply.body, { location_id, ...defaults }),
      ];
    },
  },
  ...["screen_id", "title", "venue_type_id", "location_id", "width", "height", "loop_duration"].map(
    (field): Check => ({
      id: "Create a Screen",
      name: `needs ${field}`,
      basis: "contract",
      run: async (subject) => {
        const location_id = await freshLocation(subject, "APPROVED");
        return hasStatus(await createScreen(subject, location_id, { [field]: undefined }), 400, 422);
      },
    }),
  ),
  {
    id: "Create a Screen",
    name: "its venue type may be a child of the location's, and no other",
    basis: "contract",
    run: async (subject) => {
      const id = await freshLocation(subject, "APPROVED");
      const types = ["80701", "807", "801", "80101", "8"];
      const replies = await Promise.all(types.map((venue_type_id) => createScreen(subject, id, { venue_type_id })));
      return replies.flatMap((reply, index) => {
        return hasStatus(reply, ...(index < 2 ? [200, 201] : [400, 422])).map((line) => `${types[index]}: ${line}`);
      });
    },
  },
  {
    id: "Create a Screen",
    name: "its location must be there",
    basis: "contract",
    run: async (subject) => hasStatus(await createScreen(subject, subject.fresh("loc")), 400, 404, 422),
  },
  {
    id: "C1",
    name: "can be created before its location is approved",
    basis: "reading",
    run: async (subject) => succeeded(await createScreen(subject, await freshLocation(subject, "REVIEW"))),
  },
  {
    id: "C2",
    name: "a move sends the new location to REVIEW and leaves the old one",
    basis: "reading",
    run: async (subject) => {
      const { screen_id, location_id } = await freshScreen(subject, "APPROVED");
      const other = await freshLocation(subject, "APPROVED");
      await change(subject, screen_id, { location_id: other });
      const [old, moved] = [await readLocation(subject, location_id), await readLocation(subject, other)];
      return [...has(old.body, { status: "APPROVED" }), ...has(moved.body, { status: "REVIEW" })];
    },
  },
  {
    id: "C3",
    name: "a screen_id that is taken is 409",
    basis: "reading",
    run: async (subject) => {
      const { screen_id, location_id } = await freshScreen(subject, "APPROVED");
      return hasStatus(await createScreen(subject, location_id, { screen_id }), 409);
    },
  },
  {
    id: "C6",
    name: "a width of 0 or of 1.5 is 400, and changes nothing",
    basis: "reading",
    run: async (subject) => {
      const { screen_id } = await freshScreen(subject, "APPROVED");
      const before = await read(subject, screen_id);
      const replies = [
        await change(subject, screen_id, { width: 0 }),
        await change(subject, screen_id, { width: 1.5 }),
      ];
      return [
        ...replies.flatMap((reply) => hasStatus(reply, 400)),
        ...unchanged(before, await read(subject, screen_id)),
      ];
    },
  },
  {
    id: "Update a Screen",
    name: "changes what is sent and nothing else",
    basis: "contract",
    run: async (subject) => {
      const { screen_id } = await freshScreen(subject, "APPROVED");
      const { body: before } = await read(subject, screen_id);
      await change(subject, screen_id, { title: "Renamed" });
      return has((await read(subject, screen_id)).body, { ...screenSchema.parse(before), title: "Renamed" });
    },
  },
];

function read(subject: Subject, screen_id: string): Promise<Reply> {
  return subject.ask("screen", { screen_id });
}

function change(subject: Subject, screen_id: string, body: object): Promise<Reply> {
  return subject.ask("screen", { screen_id }, { method: "POST", body });
}
