import { z } from "zod";
import { fitsLocation, type VenueTree } from "../../core/inventory/rules.ts";
import { problemOf, WorldFileError, type WorldProblem } from "../problems.ts";
import { type Creative, type CreativeFiles, resolvedCreative } from "./creatives.ts";
import { type World, worldSchema } from "./schema.ts";

export type WorldReading =
  | { readonly kind: "world"; readonly world: World }
  | { readonly kind: "bad"; readonly problems: readonly WorldProblem[] };

export class WorldError extends WorldFileError {
  override name = "WorldError";

  constructor(problems: readonly WorldProblem[]) {
    super("a world", problems);
  }
}

/**
 * Reads a world out of parsed JSON; a bad one comes with all its problems. `packaged`: the creatives it may also name;
 * `tree`: the venue types that its locations must be of, if any will do `null`; `files`: what its creatives' files are.
 */
export function readWorld(
  content: unknown,
  packaged: readonly Creative[],
  tree: VenueTree | null = null,
  files: CreativeFiles = new Map(),
): WorldReading {
  const read = worldSchema.safeParse(content);
  const misshapen = read.success ? [] : read.error.issues.map(problemOf);
  const known = new Set(packaged.map(({ url }) => url));
  const resolved = (read.data?.creatives ?? []).map((own, index) => {
    return resolvedCreative(own, `creatives[${index}]`, files, known);
  });
  const creatives = resolved.filter((one) => "url" in one);
  const unusable = resolved.filter((one) => "path" in one);
  const problems = [...misshapen, ...unusable, ...referenceErrors(referencesSchema.parse(content), packaged, tree)];
  if (!read.success || problems.length > 0) return { kind: "bad", problems };
  return { kind: "world", world: { ...read.data, creatives } };
}

/** Stands for a name that is missing or no text: the shape's complaint, not ours. */
const UNREADABLE = "";

/** An entry that is no object keeps its place in the list, so that the paths of the others stay right. */
const entry = <T extends z.ZodRawShape>(shape: T) => z.object(shape).catch(() => z.object(shape).parse({}));
const list = <T extends z.ZodType>(of: T) => z.array(of).catch([]);
const name = z.string().catch(UNREADABLE);

/** What refers to what in a world file, and nothing else; reads whatever can be read of a file with mistakes. */
const referencesSchema = entry({
  organizations: list(
    entry({
      org_token: name,
      locations: list(entry({ location_id: name, venue_type_id: name })),
      screens: list(entry({ screen_id: name, location_id: name })),
      cars: list(entry({ car_id: name, creative: name })),
      campaigns: list(entry({ campaign_id: name, car_id: name, screens: list(name) })),
    }),
  ),
  creatives: list(entry({ name })),
  news: list(entry({ creative: name })),
});
type References = z.infer<typeof referencesSchema>;

/** What the shape of a world cannot say: names given twice, and references to what is not there. */
function* referenceErrors(
  world: References,
  packaged: readonly Creative[],
  tree: VenueTree | null,
): Generator<WorldProblem> {
  const own = world.creatives.map((creative) => creative.name);
  const creatives = new Set([...packaged.map((creative) => creative.name), ...own]);
  yield* twice(
    "creatives",
    "name",
    own,
    packaged.map((creative) => creative.name),
  );
  yield* unknown(
    "news",
    "creative",
    world.news.map((news) => news.creative),
    creatives,
    "creative",
  );
  yield* twice(
    "organizations",
    "org_token",
    world.organizations.map((organization) => organization.org_token),
  );
  for (const [index, organization] of world.organizations.entries()) {
    yield* referenceErrorsOf(organization, `organizations[${index}]`, creatives);
    if (tree !== null) yield* misfits(organization, `organizations[${index}]`, tree);
  }
  if (!world.organizations.some((organization) => organization.screens.length > 0)) {
    yield { path: "organizations", message: "no organization has a screen" };
  }
}

function* referenceErrorsOf(
  { locations, screens, cars, campaigns }: References["organizations"][number],
  path: string,
  creatives: ReadonlySet<string>,
): Generator<WorldProblem> {
  const ids = {
    locations: locations.map((location) => location.location_id),
    screens: screens.map((screen) => screen.screen_id),
    cars: cars.map((car) => car.car_id),
    campaigns: campaigns.map((campaign) => campaign.campaign_id),
  };
  yield* twice(`${path}.locations`, "location_id", ids.locations);
  yield* twice(`${path}.screens`, "screen_id", ids.screens);
  yield* twice(`${path}.cars`, "car_id", ids.cars);
  yield* twice(`${path}.campaigns`, "campaign_id", ids.campaigns);
  const parents = screens.map((screen) => screen.location_id);
  yield* unknown(`${path}.screens`, "location_id", parents, new Set(ids.locations), "location");
  yield* unknown(
    `${path}.cars`,
    "creative",
    cars.map((car) => car.creative),
    creatives,
    "creative",
  );
  yield* unknown(
    `${path}.campaigns`,
    "car_id",
    campaigns.map((campaign) => campaign.car_id),
    new Set(ids.cars),
    "CAR",
  );
  for (const [index, campaign] of campaigns.entries()) {
    yield* unknown(`${path}.campaigns[${index}].screens`, null, campaign.screens, new Set(ids.screens), "screen");
  }
}

function* misfits({ locations }: References["organizations"][number], path: string, tree: VenueTree) {
  for (const [index, { venue_type_id }] of locations.entries()) {
    if (venue_type_id === UNREADABLE || fitsLocation(tree, venue_type_id)) continue;
    const message = `${venue_type_id} is no venue type of level 2`;
    yield { path: `${path}.locations[${index}].venue_type_id`, message };
  }
}

function* twice(
  path: string,
  key: string,
  names: readonly string[],
  taken: readonly string[] = [],
): Generator<WorldProblem> {
  const seen = new Set(taken);
  for (const [index, name] of names.entries()) {
    if (name === UNREADABLE) continue;
    if (seen.has(name)) yield { path: `${path}[${index}].${key}`, message: `${name} is there already` };
    seen.add(name);
  }
}

function* unknown(
  path: string,
  key: string | null,
  names: readonly string[],
  known: ReadonlySet<string>,
  what: string,
): Generator<WorldProblem> {
  for (const [index, name] of names.entries()) {
    const where = key === null ? `${path}[${index}]` : `${path}[${index}].${key}`;
    if (name !== UNREADABLE && !known.has(name)) yield { path: where, message: `there is no ${what} ${name}` };
  }
}
