import { approvalSchema, rejectedApprovalSchema, rejectionSchema } from "../../wire/inventory.ts";
import { spotAnswerSchema } from "../../wire/spot.ts";
import { json, refusal } from "../http/answers.ts";
import { itemOfApproval, rejectIn } from "../inventory/approvals.ts";
import type { Approval } from "../inventory/inventory.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import { issueSpot } from "../spot/issue.ts";
import { type AddEndpoint, callersOrganization, type Endpoint, sentObject, unknownObject } from "./endpoint.ts";

const getApproval: Endpoint = {
  route: "approval",
  method: "get",
  summary: "Get a creative approval request",
  answer: approvalSchema,
  errors: [404],
};

const rejectApproval: Endpoint = {
  route: "rejectApproval",
  method: "post",
  summary: "Reject a creative approval request",
  body: rejectionSchema,
  answer: rejectedApprovalSchema,
  errors: [400, 404, 413, 415, 422],
};

/** Adds "Get" and "Reject a CAR" to the service (contract, "Creative approval requests"; section E). */
export function addApprovals(add: AddEndpoint, network: Network, files: ReadonlyMap<string, MediaFile>): void {
  add(getApproval, async (c) => {
    const id = c.req.param("car_id") ?? "";
    const approval = callersOrganization(c, network)?.approvals.get(id);
    if (approval === undefined) return unknownObject(c, "CAR", id);
    const { status, advertiser_name, cities, countries, rejection_reasons, custom_message, created_on } = approval;
    const item = await itemOfApproval(network, files, approval);
    const decision = { rejection_reasons, custom_message, created_on };
    return json(c, { car_id: id, status, advertiser_name, cities, countries, item, ...decision });
  });
  add(rejectApproval, async (c) => {
    const id = c.req.param("car_id") ?? "";
    if (!callersOrganization(c, network)?.approvals.has(id)) return unknownObject(c, "CAR", id);
    const sent = await sentObject(c, network, rejectionSchema);
    if (sent.kind === "refused") return sent.answer;
    // Looked up again: a call that came while the body did may have decided it.
    const organization = callersOrganization(c, network);
    const approval = organization?.approvals.get(id);
    if (organization === undefined || approval === undefined) return unknownObject(c, "CAR", id);
    const { rejection_reasons, custom_message = null } = sent.value;
    const result = rejectIn(network, organization, approval, rejection_reasons, custom_message);
    if (result.kind !== "accepted") return refusal(c, result);
    c.get("note").events.push(`the advertiser of CAR ${id} is notified of its rejection`);
    return json(c, rejected(result.value));
  });
}

/** The contract has other names here than where a CAR is read. */
function rejected({ car_id, created_on, updated_on, ...approval }: Approval) {
  const { status, advertiser_name, campaign_name, rejection_reasons, custom_message } = approval;
  const told = { status, advertiser_name, campaign_name, rejection_reasons, custom_message };
  return { id: car_id, ...told, created_at: created_on, updated_at: updated_on };
}

const getSpot: Endpoint = {
  route: "spot",
  method: "get",
  summary: "Get a single creative set for a single playout",
  answer: spotAnswerSchema,
  errors: [404],
};

/** Adds "Get Spot" to the service (contract, "Real-time content"; F1-F7). */
export function addSpot(add: AddEndpoint, network: Network): void {
  add(getSpot, (c) => {
    const id = c.req.param("screen_id") ?? "";
    const organization = callersOrganization(c, network);
    const screen = organization?.screens.get(id);
    if (organization === undefined || screen === undefined) return unknownObject(c, "screen", id);
    const spot = issueSpot(network, { organization, screen });
    c.get("note").requestId = spot.data.requestId;
    return json(c, spot);
  });
}
