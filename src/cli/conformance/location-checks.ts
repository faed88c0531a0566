import { type LocationStatus, REQUIRED_FOR_REVIEW } from "../../core/inventory/rules.ts";
import { locationSchema } from "../../wire/inventory.ts";
import { type Check, contractLocation, fits, has, hasStatus, refused, succeeded, unchanged } from "./check.ts";
import { COMPLETE, create, freshLocation, type Reply, readLocation, type Subject, update } from "./subject.ts";

/** What is checked of locations against an emulator. */
export const locationChecks: readonly Check[] = [
  {
    id: "Location status",
    name: "a new location without the fields for its review is a DRAFT",
    basis: "contract",
    run: async (subject) => {
      const location_id = subject.fresh("loc");
      const reply = await create(subject, { location_id });
      const { body } = await readLocation(subject, location_id);
      return [...succeeded(reply), ...has(body, { status: "DRAFT", archived: false })];
    },
  },
  {
    id: "Location status",
    name: "a new location with all of them is in REVIEW",
    basis: "contract",
    run: async (subject) => {
      const id = await freshLocation(subject, "REVIEW");
      return has((await readLocation(subject, id)).body, { status: "REVIEW" });
    },
  },
  {
    id: "Get a Location",
    name: "has every field, and what was sent",
    basis: "contract",
    run: async (subject) => {
      const id = await freshLocation(subject, "REVIEW");
      const reply = await readLocation(subject, id);
      return [...succeeded(reply), ...fits(reply.body, contractLocation), ...has(reply.body, COMPLETE)];
    },
  },
  {
    id: "A11",
    name: "a draft is read with every key, and null for what is unknown",
    basis: "reading",
    run: async (subject) => {
      const { body } = await readLocation(subject, await freshLocation(subject, "DRAFT"));
      return fits(body, locationSchema);
    },
  },
  {
    id: "B9",
    name: "a new location is not available for ads",
    basis: "reading",
    run: async (subject) => {
      const { body } = await readLocation(subject, await freshLocation(subject, "DRAFT"));
      return has(body, { available_for_ads: false });
    },
  },
  {
    id: "A3",
    name: "create is 201 with the whole object and a Location header",
    basis: "reading",
    run: async (subject) => {
      const reply = await create(subject, {});
      const header = reply.headers.get("location") === null ? ["there is no Location header"] : [];
      return [...hasStatus(reply, 201), ...fits(reply.body, locationSchema), ...header];
    },
  },
  ...REQUIRED_FOR_REVIEW.map(
    (field): Check => ({
      id: "Location status",
      name: `without ${field} it stays a DRAFT, and with it goes to REVIEW`,
      basis: "contract",
      run: async (subject) => {
        const { [field]: last, ...others } = COMPLETE;
        const id = await freshLocation(subject, "DRAFT");
        await update(subject, id, others);
        const before = await readLocation(subject, id);
        await update(subject, id, { [field]: last });
        const after = await readLocation(subject, id);
        return [...has(before.body, { status: "DRAFT" }), ...has(after.body, { status: "REVIEW" })];
      },
    }),
  ),
  {
    id: "Location status",
    name: "a client cannot set APPROVED",
    basis: "contract",
    run: (subject) => keptFrom(subject, "REVIEW", { status: "APPROVED" }),
  },
  {
    id: "B6",
    name: "status=APPROVED is 400, and nothing is half-applied",
    basis: "reading",
    run: (subject) => refusedFor(subject, "REVIEW", { status: "APPROVED", title: "Renamed" }, 400),
  },
  {
    id: "Location status",
    name: "a draft goes to REVIEW when it is asked to and has all it needs",
    basis: "contract",
    run: async (subject) => {
      const id = await freshLocation(subject, "DRAFT");
      await update(subject, id, { ...COMPLETE, status: "REVIEW" });
      return has((await readLocation(subject, id)).body, { status: "REVIEW" });
    },
  },
  {
    id: "B4",
    name: "status=REVIEW with fields missing is 422",
    basis: "reading",
    run: (subject) => refusedFor(subject, "DRAFT", { status: "REVIEW", title: "Renamed" }, 422),
  },
  {
    id: "B5",
    name: "status=REVIEW of an approved location is 400",
    basis: "reading",
    run: (subject) => refusedFor(subject, "APPROVED", { status: "REVIEW" }, 400),
  },
  ...(["DRAFT", "REVIEW"] as const).flatMap((status): readonly Check[] => [
    {
      id: "Location status",
      name: `available_for_ads cannot be set in ${status}`,
      basis: "contract",
      run: (subject) => keptFrom(subject, status, { available_for_ads: true }),
    },
    {
      id: "B10",
      name: `available_for_ads in ${status} is 400, and nothing is half-applied`,
      basis: "reading",
      run: (subject) => refusedFor(subject, status, { available_for_ads: true, title: "Renamed" }, 400),
    },
  ]),
  ...([{ venue_type_id: "101" }, { lat: 48.85 }, { long: 2.29 }] as const).map(
    (change): Check => ({
      id: "Location status",
      name: `a change of ${Object.keys(change)[0]} sends an approved location back to REVIEW`,
      basis: "contract",
      run: async (subject) => {
        const id = await freshLocation(subject, "APPROVED");
        await update(subject, id, change);
        return has((await readLocation(subject, id)).body, { status: "REVIEW", ...change });
      },
    }),
  ),
  {
    id: "Update a Location",
    name: "changes what is sent and nothing else",
    basis: "contract",
    run: async (subject) => {
      const id = await freshLocation(subject, "APPROVED");
      const before = await readLocation(subject, id);
      const reply = await update(subject, id, { title: "Renamed" });
      const after = await readLocation(subject, id);
      return [...succeeded(reply), ...has(after.body, { ...contractLocation.parse(before.body), title: "Renamed" })];
    },
  },
  {
    id: "B8",
    name: "it stays APPROVED when venue type and position are sent as they are",
    basis: "reading",
    run: async (subject) => {
      const id = await freshLocation(subject, "APPROVED");
      const { venue_type_id, lat, long } = COMPLETE;
      const reply = await update(subject, id, { venue_type_id, lat, long });
      return [...hasStatus(reply, 200), ...has((await readLocation(subject, id)).body, { status: "APPROVED" })];
    },
  },
  {
    id: "B1",
    name: "a location_id that is taken is 409",
    basis: "reading",
    run: async (subject) => {
      const body = { location_id: await freshLocation(subject, "DRAFT"), title: "Again" };
      return hasStatus(await post(subject, { body }), 409);
    },
  },
  ...limits().flatMap(([name, change, status]): readonly Check[] => [
    {
      id: "Limits",
      name: `${name} is not taken`,
      basis: "contract",
      run: (subject) => keptFrom(subject, "APPROVED", change),
    },
    {
      id: "A7",
      name: `${name} is ${status}, and nothing is half-applied`,
      basis: "reading",
      run: (subject) => refusedFor(subject, "APPROVED", { title: "Renamed", ...change }, status),
    },
  ]),
  {
    id: "Create a Location",
    name: "needs a title",
    basis: "contract",
    run: async (subject) => refused(await untitled(subject)),
  },
  {
    id: "A7",
    name: "a location without a title is 400",
    basis: "reading",
    run: async (subject) => hasStatus(await untitled(subject), 400),
  },
  {
    id: "B2",
    name: "a blank title is 400",
    basis: "reading",
    run: (subject) => refusedFor(subject, "DRAFT", { title: " " }, 400),
  },
  {
    id: "A12, A13",
    name: "null clears e-mail and phone, and an empty update changes nothing",
    basis: "reading",
    run: async (subject) => {
      const id = await freshLocation(subject, "DRAFT");
      await update(subject, id, { email: "a@b.example", phone: "1" });
      const cleared = await update(subject, id, { email: null, phone: null });
      const empty = await update(subject, id, {});
      return [
        ...has(cleared.body, { email: null, phone: null }),
        ...hasStatus(empty, 200),
        ...unchanged(cleared, empty),
      ];
    },
  },
];

/** What is checked of how bodies are read, against an emulator. */
export const bodyChecks: readonly Check[] = [
  {
    id: "A8",
    name: "what is not JSON, no object, or nothing at all is 400",
    basis: "reading",
    run: async (subject) => {
      const replies = await Promise.all(["{", "[]", "7", ""].map((text) => postText(subject, text)));
      return replies.flatMap((reply) => hasStatus(reply, 400));
    },
  },
  {
    id: "A8",
    name: "another content type is 415",
    basis: "reading",
    run: async (subject) => hasStatus(await postText(subject, '{"title":"T"}', "text/plain"), 415),
  },
  {
    id: "A9",
    name: "what the contract does not name is ignored",
    basis: "reading",
    run: async (subject) => succeeded(await post(subject, { body: { title: "T", colour: "red" } })),
  },
  {
    id: "A20",
    name: "more than 1 MiB is 413",
    basis: "reading",
    run: async (subject) => hasStatus(await postText(subject, `"${"x".repeat(1024 * 1024)}"`), 413),
  },
];

type Change = Readonly<Record<string, unknown>>;

function limits(): readonly (readonly [name: string, change: Change, status: number])[] {
  return [
    ["opening_168 of 167", { opening_168: Array<boolean>(167).fill(true) }, 400],
    ["visitors_7 of 8", { visitors_7: [1, 2, 3, 4, 5, 6, 7, 8] }, 400],
    ["a latitude beyond 90", { lat: 90.001 }, 400],
    ["a longitude beyond -180", { long: -180.001 }, 400],
    ["a venue type of level 1", { venue_type_id: "1" }, 422],
    ["a venue type of level 3", { venue_type_id: "10101" }, 422],
  ];
}

function untitled(subject: Subject): Promise<Reply> {
  return post(subject, { body: { lat: 1 } });
}

/** Whatever is answered, the fields of a change that breaks a rule stay as they were. */
async function keptFrom(subject: Subject, status: LocationStatus, change: Change): Promise<string[]> {
  const id = await freshLocation(subject, status);
  const { body: before } = await readLocation(subject, id);
  await update(subject, id, change);
  const kept = Object.entries((before ?? {}) as object).filter(([field]) => Object.hasOwn(change, field));
  return has((await readLocation(subject, id)).body, Object.fromEntries(kept));
}

async function refusedFor(subject: Subject, status: LocationStatus, change: Change, answer: number): Promise<string[]> {
  const id = await freshLocation(subject, status);
  const before = await readLocation(subject, id);
  const reply = await update(subject, id, change);
  return [...hasStatus(reply, answer), ...unchanged(before, await readLocation(subject, id))];
}

function post(subject: Subject, sent: Parameters<Subject["ask"]>[2]): Promise<Reply> {
  return subject.ask("locations", {}, { method: "POST", ...sent });
}

function postText(subject: Subject, text: string, type = "application/json"): Promise<Reply> {
  return post(subject, { text, headers: { "content-type": type } });
}
