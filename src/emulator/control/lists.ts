import type { Hono } from "hono";
import { z } from "zod";
import { isMismatched } from "../../core/screen.ts";
import { venueTypeName } from "../../core/venue-type.ts";
import { approvalStatusSchema } from "../../wire/approval.ts";
import { locationStatusSchema, type Screen } from "../../wire/inventory.ts";
import type { Env } from "../http/answers.ts";
import { itemOfApproval } from "../inventory/approval-item.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import type { Approval, Organization } from "../world/inventory.ts";
import { sentQuery } from "./body.ts";

const ofLocationStatus = z.strictObject({ org_token: z.string().optional(), status: locationStatusSchema.optional() });
const ofApprovalStatus = z.strictObject({ org_token: z.string().optional(), status: approvalStatusSchema.optional() });

/** Adds the lists that the contract lacks. A screen's status is its location's. */
export function addLists(app: Hono<Env>, network: Network, files: ReadonlyMap<string, MediaFile>): void {
  app.get("/control/locations", (c) => {
    const query = sentQuery(c, ofLocationStatus);
    if (query.kind === "refused") return query.answer;
    const all = owners(network, query.value.org_token).flatMap((owner) =>
      [...owner.locations.values()].map((location) => locationAccount(network, owner, location)),
    );
    return c.json(all.filter(({ status }) => (query.value.status ?? status) === status));
  });
  app.get("/control/screens", (c) => {
    const query = sentQuery(c, ofLocationStatus);
    if (query.kind === "refused") return query.answer;
    const all = owners(network, query.value.org_token).flatMap((owner) =>
      [...owner.screens.values()].map((screen) => screenAccount(network, owner, screen)),
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
    return c.json(await Promise.all(wanted.map(({ owner, approval }) => carAccount(network, files, owner, approval))));
  });
}

/** A location with its owner and the name of its venue type (D2). */
export function locationAccount<L extends { readonly venue_type_id: string | null }>(
  { tree }: Network,
  { orgToken }: Organization,
  location: L,
) {
  const { venue_type_id } = location;
  return { org_token: orgToken, ...location, venue_type: venue_type_id && venueTypeName(tree, venue_type_id) };
}

/** A request with its owner and its creative. */
export async function carAccount(
  network: Network,
  files: ReadonlyMap<string, MediaFile>,
  { orgToken }: Organization,
  approval: Approval,
) {
  const { creative: _, ...account } = approval;
  return { org_token: orgToken, ...account, item: await itemOfApproval(network, files, approval) };
}

/** A screen with its owner, where its location stands, and what keeps it from ads (B13). */
function screenAccount({ tree }: Network, { orgToken, locations }: Organization, screen: Screen) {
  const location = locations.get(screen.location_id);
  const flags = location !== undefined && isMismatched(screen, location, tree) ? ["venue_type_mismatch"] : [];
  const venue_type = venueTypeName(tree, screen.venue_type_id);
  return { org_token: orgToken, ...screen, venue_type, location_status: location?.status ?? null, flags };
}

function owners({ state }: Network, orgToken: string | undefined): Organization[] {
  const all = [...state.inventory.organizations.values()];
  return orgToken === undefined ? all : all.filter((organization) => organization.orgToken === orgToken);
}
