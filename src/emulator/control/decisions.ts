import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Refusal } from "../../core/ruling.ts";
import { approvalItemSchema } from "../../wire/approval.ts";
import { type Env, problem } from "../http/answers.ts";
import { approveIn, submitApproval } from "../inventory/approvals.ts";
import { decideLocation } from "../inventory/locations.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import type { Organization } from "../world/inventory.ts";
import { sentOptionalBody, sentQuery } from "./body.ts";
import { carAccount, locationAccount } from "./lists.ts";

const approvalSchema = z.strictObject({ available_for_ads: z.boolean().default(true) });
const ownerSchema = z.strictObject({ org_token: z.string().optional() });

/** A new CAR: what is left out is made up. `org_token`: the first organization's when absent. */
const submissionSchema = z.strictObject({
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
    const sent = await sentOptionalBody(c, approvalSchema);
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
    if (creation.kind !== "ruled") return problem(c, 409, "too_many", "the organization has too many CARs");
    return c.json(await carAccount(network, files, owner, creation.value), 201);
  });
  app.post("/control/cars/:id/approve", async (c) => {
    const found = ownerOf(c, network, (owner) => owner.approvals);
    if (found.kind === "refused") return found.answer;
    const ruling = approveIn(network, found.owner, found.value);
    if (ruling.kind !== "ruled") return conflict(c, ruling);
    return c.json(await carAccount(network, files, found.owner, ruling.value));
  });
}

function decide(c: Context<Env>, network: Network, decision: Parameters<typeof decideLocation>[3]): Response {
  const found = ownerOf(c, network, (owner) => owner.locations);
  if (found.kind === "refused") return found.answer;
  const ruling = decideLocation(network, found.owner, found.value, decision);
  return ruling.kind === "ruled" ? c.json(locationAccount(network, found.owner, ruling.value)) : conflict(c, ruling);
}

function conflict(c: Context<Env>, { code, complaints }: Refusal): Response {
  return problem(c, 409, code, complaints.map(({ message }) => message).join("; "));
}

type Found<T> =
  | { readonly kind: "found"; readonly owner: Organization; readonly value: T }
  | { readonly kind: "refused"; readonly answer: Response };

/** What the id in the path names; where several organizations have one, `?org_token=` says whose is meant (A17). */
function ownerOf<T>(
  c: Context<Env>,
  { state }: Network,
  things: (owner: Organization) => ReadonlyMap<string, T>,
): Found<T> {
  const query = sentQuery(c, ownerSchema);
  if (query.kind === "refused") return query;
  const id = c.req.param("id") ?? "";
  const wanted = query.value.org_token;
  const owners = [...state.inventory.organizations.values()].filter(
    (owner) => (wanted ?? owner.orgToken) === owner.orgToken,
  );
  const [found, another] = owners.flatMap((owner) => {
    const value = things(owner).get(id);
    return value === undefined ? [] : [{ kind: "found" as const, owner, value }];
  });
  if (found === undefined) return { kind: "refused", answer: problem(c, 404, "not_found", `there is no ${id}`) };
  if (another === undefined) return found;
  const detail = `several organizations have ${id}; say which with ?org_token=`;
  return { kind: "refused", answer: problem(c, 409, "ambiguous", detail) };
}
