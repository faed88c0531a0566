import type { Answer } from "../../client/answer.ts";
import { discard, type FollowedReply, follow, type Get, succeeded } from "../../client/http.ts";
import { isHtml, isSameHost } from "../../client/reply.ts";
import type { SpotOutcome } from "../../client/spot-client.ts";
import { hourOfWeek, isOpen, nextChange } from "../../core/opening-hours.ts";
import type { Item } from "../../core/spot.ts";
import type { Access } from "../../player/config/access.ts";
import type { Config } from "../../player/config/config.ts";
import { egressPolicy, limitedBy } from "../../player/network/egress-policy.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import { exitCodes } from "../command-line.ts";
import { failureCode, failureText } from "../vendor/calls.ts";
import { type Connection, connectionTo } from "../vendor/connection.ts";
import { type Ending, endingOf, type Finding, failure, fine, LOG_IN, warning } from "./finding.ts";

const SPOT_WITHIN_MS = 15_000;

/** Looks at the screen and its location as the service has them, what they block, and where a spot's requests end. */
export async function screenFindings(access: Access, config: Config, screenId: string): Promise<Finding[]> {
  const connection = connectionTo(access);
  const screen = await connection.service.getScreen(screenId);
  if (screen.kind !== "ok") return [unread("screen", `screen ${screenId}`, screen)];
  const location = await connection.service.getLocation(screen.value.location_id);
  return [
    screenFinding(screen.value),
    ...(location.kind === "ok"
      ? [
          locationFinding(location.value),
          await typeFinding(connection, screen.value, location.value),
          hours(location.value, config.openingHours.respect, Date.now()),
        ]
      : [unread("location", `location ${screen.value.location_id}`, location)]),
    ...(await spot(connection, config, screenId)),
  ];
}

function unread(name: string, what: string, answer: Exclude<Answer<unknown>, { kind: "ok" }>): Finding {
  const advice = answer.kind === "notFound" ? "Mend screenId, or make it: spotloop provision" : null;
  const code = answer.kind === "notFound" ? exitCodes.failed : failureCode(answer);
  return failure(name, failureText(answer, { what }).replace(/\.$/, ""), advice, code);
}

function screenFinding({ screen_id, archived, available_for_ads, width, height }: Screen): Finding {
  const text = `${screen_id}, ${width}x${height}`;
  const mend = `spotloop screens update ${screen_id}`;
  if (archived) return warning("screen", `${text}, is archived: it gets no spots`, `${mend} --archived no`);
  if (!available_for_ads) return warning("screen", `${text}, takes no ads`, `${mend} --available-for-ads yes`);
  return fine("screen", text);
}

function locationFinding({ location_id, status, archived, available_for_ads }: Location): Finding {
  const text = `${location_id}, ${status}`;
  const mend = `spotloop locations update ${location_id}`;
  if (archived) return warning("location", `${text}, is archived: no spots`, `${mend} --archived no`);
  if (status === "DRAFT") return warning("location", `${text}: no spots`, `spotloop locations submit ${location_id}`);
  if (status === "REVIEW") return warning("location", `${text}: no spots yet`, "The operator has to approve it.");
  if (!available_for_ads) return warning("location", `${text}, takes no ads`, `${mend} --available-for-ads yes`);
  return fine("location", text);
}

async function typeFinding({ reader, signal }: Connection, screen: Screen, location: Location): Promise<Finding> {
  const tree = await reader.venueTree(signal);
  const parent = tree.kind === "ok" ? tree.value.get(screen.venue_type_id)?.parent_id : location.venue_type_id;
  const fits = screen.venue_type_id === location.venue_type_id || parent === location.venue_type_id;
  if (fits) return fine("venue type", screen.venue_type_id);
  const text = `${screen.venue_type_id} does not belong to the location's ${location.venue_type_id}: no ads`;
  return warning(
    "venue type",
    text,
    `spotloop screens update ${screen.screen_id} --venue-type ${location.venue_type_id}`,
  );
}

/** Open or closed, until when by the location's own clocks, and what that means to this screen. */
function hours({ opening_168, timezone }: Location, respected: boolean, now: number): Finding {
  if (opening_168 === null || timezone === null || hourOfWeek(now, timezone) === null) {
    return fine("opening hours", respected ? "not known: the screen plays at all hours" : "not known");
  }
  const opening = { hours: opening_168, timeZone: timezone };
  const change = nextChange(opening, now);
  const until = change === null ? "" : ` until ${localTime(change, timezone)}`;
  if (isOpen(opening, now)) return fine("opening hours", `open now${until}`);
  return fine("opening hours", `closed now${until}: ${respected ? "the screen rests" : "there may be no ads"}`);
}

function localTime(at: number, timeZone: string): string {
  const shape = { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return new Intl.DateTimeFormat("en-GB", { ...shape, timeZone }).format(at);
}

/** Asks for one spot, which is then not played, and goes the ways of its media and proofs. */
async function spot({ service, requests }: Connection, config: Config, screenId: string): Promise<Finding[]> {
  const outcome = await service.getSpot(screenId, AbortSignal.timeout(SPOT_WITHIN_MS));
  if (outcome.kind !== "spot") return [withoutSpot(outcome)];
  const items = [outcome.spot.news, outcome.spot.ad].filter((item) => item !== null);
  const came = fine("spot", items.map(({ kind, mimeType }) => `${kind} ${mimeType}`).join(", "));
  return [came, ...(await mediaFindings(items, config)), ...(await popFindings(items, requests.fetch))];
}

function withoutSpot(outcome: Exclude<SpotOutcome, { kind: "spot" }>): Finding {
  switch (outcome.kind) {
    case "empty":
      return warning("spot", "none for now", "What keeps it from spots is above; else ask the operator for campaigns.");
    case "limited":
      return warning("spot", "the service asks to wait", null);
    case "denied":
      return failure(
        "spot",
        `is refused (HTTP ${outcome.status})`,
        "Check the token and screenId.",
        exitCodes.permission,
      );
    case "refused":
      return failure(
        "spot",
        `is refused (HTTP ${outcome.status})`,
        "Tell the network's operator.",
        exitCodes.unavailable,
      );
    case "unavailable":
      return failure("spot", outcome.reason, "Tell the network's operator.", exitCodes.unavailable);
  }
}

const WITHIN_MS = 15_000;

/** Of Chromium; nothing but the player's own program knows it. */
const { chrome = "0" } = process.versions;
/** Some servers refuse whoever is no browser. To them the player is one. */
const AS_BROWSER = {
  "user-agent": `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chrome} Safari/537.36`,
} as const;

/** Asks for the first bytes of each item's media, by the way and within the policy that the player has for them. */
async function mediaFindings(items: readonly Item[], config: Config): Promise<Finding[]> {
  const { fetchGuardedBy } = await import("../../player/network/routed-requests.ts");
  const policy = egressPolicy(config);
  const fetch = fetchGuardedBy(policy, config.network.uplink);
  const get = limitedBy(policy, (url, signal) => fetch(url, { redirect: "manual", signal, headers: AS_BROWSER }));
  return Promise.all(items.map((item) => media(item, get)));
}

/**
 * Asks each host that proofs go to for its first page, which any answer is good enough for. The proofs themselves are not
 * sent: nothing was shown.
 */
async function popFindings(items: readonly Item[], fetch: typeof globalThis.fetch): Promise<Finding[]> {
  const hosts = [...new Set(items.map(({ pop }) => new URL("/", pop).href))];
  return Promise.all(hosts.map((url) => popHost(url, fetch)));
}

async function media({ kind, url, mimeType }: Item, get: Get): Promise<Finding> {
  const { host } = new URL(url);
  const fail = ({ reason, advice }: Ending) => {
    return failure(`${kind} media`, `does not come from ${host} (${reason})`, advice, exitCodes.unavailable);
  };
  try {
    const reply = await follow(get, url, AbortSignal.timeout(WITHIN_MS));
    await discard(reply);
    if (isPortalFor(url, reply) && !/html/i.test(mimeType)) return fail({ reason: "captive portal", advice: LOG_IN });
    if (succeeded(reply.status)) return fine(`${kind} media`, `comes from ${host}`);
    const advice = `Let this machine reach ${host}: a firewall may allow the service only.`;
    return fail({ reason: `HTTP ${reply.status}`, advice });
  } catch (error) {
    return fail(endingOf(error, host));
  }
}

async function popHost(url: string, fetch: typeof globalThis.fetch): Promise<Finding> {
  const { host } = new URL(url);
  try {
    await discard(await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(WITHIN_MS) }));
    return fine("proof host", `${host} answers`);
  } catch (error) {
    const { reason, advice } = endingOf(error, host);
    return failure("proof host", `${host} does not answer (${reason})`, advice, exitCodes.unavailable);
  }
}

/** A portal answers in place of `http:` hosts only, with a page of its own. */
function isPortalFor(url: string, reply: FollowedReply): boolean {
  return /^http:/i.test(url) && isHtml(reply) && (succeeded(reply.status) || !isSameHost(url, reply.url));
}
