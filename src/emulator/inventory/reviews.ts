import { approveApproval, type RuleResult, rejectApproval } from "../../core/inventory/rules.ts";
import type { Instant } from "../../core/spot.ts";
import type { ApprovalItem, RejectionReason } from "../../wire/inventory.ts";
import { fileAt, type MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import { draw, freeIdentifier } from "../random.ts";
import { located } from "../spot/issue.ts";
import { MOST_ENTRIES } from "../world/schema.ts";
import type { Approval, Organization } from "./inventory.ts";
import { type Creation, decideLocation } from "./locations-and-screens.ts";

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
  const facts = await fileAt(files, path)?.facts();
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

/** What became of an approval by the operator, of a location or a CAR. */
export type Decision =
  | { readonly kind: "approved" }
  | { readonly kind: "unknown" }
  /** Several of that id wait. */
  | { readonly kind: "ambiguous" }
  /** It does not wait for a decision. */
  | { readonly kind: "refused"; readonly detail: string };

/** Something of an organization's. */
export interface Owned<T> {
  readonly owner: Organization;
  readonly value: T;
}

/** Everything of that id, of one organization or of all: several may use the same one (A17). */
export function ownedBy<T>(
  { state }: Network,
  things: (owner: Organization) => ReadonlyMap<string, T>,
  id: string,
  orgToken?: string,
): Owned<T>[] {
  return [...state.inventory.organizations.values()].flatMap((owner) => {
    const value = (orgToken ?? owner.orgToken) === owner.orgToken ? things(owner).get(id) : undefined;
    return value === undefined ? [] : [{ owner, value }];
  });
}

/** Approves the location or the CAR of that id (B19, E5). Of several it is the one that waits. */
export function approveCalled(network: Network, id: string, orgToken?: string): Decision {
  approveWhatIsDue(network);
  const called = [
    ...ownedBy(network, (owner) => owner.approvals, id, orgToken).map(({ owner, value }) => {
      return {
        isWaiting: value.status === "pending",
        approve: (): RuleResult<unknown> => approveIn(network, owner, value),
      };
    }),
    ...ownedBy(network, (owner) => owner.locations, id, orgToken).map(({ owner, value }) => {
      const decision = { kind: "approve", availableForAds: true } as const;
      const approve = (): RuleResult<unknown> => decideLocation(network, owner, value, decision);
      return { isWaiting: value.status === "REVIEW", approve };
    }),
  ];
  const [meant = called[0], another] = called.filter(({ isWaiting }) => isWaiting);
  if (meant === undefined) return { kind: "unknown" };
  if (another !== undefined) return { kind: "ambiguous" };
  const result = meant.approve();
  if (result.kind === "accepted") return { kind: "approved" };
  return { kind: "refused", detail: result.complaints.map(({ message }) => message).join("; ") };
}

/**
 * Approves what has waited for as long as the world that the state began as says in `autoApprove`, on the virtual clock,
 * and returns a line for each (B19, E5). To be called before anything looks at the inventory.
 */
export function approveWhatIsDue(network: Network): string[] {
  const { locationsMs, carsMs } = network.state.began.autoApprove;
  if (locationsMs === null && carsMs === null) return [];
  return [...network.state.inventory.organizations.values()].flatMap((organization) => [
    ...dueLocations(network, organization, locationsMs),
    ...dueApprovals(network, organization, carsMs),
  ]);
}

function dueLocations(network: Network, organization: Organization, delayMs: number | null): string[] {
  return due(organization.reviewSince, delayMs, network.clock.now()).flatMap((id) => {
    const location = organization.locations.get(id);
    if (location === undefined) return [];
    decideLocation(network, organization, location, { kind: "approve", availableForAds: true });
    return [`location ${id} approved after its time in review`];
  });
}

function dueApprovals(network: Network, organization: Organization, delayMs: number | null): string[] {
  return due(organization.pendingSince, delayMs, network.clock.now()).flatMap((id) => {
    const approval = organization.approvals.get(id);
    if (approval === undefined) return [];
    approveIn(network, organization, approval);
    return [`CAR ${id} approved after its time pending`];
  });
}

function due(since: ReadonlyMap<string, Instant>, delayMs: number | null, now: Instant): string[] {
  if (delayMs === null) return [];
  return [...since].filter(([, at]) => now - at >= delayMs).map(([id]) => id);
}
