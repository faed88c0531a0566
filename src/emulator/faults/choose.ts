import { baseType, type Instant, type ItemKind } from "../../core/spot.ts";
import { routeAt } from "../../wire/routes.ts";
import { fileAt, type MediaFile } from "../media/files.ts";
import { chance, type Dice } from "../random.ts";
import { type Ledger, POP_PATH, servedWith } from "../spot/ledger.ts";
import { CREATIVES_PATH } from "../world/creatives.ts";
import { type Fault, type FaultMatch, MOST_FAULTS } from "./schema.ts";

/** What a rule can look at in a call; `null` where a call has no such thing. */
export interface FaultSubject {
  readonly surface: "service" | "media";
  readonly route: string | null;
  readonly orgToken: string | null;
  readonly screenId: string | null;
  readonly kind: ItemKind | null;
  /** Base type, in lower case. */
  readonly mimeType: string | null;
}

/** A rule in force. Plain values, so that it can be kept and brought back. */
export interface ActiveFault extends Fault {
  /** When it is over, on the network's clock; `null` for never. */
  until: Instant | null;
  /** How many calls it has matched, those among them that it let pass included. */
  matched: number;
  /** How many calls it has struck. */
  applied: number;
}

/** Puts rules in force from now on. */
export function activeFaults(rules: readonly Fault[], now: Instant): ActiveFault[] {
  return rules.map((rule) => {
    const until = rule.forSeconds === null ? null : now + rule.forSeconds * 1000;
    return { ...rule, until, matched: 0, applied: 0 };
  });
}

/** Those that are not over; the very same list while all are in force. */
export function inForce(faults: ActiveFault[], now: Instant): ActiveFault[] {
  // Faults of a data file of before have no end.
  const isOver = ({ until = null }: Partial<ActiveFault>) => until !== null && now >= until;
  return faults.some(isOver) ? faults.filter((fault) => !isOver(fault)) : faults;
}

/** Those that are not over, with more after them; `null` where that would be more than there may be. */
export function joined(faults: ActiveFault[], rules: readonly Fault[], now: Instant): ActiveFault[] | null {
  const all = [...inForce(faults, now), ...activeFaults(rules, now)];
  return all.length > MOST_FAULTS ? null : all;
}

/**
 * The rule that strikes a call: the first that matches. One that still skips, is used up or loses its toss counts as
 * not matching, so that the next one is asked.
 */
export function chooseFault(rules: readonly ActiveFault[], dice: Dice, subject: FaultSubject): ActiveFault | null {
  for (const rule of rules) {
    if (!fits(rule.match, subject)) continue;
    rule.matched += 1;
    if (rule.matched <= rule.skip || rule.applied >= (rule.times ?? Number.POSITIVE_INFINITY)) continue;
    if (rule.probability < 1 && chance(dice, "fault") >= rule.probability) continue;
    rule.applied += 1;
    return rule;
  }
  return null;
}

function fits({ surface, route, org_token, screen_id, kind, mimeType }: FaultMatch, subject: FaultSubject): boolean {
  return (
    (surface === undefined || surface === subject.surface) &&
    (route === undefined || route === subject.route) &&
    (org_token === undefined || org_token === subject.orgToken) &&
    (screen_id === undefined || screen_id === subject.screenId) &&
    (kind === undefined || kind === subject.kind) &&
    (mimeType === undefined || isOfType(subject.mimeType, mimeType.toLowerCase()))
  );
}

function isOfType(type: string | null, wanted: string): boolean {
  if (type === null) return false;
  return wanted.endsWith("/*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

/** What tells which item a call is about. */
interface Serving {
  readonly state: { readonly ledger: Ledger };
  readonly mediaUrl: string;
}

/** What a call is about, before anything has been done for it. `target`: path and query as they were sent. */
export function subjectOf(
  network: Serving,
  files: ReadonlyMap<string, MediaFile>,
  surface: FaultSubject["surface"],
  target: string,
): FaultSubject {
  const path = target.split("?", 1)[0] ?? "";
  if (surface === "service") {
    const match = routeAt(path);
    const { org_token: orgToken = null, screen_id: screenId = null } = match?.parameters ?? {};
    return { surface, route: match?.route ?? null, orgToken, screenId, kind: null, mimeType: null };
  }
  if (path.startsWith(POP_PATH)) return itemSubject(network, files, "pop", target, null);
  if (!path.startsWith(CREATIVES_PATH)) return { surface, ...NOTHING };
  // Media is put down to the item that was served last with its URL, as in the ledger.
  const popPath = network.state.ledger.latest.get(network.mediaUrl + target)?.popPath ?? "";
  return itemSubject(network, files, "media", popPath, path);
}

const NOTHING = { route: null, orgToken: null, screenId: null, kind: null, mimeType: null };

function itemSubject(
  { state, mediaUrl }: Serving,
  files: ReadonlyMap<string, MediaFile>,
  route: "pop" | "media",
  popPath: string,
  asked: string | null,
): FaultSubject {
  const { spot = null, kind = null, item = null } = servedWith(state.ledger, popPath) ?? {};
  const url = item?.url ?? "";
  const path = asked ?? (url.startsWith(`${mediaUrl}/`) ? (url.slice(mediaUrl.length).split("?", 1)[0] ?? "") : "");
  const contentType = fileAt(files, path)?.contentType;
  const mimeType = contentType === undefined ? null : baseType(contentType);
  const { orgToken = null, screenId = null } = spot ?? {};
  return { surface: "media", route, orgToken, screenId, kind, mimeType };
}
