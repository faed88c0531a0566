import type { Answer } from "../../client/answer.ts";
import { follow } from "../../client/follow.ts";
import { getBy } from "../../client/get.ts";
import { succeeded } from "../../client/reading.ts";
import { reasonOf } from "../../client/reason.ts";
import { discard } from "../../client/reply.ts";
import type { SpotOutcome } from "../../client/service.ts";
import type { VendorService } from "../../client/vendor-service.ts";
import { hourOfWeek } from "../../core/local-time.ts";
import { isOpen, nextChange } from "../../core/opening.ts";
import type { Item } from "../../core/spot.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import { exitCodes } from "../exit.ts";
import { type Connection, connectionTo } from "../vendor/connection.ts";
import { failureCode, failureText } from "../vendor/failure.ts";
import { type Finding, failure, fine, warning } from "./finding.ts";

const MEDIA_WITHIN_MS = 15_000;

/** Looks at the screen and its location as the service has them, what they block, and whether a spot's media comes. */
export async function screenFindings(
  baseUrl: string,
  orgToken: string,
  screenId: string,
  respectsHours: boolean,
): Promise<Finding[]> {
  const connection = connectionTo(baseUrl, orgToken);
  const screen = await connection.service.getScreen(screenId);
  if (screen.kind !== "ok") return [unread("screen", `screen ${screenId}`, screen)];
  const location = await connection.service.getLocation(screen.value.location_id);
  return [
    screenFinding(screen.value),
    ...(location.kind === "ok"
      ? [
          locationFinding(location.value),
          await typeFinding(connection, screen.value, location.value),
          hours(location.value, respectsHours, Date.now()),
        ]
      : [unread("location", `location ${screen.value.location_id}`, location)]),
    ...(await spot(connection.service, screenId)),
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

/** Asks for one spot, which is then not played, and for the first bytes of its media. */
async function spot(service: VendorService, screenId: string): Promise<Finding[]> {
  const outcome = await service.getSpot(screenId, AbortSignal.timeout(MEDIA_WITHIN_MS));
  if (outcome.kind !== "spot") return [withoutSpot(outcome)];
  const items = [outcome.spot.news, outcome.spot.ad].filter((item) => item !== null);
  const came = fine("spot", items.map(({ kind, mimeType }) => `${kind} ${mimeType}`).join(", "));
  return [came, ...(await Promise.all(items.map(media)))];
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

async function media({ kind, url }: Item): Promise<Finding> {
  const host = new URL(url).host;
  try {
    const reply = await follow(getBy(globalThis.fetch), url, AbortSignal.timeout(MEDIA_WITHIN_MS));
    await discard(reply);
    if (succeeded(reply.status)) return fine(`${kind} media`, `comes from ${host}`);
    return unreachable(kind, host, `HTTP ${reply.status}`);
  } catch (error) {
    return unreachable(kind, host, reasonOf(error));
  }
}

function unreachable(kind: string, host: string, reason: string): Finding {
  const advice = `Let this machine reach ${host}: a firewall may allow the service only.`;
  return failure(`${kind} media`, `does not come from ${host} (${reason})`, advice, exitCodes.unavailable);
}
