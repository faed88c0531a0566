import { REQUIRED_FOR_REVIEW } from "../../core/location.ts";
import { locationSchema } from "../../wire/inventory.ts";
import { type Check, fits, has, hasStatus, succeeded, unchanged } from "./check.ts";
import { COMPLETE, create, freshLocation, readLocation, update } from "./scenery.ts";

/** What is checked of locations against an emulator. */
export const locationChecks: readonly Check[] = [
  {
    id: "Location status",
    name: "a new location without the fields for its review is a DRAFT",
    basis: "contract",
    run: async (subject) => {
      const reply = await create(subject, {});
      return [...succeeded(reply), ...has(reply.body, { status: "DRAFT", archived: false, available_for_ads: false })];
    },
  },
  {
    id: "Location status",
    name: "a new location with all of them is in REVIEW",
    basis: "contract",
    run: async (subject) => has((await create(subject, COMPLETE)).body, { status: "REVIEW" }),
  },
  {
    id: "Get a Location",
    name: "has every field, and what was sent",
    basis: "contract",
    run: async (subject) => {
      const id = await freshLocation(subject, "REVIEW");
      const reply = await readLocation(subject, id);
      return [...hasStatus(reply, 200), ...fits(reply.body, locationSchema), ...has(reply.body, COMPLETE)];
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
        const before = has((await update(subject, id, others)).body, { status: "DRAFT" });
        await update(subject, id, { [field]: last });
        return [...before, ...has((await readLocation(subject, id)).body, { status: "REVIEW" })];
      },
    }),
  ),
  {
    id: "Location status",
    name: "a client cannot set APPROVED",
    basis: "contract",
    run: (subject) => refusedFor(subject, "REVIEW", { status: "APPROVED", title: "Renamed" }, [400]),
  },
  {
    id: "B4",
    name: "status=REVIEW with fields missing is 422",
    basis: "reading",
    run: (subject) => refusedFor(subject, "DRAFT", { status: "REVIEW", title: "Renamed" }, [422]),
  },
  {
    id: "B5",
    name: "status=REVIEW of an approved location is 400",
    basis: "reading",
    run: (subject) => refusedFor(subject, "APPROVED", { status: "REVIEW" }, [400]),
  },
  ...(["DRAFT", "REVIEW"] as const).map(
    (status): Check => ({
      id: "B10",
      name: `available_for_ads is refused in ${status}, and nothing is half-applied`,
      basis: "contract",
      run: (subject) => refusedFor(subject, status, { available_for_ads: true, title: "Renamed" }, [400, 409, 422]),
    }),
  ),
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
    id: "B8",
    name: "it stays APPROVED when they are sent as they are, and when other fields change",
    basis: "reading",
    run: async (subject) => {
      const id = await freshLocation(subject, "APPROVED");
      const { venue_type_id, lat, long } = COMPLETE;
      const reply = await update(subject, id, { venue_type_id, lat, long, title: "Renamed" });
      return [...hasStatus(reply, 200), ...has(reply.body, { status: "APPROVED", title: "Renamed" })];
    },
  },
  {
    id: "B1",
    name: "a location_id that is taken is 409",
    basis: "reading",
    run: async (subject) => {
      const location_id = await freshLocation(subject, "DRAFT");
      return hasStatus(
        await subject.ask("locations", {}, { method: "POST", body: { location_id, title: "Again" } }),
        409,
      );
    },
  },
  ...limits().map(
    ([name, change, statuses]): Check => ({
      id: "Limits",
      name: `${name} is refused`,
      basis: "contract",
      run: (subject) => refusedFor(subject, "APPROVED", { title: "Renamed", ...change }, statuses),
    }),
  ),
  {
    id: "Create a Location",
    name: "needs a title",
    basis: "contract",
    run: async (subject) => {
      const id = await freshLocation(subject, "DRAFT");
      const untitled = await subject.ask("locations", {}, { method: "POST", body: { lat: 1 } });
      return [...hasStatus(untitled, 400, 422), ...hasStatus(await update(subject, id, { title: " " }), 400, 422)];
    },
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

function limits(): readonly (readonly [name: string, change: object, statuses: readonly number[]])[] {
  return [
    ["opening_168 of 167", { opening_168: Array<boolean>(167).fill(true) }, [400, 422]],
    ["visitors_7 of 8", { visitors_7: [1, 2, 3, 4, 5, 6, 7, 8] }, [400, 422]],
    ["a latitude beyond 90", { lat: 90.001 }, [400, 422]],
    ["a longitude beyond -180", { long: -180.001 }, [400, 422]],
    ["a venue type of level 1", { venue_type_id: "1" }, [400, 422]],
    ["a venue type of level 3", { venue_type_id: "10101" }, [400, 422]],
  ];
}

async function refusedFor(
  subject: Parameters<Check["run"]>[0],
  status: "DRAFT" | "REVIEW" | "APPROVED",
  change: object,
  statuses: readonly number[],
): Promise<string[]> {
  const id = await freshLocation(subject, status);
  const before = await readLocation(subject, id);
  const reply = await update(subject, id, change);
  return [...hasStatus(reply, ...statuses), ...unchanged(before, await readLocation(subject, id))];
}
