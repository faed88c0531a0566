import { z } from "zod";
import {
  approvalStatusSchema,
  identifierSchema,
  locationSchema,
  locationStatusSchema,
  rejectionReasonSchema,
  screenSchema,
} from "../../wire/inventory.ts";
import { switchesSchema } from "../behaviour/switches.ts";
import { clockSettingSchema } from "../clock.ts";
import { faultListSchema } from "../faults/schema.ts";
import { knownKeys } from "../problems.ts";
import { type Creative, ownCreativeSchema } from "./creatives.ts";

/** The most of anything that a world file may list or an organization may have, so that no mistake fills the memory. */
export const MOST_ENTRIES = 10_000;

const location = locationSchema.shape;
const screen = screenSchema.shape;

/** What is left out is `null`; `available_for_ads` then follows the status (B9). */
const worldLocationSchema = knownKeys({
  location_id: location.location_id,
  title: location.title.min(1),
  venue_type_id: location.venue_type_id.default(null),
  lat: location.lat.default(null),
  long: location.long.default(null),
  opening_168: location.opening_168.default(null),
  visitors_7: location.visitors_7.default(null),
  status: locationStatusSchema.default("DRAFT"),
  available_for_ads: location.available_for_ads.optional(),
  archived: location.archived.default(false),
  email: location.email.default(null),
  phone: location.phone.default(null),
  timezone: z.string().refine(isTimeZone, "is not an IANA time zone").nullable().default(null),
  country: location.country.default(null),
  region: location.region.default(null),
  city: location.city.default(null),
  zip: location.zip.default(null),
  address: location.address.default(null),
});

const worldScreenSchema = knownKeys({
  screen_id: screen.screen_id,
  title: screen.title.min(1),
  venue_type_id: screen.venue_type_id,
  location_id: screen.location_id,
  width: screen.width.default(1920),
  height: screen.height.default(1080),
  loop_duration: screen.loop_duration.default(60),
  archived: screen.archived.default(false),
  available_for_ads: screen.available_for_ads.default(true),
  amount: screen.amount.default(null),
  imps_weekly: screen.imps_weekly.default(null),
});

/** A creative approval request; its creative is served only while it is approved (E9). */
const worldApprovalSchema = knownKeys({
  car_id: identifierSchema,
  status: approvalStatusSchema.default("pending"),
  advertiser_name: z.string().min(1),
  campaign_name: z.string().min(1),
  cities: z.array(z.string()).default([]),
  countries: z.array(z.string()).default([]),
  creative: z.string(),
  rejection_reasons: z.array(rejectionReasonSchema).min(1).nullable().default(null),
  custom_message: z.string().nullable().default(null),
  created_on: z.iso
    .datetime()
    .transform((at) => new Date(at).toISOString())
    .default("2026-01-05T09:00:00.000Z"),
});

/** An ad in the rotation of an organization's screens, or of some of them. `paid` makes its playouts billable (F6). */
const worldCampaignSchema = knownKeys({
  campaign_id: identifierSchema,
  car_id: identifierSchema,
  paid: z.boolean().default(true),
  newsFirst: z.boolean().optional(),
  duration: z.int().positive().optional(),
  screens: z.array(identifierSchema).optional(),
});

const organizationSchema = knownKeys({
  org_token: identifierSchema,
  locations: z.array(worldLocationSchema).max(MOST_ENTRIES).default([]),
  screens: z.array(worldScreenSchema).max(MOST_ENTRIES).default([]),
  cars: z.array(worldApprovalSchema).max(MOST_ENTRIES).default([]),
  campaigns: z.array(worldCampaignSchema).max(MOST_ENTRIES).default([]),
});

/** News in every screen's rotation. */
const worldNewsSchema = knownKeys({
  creative: z.string(),
  newsType: z.string().optional(),
  duration: z.int().positive().optional(),
});

/** The most calls of the service in a number of seconds, for each organization, screen or route (A14). */
const rateLimitSchema = knownKeys({
  per: z.enum(["token", "screen", "route"]),
  calls: z.int().nonnegative(),
  seconds: z.int().positive(),
});
export type RateLimit = z.infer<typeof rateLimitSchema>;

/** After how much virtual time the operator's decision comes by itself; `null` is never (B19, E5). */
const autoApproveSchema = knownKeys({
  /** From when a location came into review. */
  locationsMs: z.int().nonnegative().nullable().default(null),
  /** From when a CAR came in: those of the world do so when it starts. */
  carsMs: z.int().nonnegative().nullable().default(null),
});

/** A world file: everything a network is made of when it starts. Only its shape; `readWorld` checks what refers to what. */
export const worldSchema = knownKeys(
  {
    $schema: z.string().optional(),
    clock: clockSettingSchema.default({}).describe("The network's own time, which follows the machine's by default."),
    organizations: z
      .array(organizationSchema)
      .min(1)
      .max(MOST_ENTRIES)
      .describe("Who owns what; the first screen of the first organization that has one is the emulator's own."),
    creatives: z
      .array(ownCreativeSchema)
      .max(MOST_ENTRIES)
      .default([])
      .describe("Creatives beside the emulator's own: files beside the world, or http(s) URLs."),
    news: z.array(worldNewsSchema).max(MOST_ENTRIES).default([]).describe("News in every screen's rotation."),
    rateLimits: z
      .array(rateLimitSchema)
      .max(MOST_ENTRIES)
      .default([])
      .describe("What is answered 429 with Retry-After."),
    behaviour: switchesSchema.default({}).describe("How the emulator reads what the interface leaves open."),
    faults: faultListSchema.default([]).describe("What goes wrong, in order: the first that fits strikes."),
    autoApprove: autoApproveSchema
      .default({ locationsMs: null, carsMs: null })
      .describe("When the operator's decisions come by themselves."),
  },
  "unlisted",
);

/** A world as it is written, with what may be left out left out. */
export type WorldFile = z.input<typeof worldSchema>;
/** A world that can be begun: its creatives are whole. */
export type World = Omit<z.infer<typeof worldSchema>, "creatives"> & { readonly creatives: Creative[] };
export type WorldNews = World["news"][number];
export type WorldCampaign = World["organizations"][number]["campaigns"][number];
export type WorldApproval = World["organizations"][number]["cars"][number];

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
