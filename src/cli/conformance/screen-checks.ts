import { screenSchema } from "../../wire/inventory.ts";
import {
  type Check,
  contractLocation,
  contractScreen,
  fits,
  has,
  hasStatus,
  refused,
  succeeded,
  unchanged,
} from "./check.ts";
import { createScreen, freshLocation, freshScreen, type Reply, readLocation, type Subject } from "./subject.ts";

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
        ...succeeded(reply),
        ...fits(reply.body, contractScreen),
        ...has(reply.body, { location_id, ...defaults }),
      ];
    },
  },
  {
    id: "C7",
    name: "amount and imps_weekly are null until they are set",
    basis: "reading",
    run: async (subject) => {
      const { body } = await read(subject, (await freshScreen(subject, "APPROVED")).screen_id);
      return [...fits(body, screenSchema), ...has(body, { amount: null, imps_weekly: null })];
    },
  },
  ...["screen_id", "title", "venue_type_id", "location_id", "width", "height", "loop_duration"].flatMap(
    (field): readonly Check[] => {
      const without = async (subject: Subject) =>
        createScreen(subject, await freshLocation(subject, "APPROVED"), { [field]: undefined });
      return [
        {
          id: "Create a Screen",
          name: `needs ${field}`,
          basis: "contract",
          run: async (subject) => refused(await without(subject)),
        },
        {
          id: "A7",
          name: `a screen without ${field} is 400`,
          basis: "reading",
          run: async (subject) => hasStatus(await without(subject), 400),
        },
      ];
    },
  ),
  {
    id: "Create a Screen",
    name: "its venue type is the location's or a child of it, and no other",
    basis: "contract",
    run: async (subject) => [
      ...(await ofTypes(subject, ["80701", "807"], succeeded)),
      ...(await ofTypes(subject, OUTSIDE, refused)),
    ],
  },
  {
    id: "A7",
    name: "a screen of a venue type outside its location's is 422",
    basis: "reading",
    run: (subject) => ofTypes(subject, OUTSIDE, (reply) => hasStatus(reply, 422)),
  },
  {
    id: "Create a Screen",
    name: "its location must be there",
    basis: "contract",
    run: async (subject) => refused(await createScreen(subject, subject.fresh("loc"))),
  },
  {
    id: "A7",
    name: "a screen at a location that is not there is 422",
    basis: "reading",
    run: async (subject) => hasStatus(await createScreen(subject, subject.fresh("loc")), 422),
  },
  {
    id: "C1",
    name: "can be created before its location is approved",
    basis: "reading",
    run: async (subject) => succeeded(await createScreen(subject, await freshLocation(subject, "REVIEW"))),
  },
  {
    id: "Location status",
    name: "a move sends a location to REVIEW",
    basis: "contract",
    run: async (subject) => {
      const locations = Object.values(await moved(subject));
      return locations.some(({ status }) => status === "REVIEW") ? [] : ["neither of the two locations is in REVIEW"];
    },
  },
  {
    id: "C2",
    name: "a move sends the new location to REVIEW and leaves the old one",
    basis: "reading",
    run: async (subject) => {
      const { old, other } = await moved(subject);
      return [...has(old, { status: "APPROVED" }), ...has(other, { status: "REVIEW" })];
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
      return has((await read(subject, screen_id)).body, { ...contractScreen.parse(before), title: "Renamed" });
    },
  },
];

/** None of them the type of the location of these checks, nor a child of it. */
const OUTSIDE = ["801", "80101", "8"];

/** What is wrong with the answers to screens of these venue types, each at a location of 807. */
async function ofTypes(
  subject: Subject,
  types: readonly string[],
  judged: (reply: Reply) => readonly string[],
): Promise<string[]> {
  const id = await freshLocation(subject, "APPROVED");
  const problems = types.map(async (venue_type_id) => {
    const reply = await createScreen(subject, id, { venue_type_id });
    return judged(reply).map((line) => `${venue_type_id}: ${line}`);
  });
  return (await Promise.all(problems)).flat();
}

/** Both locations after a screen has moved from one to the other. */
async function moved(subject: Subject) {
  const { screen_id, location_id } = await freshScreen(subject, "APPROVED");
  const destination = await freshLocation(subject, "APPROVED");
  await change(subject, screen_id, { location_id: destination });
  const [old, other] = [await readLocation(subject, location_id), await readLocation(subject, destination)];
  return { old: contractLocation.parse(old.body), other: contractLocation.parse(other.body) };
}

function read(subject: Subject, screen_id: string): Promise<Reply> {
  return subject.ask("screen", { screen_id });
}

function change(subject: Subject, screen_id: string, body: object): Promise<Reply> {
  return subject.ask("screen", { screen_id }, { method: "POST", body });
}
