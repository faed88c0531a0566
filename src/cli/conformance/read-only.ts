import { z } from "zod";
import { fitsLocation, fitsScreen, type VenueTree } from "../../core/venue-type.ts";
import { locationSchema, screenSchema } from "../../wire/inventory.ts";
import { contentItemSchema, newsItemSchema, spotAnswerSchema } from "../../wire/spot.ts";
import { venueTypesSchema } from "../../wire/venue-type.ts";
import { type Check, fits, has, hasStatus } from "./check.ts";
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
      const problems = [...hasStatus(reply, 200), ...fits(reply.body, venueTypesSchema)];
      return problems.length > 0 ? problems : treeProblems(venueTypesSchema.parse(reply.body));
    },
  },
  {
    id: "Screens",
    name: "the screen is read with all its fields",
    basis: "contract",
    run: async (subject) => {
      const reply = await screen(subject);
      return [
        ...hasStatus(reply, 200),
        ...fits(reply.body, screenSchema),
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
      return [...hasStatus(reply, 200), ...fits(reply.body, locationSchema)];
    },
  },
  {
    id: "Venue types",
    name: "the location's is of level 2, and the screen's the same or a child of it",
    basis: "contract",
    run: async (subject) => {
      const tree = treeOf(venueTypesSchema.parse((await subject.ask("venueTypes")).body));
      const { venue_type_id: own } = screenSchema.parse((await screen(subject)).body);
      const { venue_type_id: theirs } = locationSchema.parse((await locationOfScreen(subject)).body);
      if (theirs === null) return [];
      const level = fitsLocation(tree, theirs) ? [] : [`the location's venue type ${theirs} is not of level 2`];
      return fitsScreen(tree, own, theirs) ? level : [...level, `the screen's venue type ${own} is outside ${theirs}`];
    },
  },
  {
    id: "Spot",
    name: "has a request id, billable, newsFirst, news and ad",
    basis: "contract",
    run: async (subject) => {
      const reply = await spot(subject);
      return [...hasStatus(reply, 200), ...fits(reply.body, spotAnswerSchema)];
    },
  },
  {
    id: "Spot",
    name: "has items with absolute URLs to fetch and to prove them",
    basis: "contract",
    run: async (subject) => {
      const { news, ad } = looseSpotSchema.parse((await spot(subject)).body).data;
      const newsProblems =
        news === null ? [] : fits(news, newsItemSchema.extend(webUrls)).map((line) => `news.${line}`);
      const adProblems = ad === null ? [] : fits(ad, contentItemSchema.extend(webUrls)).map((line) => `ad.${line}`);
      return [...newsProblems, ...adProblems];
    },
  },
  {
    id: "Spot",
    name: "has a request id and proof-of-play URLs of its own each time",
    basis: "contract",
    run: async (subject) => {
      const spots = [await spot(subject), await spot(subject)].map(({ body }) => looseSpotSchema.parse(body).data);
      const ids = spots.map(({ requestId }) => requestId);
      const pops = spots.flatMap(({ news, ad }) => [news?.pop, ad?.pop]).filter((pop) => pop !== undefined);
      const repeated = new Set(ids).size < ids.length ? ["two spots have the same request id"] : [];
      return new Set(pops).size < pops.length ? [...repeated, "two items have the same pop URL"] : repeated;
    },
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

const webUrls = { url: z.url({ protocol: /^https?$/ }), pop: z.url({ protocol: /^https?$/ }) };

/** A spot of which nothing is expected but that it can be taken apart. */
const looseSpotSchema = z.object({
  data: z.object({
    requestId: z.unknown(),
    news: z.looseObject({ pop: z.unknown() }).nullable(),
    ad: z.looseObject({ pop: z.unknown() }).nullable(),
  }),
});

function spot(subject: Subject): Promise<Reply> {
  return subject.ask("spot", { screen_id: subject.screenId });
}

function screen(subject: Subject): Promise<Reply> {
  return subject.ask("screen", { screen_id: subject.screenId });
}

async function locationOfScreen(subject: Subject): Promise<Reply> {
  const { location_id } = screenSchema.pick({ location_id: true }).parse((await screen(subject)).body);
  return subject.ask("location", { location_id });
}

function treeOf(types: z.infer<typeof venueTypesSchema>): VenueTree {
  return new Map(types.map((type) => [type.id, type]));
}

function treeProblems(types: z.infer<typeof venueTypesSchema>): string[] {
  const tree = treeOf(types);
  return types.flatMap(({ id, parent_id, level, selectable }) => {
    const parentLevel = parent_id === null ? 0 : tree.get(parent_id)?.level;
    const lost = parentLevel === level - 1 ? [] : [`${id}: its parent is not of the level above`];
    return selectable === level > 1 ? lost : [...lost, `${id}: selectable is ${selectable} on level ${level}`];
  });
}
