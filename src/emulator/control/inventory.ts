import type { Context, Hono } from "hono";
import { z } from "zod";
import { isMismatched, type Refusal, venueTypeName } from "../../core/inventory/rules.ts";
import {
  approvalItemSchema,
  approvalStatusSchema,
  identifierSchema,
  locationStatusSchema,
  type Screen,
} from "../../wire/inventory.ts";
import { type Env, problem } from "../http/answers.ts";
import { sentBody, sentOptionalBody, sentQuery } from "../http/body.ts";
import { type Approval, newOrganization, type Organization } from "../inventory/inventory.ts";
import { decideLocation } from "../inventory/locations-and-screens.ts";
import { approveIn, itemOfApproval, type Owned, ownedBy, submitApproval } from "../inventory/reviews.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import { MOST_ENTRIES } from "../world/schema.ts";

/** Which locations or screens are listed. */
export const ofLocationStatus = z.strictObject({
  org_token: z.string().optional(),
  status: locationStatusSchema.optional(),
});
/** Which CARs are listed. */
export const ofApprovalStatus = z.strictObject({
  org_token: z.string().optional(),
  status: approvalStatusSchema.optional(),
});

/** An organization that is to be added. */
export const additionSchema = z.strictObject({ org_token: identifierSchema });

/** Adds the lists that the contract lacks. A screen's status is its location's. */
export function addLists(app: Hono<Env>, network: Network, files: ReadonlyMap<string, MediaFile>): void {
  app.get("/control/locations", (c) => {
    const query = sentQuery(c, ofLocationStatus);
    if (query.kind === "refused") return query.answer;
    const all = owners(network, query.value.org_token).flatMap((owner) =>
      [...owner.locations.values()].map((location) => locationJson(network, owner, location)),
    );
    return c.json(all.filter(({ status }) => (query.value.status ?? status) === status));
  });
  app.get("/control/screens", (c) => {
    const query = sentQuery(c, ofLocationStatus);
    if (query.kind === "refused") return query.answer;
    const all = owners(network, query.value.org_token).flatMap((owner) =>
      [...owner.screens.values()].map((screen) => screenJson(network, owner, screen)),
    );
    return c.json(all.filter(({ location_status: status }) => (query.value.status ?? status) === status));
  });
  app.get("/control/cars", async (c) => {
    const query = sentQuery(c, ofApprovalStatus);
    if (query.kind === "refused") return query.answer;
    const all = owners(network, query.value.org_token).flatMap((owner) =>
      [...owner.approvals.values()].map((approval) => ({ owner, approval })),
    );
    const wanted = all.filter(({ approval: { status } }) => (query.value.status ?? status) === status);
    return c.json(await Promise.all(wanted.map(({ owner, approval }) => carJson(network, files, owner, approval))));
  });
}

/** Adds listing organizations, adding one, and revoking one together with everything that it owns. */
export function addOrganizations(app: Hono<Env>, network: Network): void {
  const organizations = () => network.state.inventory.organizations;
  app.get("/control/organizations", (c) => c.json([...organizations().values()].map(organizationJson)));
  app.post("/control/organizations", async (c) => {
    const sent = await sentBody(c, additionSchema);
    if (sent.kind === "refused") return sent.answer;
    const { org_token } = sent.value;
    if (organizations().has(org_token)) return problem(c, 409, "already_exists", `${org_token} is there already`);
    if (organizations().size >= MOST_ENTRIES)
      return problem(c, 409, "too_many", `at most ${MOST_ENTRIES} organizations`);
    const added = newOrganization(org_token);
    organizations().set(org_token, added);
    return c.json(organizationJson(added), 201);
  });
  app.delete("/control/organizations/:org_token", (c) => {
    const orgToken = c.req.param("org_token");
    const revoked = organizations().get(orgToken);
    if (revoked === undefined) return problem(c, 404, "unknown_organization", `there is no organization ${orgToken}`);
    organizations().delete(orgToken);
    return c.json(organizationJson(revoked));
  });
}

/** A location with its owner and the name of its venue type (D2). */
function locationJson<L extends { readonly venue_type_id: string | null }>(
  { tree }: Network,
  { orgToken }: Organization,
  location: L,
) {
  const { venue_type_id } = location;
  return { org_token: orgToken, ...location, venue_type: venue_type_id && venueTypeName(tree, venue_type_id) };
}

/** A request with its owner and its creative. */
async function carJson(
  network: Network,
  files: ReadonlyMap<string, MediaFile>,
  { orgToken }: Organization,
  approval: Approval,
) {
  const { creative: _, ...account } = approval;
  return { org_token: orgToken, ...account, item: await itemOfApproval(network, files, approval) };
}

/** A screen with its owner, where its location stands, and what keeps it from ads (B13). */
function screenJson({ tree }: Network, { orgToken, locations }: Organization, screen: Screen) {
  const location = locations.get(screen.location_id);
  const flags = location !== undefined && isMismatched(screen, location, tree) ? ["venue_type_mismatch"] : [];
  const venue_type = venueTypeName(tree, screen.venue_type_id);
  return { org_token: orgToken, ...screen, venue_type, location_status: location?.status ?? null, flags };
}

function organizationJson({ orgToken, locations, screens, approvals }: Organization) {
  return { org_token: orgToken, locations: locations.size, screens: screens.size, cars: approvals.size };
}

function owners({ state }: Network, orgToken: string | undefined): Organization[] {
  const all = [...state.inventory.organizations.values()];
  return orgToken === undefined ? all : all.filter((organization) => organization.orgToken === orgToken);
}

/** How a location is approved. */
export const locationApprovalSchema = z.strictObject({ available_for_ads: z.boolean().default(true) });
/** Whose location or CAR, where several organizations have one of that id. */
export const ownerSchema = z.strictObject({ org_token: z.string().optional() });

/** A new CAR: what is left out is made up. `org_token`: the first organization's when absent. */
export const submissionSchema = z.strictObject({
  org_token: z.string().optional(),
  advertiser_name: z.string().min(1).optional(),
  campaign_name: z.string().min(1).optional(),
  cities: z.array(z.string()).optional(),
  countries: z.array(z.string()).optional(),
  item: approvalItemSchema
    .extend({ size: approvalItemSchema.shape.size.default(null), md5: approvalItemSchema.shape.md5.default(null) })
    .optional(),
});

/** Adds what the operator decides: about locations in review, and about pending CARs (B19, E5). */
export function addDecisions(app: Hono<Env>, network: Network, files: ReadonlyMap<string, MediaFile>): void {
  app.post("/control/locations/:id/approve", async (c) => {
    const sent = await sentOptionalBody(c, locationApprovalSchema);
    if (sent.kind === "refused") return sent.answer;
    return decide(c, network, { kind: "approve", availableForAds: sent.value.available_for_ads });
  });
  app.post("/control/locations/:id/return", (c) => decide(c, network, { kind: "return" }));
  app.post("/control/cars", async (c) => {
    const sent = await sentOptionalBody(c, submissionSchema);
    if (sent.kind === "refused") return sent.answer;
    const { organizations } = network.state.inventory;
    const { org_token = organizations.keys().next().value ?? "" } = sent.value;
    const owner = organizations.get(org_token);
    if (owner === undefined) return problem(c, 404, "unknown_organization", `there is no organization ${org_token}`);
    const creation = submitApproval(network, owner, sent.value);
    if (creation.kind !== "accepted") return problem(c, 409, "too_many", "the organization has too many CARs");
    return c.json(await carJson(network, files, owner, creation.value), 201);
  });
  app.post("/control/cars/:id/approve", async (c) => {
    const found = ownerOf(c, network, (owner) => owner.approvals);
    if (found.kind === "refused") return found.answer;
    const result = approveIn(network, found.owner, found.value);
    if (result.kind !== "accepted") return conflict(c, result);
    return c.json(await carJson(network, files, found.owner, result.value));
  });
}

function decide(c: Context<Env>, network: Network, decision: Parameters<typeof decideLocation>[3]): Response {
  const found = ownerOf(c, network, (owner) => owner.locations);
  if (found.kind === "refused") return found.answer;
  const result = decideLocation(network, found.owner, found.value, decision);
  return result.kind === "accepted" ? c.json(locationJson(network, found.owner, result.value)) : conflict(c, result);
}

function conflict(c: Context<Env>, { code, complaints }: Refusal): Response {
  return problem(c, 409, code, complaints.map(({ message }) => message).join("; "));
}

type Found<T> = ({ readonly kind: "found" } & Owned<T>) | { readonly kind: "refused"; readonly answer: Response };

/** What the id in the path names; where several organizations have one, `?org_token=` says whose is meant (A17). */
function ownerOf<T>(
  c: Context<Env>,
  network: Network,
  things: (owner: Organization) => ReadonlyMap<string, T>,
): Found<T> {
  const query = sentQuery(c, ownerSchema);
  if (query.kind === "refused") return query;
  const id = c.req.param("id") ?? "";
  const [found, another] = ownedBy(network, things, id, query.value.org_token);
  if (found === undefined) return { kind: "refused", answer: problem(c, 404, "not_found", `there is no ${id}`) };
  if (another === undefined) return { kind: "found", ...found };
  const detail = `several organizations have ${id}; say which with ?org_token=`;
  return { kind: "refused", answer: problem(c, 409, "ambiguous", detail) };
}
