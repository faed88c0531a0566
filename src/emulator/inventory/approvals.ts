import type { RuleResult } from "../../core/inventory/rule-result.ts";
import { approveApproval, rejectApproval } from "../../core/inventory/rules.ts";
import type { ApprovalItem, RejectionReason } from "../../wire/inventory.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import { draw, freeIdentifier } from "../random.ts";
import { located } from "../spot/issue.ts";
import { MOST_ENTRIES } from "../world/schema.ts";
import type { Approval, Organization } from "./inventory.ts";
import type { Creation } from "./locations-and-screens.ts";

/** What is told of a new approval; the rest is made up. */
export interface Submission {
  readonly advertiser_name?: string | undefined;
  readonly campaign_name?: string | undefined;
  readonly cities?: string[] | undefined;
  readonly countries?: string[] | undefined;
  readonly item?: ApprovalItem | undefined;
}

/** Adds a pending approval, and a campaign that runs on every screen once it is approved (E7, E9). */
export function submitApproval(network: Network, organization: Organization, told: Submission): Creation<Approval> {
  if (organization.approvals.size >= MOST_ENTRIES) return { kind: "full" };
  const { clock, state } = network;
  const car_id = freeIdentifier(state.dice, "car", organization.approvals);
  const at = clock.now();
  const created_on = new Date(at).toISOString();
  const approval: Approval = {
    car_id,
    status: "pending",
    advertiser_name: told.advertiser_name ?? oneOf(network, "advertiser", ADVERTISERS),
    campaign_name: told.campaign_name ?? oneOf(network, "campaign", CAMPAIGNS),
    cities: told.cities ?? [oneOf(network, "city", CITIES)],
    countries: told.countries ?? ["DEU"],
    creative: told.item === undefined ? oneOf(network, "creative", adsOf(network)) : null,
    item: told.item ?? null,
    rejection_reasons: null,
    custom_message: null,
    created_on,
    updated_on: created_on,
  };
  organization.approvals.set(car_id, approval);
  organization.pendingSince.set(car_id, at);
  organization.campaigns.push({ campaign_id: car_id.replace(/^car/, "cmp"), car_id, paid: true });
  return { kind: "accepted", value: approval };
}

/** Rejects a pending approval for good (contract, "Reject a CAR"; E1-E4, E7). */
export function rejectIn(
  network: Network,
  organization: Organization,
  approval: Approval,
  reasons: readonly RejectionReason[],
  message: string | null,
): RuleResult<Approval> {
  const result = rejectApproval(approval, { reasons, message });
  return result.kind === "accepted" ? decided(network, organization, result.value) : result;
}

/** The operator's approval (E5). */
export function approveIn(network: Network, organization: Organization, approval: Approval): RuleResult<Approval> {
  const result = approveApproval(approval);
  return result.kind === "accepted" ? decided(network, organization, result.value) : result;
}

/** The creative of an approval; size and digest are known of those that the media listener serves (A11, E6). */
export async function itemOfApproval(
  { mediaUrl, state }: Network,
  files: ReadonlyMap<string, MediaFile>,
  { item, creative }: Approval,
): Promise<ApprovalItem> {
  if (item !== null) return { ...item, url: located(item.url, `${mediaUrl}/`) };
  const known = state.inventory.creatives.get(creative ?? "");
  if (known === undefined) throw new Error(`there is no creative ${creative}`);
  const { title, mimeType, width, height, duration } = known;
  const url = located(known.url, `${mediaUrl}/`);
  const path = url.startsWith(`${mediaUrl}/`) ? new URL(url.slice(mediaUrl.length), url).pathname : "";
  const facts = await files.get(path)?.facts();
  return { url, title, width, height, duration, mimeType, size: facts?.sizeBytes ?? null, md5: facts?.md5 ?? null };
}

function decided({ clock }: Network, organization: Organization, approval: Approval): RuleResult<Approval> {
  const value = { ...approval, updated_on: new Date(clock.now()).toISOString() };
  organization.approvals.set(value.car_id, value);
  organization.pendingSince.delete(value.car_id);
  return { kind: "accepted", value };
}

/** The creatives that worlds advertise with: those that are no news and not bad, which must be asked for by name. */
function adsOf({ state: { inventory } }: Network): string[] {
  const ads = [...inventory.creatives.values()].filter(({ newsType, flaw }) => newsType === null && flaw === undefined);
  return ads.map(({ name }) => name);
}

function oneOf({ state: { dice } }: Network, purpose: string, choices: readonly string[]): string {
  const chosen = choices[draw(dice, `car-${purpose}`, 4).readUInt32BE() % choices.length];
  if (chosen === undefined) throw new Error(`there is no ${purpose} to choose from`);
  return chosen;
}

const ADVERTISERS = ["Alder & Sons", "Brightwater", "Copper Kettle", "Dune Travel", "Eastline", "Fjord Outdoor"];
const CAMPAIGNS = ["Spring opening", "Late summer", "Two for one", "New in town", "Last chance", "Ten years on"];
const CITIES = ["Hamburg", "Berlin", "Leipzig", "Bremen", "Dresden", "Kiel"];
