import { z } from "zod";
import { fitsLocation, fitsScreen, type VenueTree } from "../../core/inventory/rules.ts";
import { locationSchema, screenSchema } from "../../wire/inventory.ts";
import { spotAnswerSchema } from "../../wire/spot.ts";
import {
  type Check,
  contractLocation,
  contractScreen,
  contractSpot,
  contractVenueTypes,
  fits,
  has,
  hasStatus,
  succeeded,
} from "./check.ts";
import type { Reply, Subject } from "./subject.ts";

const NOBODY = { org_token: "nobody_has_this_token" };

/** What can be checked without changing anything but the count of spots that were asked for. */
export const readOnlyChecks: readonly Check[] = [
  {
    id: "Venue types",
    name: "are a tree of three levels whose first cannot be selected",
    basis: "contract",
    run: async (subject) => {
      const reply = await subject.ask("venueTypes");
      const problems = [...succeeded(reply), ...fits(reply.body, contractVenueTypes)];
      return problems.length > 0 ? problems : treeProblems(contractVenueTypes.parse(reply.body));
    },
  },
  {
    id: "Screens",
    name: "the screen is read with all its fields",
    basis: "contract",
    run: async (subject) => {
      const reply = await screen(subject);
      return [
        ...succeeded(reply),
        ...fits(reply.body, contractScreen),
        ...has(reply.body, { screen_id: subject.screenId }),
      ];
    },
  },
  {
    id: "Locations",
    name: "the screen's location is read with all its fields",
    basis: "contract",
    run: async (subject) => {
      const reply = await locationOfScreen(subject);
      return [...succeeded(reply), ...fits(reply.body, contractLocation)];
    },
  },
  {
    id: "Venue types",
    name: "the location's is of level 2, and the screen's the same or a child of it",
    basis: "contract",
    run: async (subject) => {
      const tree = treeOf(contractVenueTypes.parse((await subject.ask("venueTypes")).body));
      const { venue_type_id: own } = contractScreen.parse((await screen(subject)).body);
      const { venue_type_id: theirs } = contractLocation.parse((await locationOfScreen(subject)).body);
      if (theirs === null || theirs === undefined) return [];
      const level = fitsLocation(tree, theirs) ? [] : [`the location's venue type ${theirs} is not of level 2`];
      return fitsScreen(tree, own, theirs) ? level : [...level, `the screen's venue type ${own} is outside ${theirs}`];
    },
  },
  {
    id: "Spot",
    name: "has a request id, billable and newsFirst, and items with URLs to fetch and to prove them",
    basis: "contract",
    run: async (subject) => {
      const reply = await spot(subject);
      return [...succeeded(reply), ...fits(reply.body, contractSpot)];
    },
  },
  {
    id: "F1",
    name: "has news and ad, null where there is none",
    basis: "reading",
    run: async (subject) => fits((await spot(subject)).body, spotAnswerSchema),
  },
  {
    id: "Spot",
    name: "has a request id of its own each time",
    basis: "contract",
    run: async (subject) => {
      const [one, other] = await twoSpots(subject);
      return one.requestId === other.requestId ? ["two spots have the same request id"] : [];
    },
  },
  {
    id: "F14",
    name: "has proof-of-play URLs of its own each time",
    basis: "reading",
    run: async (subject) => {
      const spots = await twoSpots(subject);
      const pops = spots.flatMap(({ news, ad }) => [news?.pop, ad?.pop]).filter((pop) => pop !== undefined);
      return new Set(pops).size < pops.length ? ["two items have the same pop URL"] : [];
    },
  },
  {
    id: "A3",
    name: "what is read is answered 200",
    basis: "reading",
    run: async (subject) => [
      ...hasStatus(await subject.ask("venueTypes"), 200),
      ...hasStatus(await screen(subject), 200),
      ...hasStatus(await locationOfScreen(subject), 200),
      ...hasStatus(await spot(subject), 200),
    ],
  },
  {
    id: "A11",
    name: "the screen and its location have every key, null for what is unknown",
    basis: "reading",
    run: async (subject) => [
      ...fits((await screen(subject)).body, screenSchema),
      ...fits((await locationOfScreen(subject)).body, locationSchema),
    ],
  },
  {
    id: "Get a CAR",
    name: "an unknown one is 404",
    basis: "contract",
    run: async (subject) => hasStatus(await subject.ask("approval", { car_id: subject.fresh("car") }), 404),
  },
  {
    id: "A4",
    name: "a missing token is 401",
    basis: "reading",
    run: async (subject) => hasStatus(await subject.at("/vendor//venue_types"), 401),
  },
  {
    id: "A5",
    name: "a token that nobody has is 401, on a spot too",
    basis: "reading",
    run: async (subject) => [
      ...hasStatus(await subject.ask("venueTypes", NOBODY), 401),
      ...hasStatus(await subject.ask("spot", { ...NOBODY, screen_id: subject.screenId }), 401),
    ],
  },
  {
    id: "A6",
    name: "an unknown location or screen is 404",
    basis: "reading",
    run: async (subject) => [
      ...hasStatus(await subject.ask("location", { location_id: subject.fresh("loc") }), 404),
      ...hasStatus(await subject.ask("screen", { screen_id: subject.fresh("screen") }), 404),
    ],
  },
  {
    id: "A15",
    name: "an unknown path is 404, another method 405 with Allow",
    basis: "reading",
    run: async (subject) => {
      const reply = await subject.ask("locations");
      const allow = reply.headers.get("allow") === null ? ["there is no Allow header"] : [];
      return [...hasStatus(await subject.at("/vendor"), 404), ...hasStatus(reply, 405), ...allow];
    },
  },
  {
    id: "A21",
    name: "other versions are 404",
    basis: "reading",
    run: async (subject) => hasStatus(await subject.at(`/v2/vendor/x/1/rt_ad/${subject.screenId}`), 404),
  },
  {
    id: "F2",
    name: "a spot for an unknown screen is 404",
    basis: "reading",
    run: async (subject) => hasStatus(await subject.ask("spot", { screen_id: subject.fresh("screen") }), 404),
  },
];

/** A spot of which nothing is expected but that it can be taken apart. */
const looseSpotSchema = z.object({
  data: z.object({
    requestId: z.unknown(),
    news: z.looseObject({ pop: z.unknown() }).nullish(),
    ad: z.looseObject({ pop: z.unknown() }).nullish(),
  }),
});

function spot(subject: Subject): Promise<Reply> {
  return subject.ask("spot", { screen_id: subject.screenId });
}

async function twoSpots(subject: Subject) {
  const [one, other] = [await spot(subject), await spot(subject)];
  return [looseSpotSchema.parse(one.body).data, looseSpotSchema.parse(other.body).data] as const;
}

function screen(subject: Subject): Promise<Reply> {
  return subject.ask("screen", { screen_id: subject.screenId });
}

async function locationOfScreen(subject: Subject): Promise<Reply> {
  const { location_id } = contractScreen.pick({ location_id: true }).parse((await screen(subject)).body);
  return subject.ask("location", { location_id });
}

function treeOf(types: z.infer<typeof contractVenueTypes>): VenueTree {
  return new Map(types.map((type) => [type.id, { ...type, description: type.description ?? null }]));
}

function treeProblems(types: z.infer<typeof contractVenueTypes>): string[] {
  const tree = treeOf(types);
  return types.flatMap(({ id, parent_id, level, selectable }) => {
    const parentLevel = parent_id === null ? 0 : tree.get(parent_id)?.level;
    const lost = parentLevel === level - 1 ? [] : [`${id}: its parent is not of the level above`];
    return selectable === level > 1 ? lost : [...lost, `${id}: selectable is ${selectable} on level ${level}`];
  });
}
