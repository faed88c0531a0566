import type { Logger } from "pino";
import type { SpotClient, SpotOutcome } from "../../client/spot-client.ts";
import type { LoopEvent } from "../../core/loop/loop.ts";
import type { Unfilled } from "../../core/loop/pace.ts";
import type { Clock } from "../clock.ts";

/** What a spot request needs. */
export interface SpotRequestParts {
  readonly screenId: string;
  readonly clock: Clock;
  readonly client: SpotClient;
  readonly log: Logger;
  readonly onAsked: (outcome: SpotOutcome) => void;
  readonly signal: AbortSignal;
}

/** Asks for the next spot and says what that means to the loop. The hour of its proofs runs from before it asks (F7). */
export async function requestSpot(parts: SpotRequestParts): Promise<LoopEvent> {
  const requestedAt = parts.clock.now();
  const outcome = await parts.client.getSpot(parts.screenId, parts.signal);
  parts.onAsked(outcome);
  noteInLog(parts.log, outcome);
  if (outcome.kind === "spot") return { kind: "spot-received", spot: outcome.spot, requestedAt };
  return { kind: "spot-unfilled", reason: reasonOf(outcome) };
}

function reasonOf(outcome: Exclude<SpotOutcome, { kind: "spot" }>): Unfilled {
  switch (outcome.kind) {
    case "empty":
      return { kind: "no-fill" };
    case "limited":
      return { kind: "limited", retryAfterMs: outcome.retryAfterMs };
    case "denied":
      return { kind: "denied" };
    case "unavailable":
      // A service in trouble that names a wait means it as a 429 does.
      return outcome.retryAfterMs === null
        ? { kind: "unavailable" }
        : { kind: "limited", retryAfterMs: outcome.retryAfterMs };
    case "refused":
      return { kind: "unavailable" };
  }
}

function noteInLog(log: Logger, outcome: SpotOutcome): void {
  if ("malformed" in outcome) {
    for (const item of outcome.malformed) log.warn({ item: item.kind, problems: item.problems }, "item malformed");
  }
  const [level, fields, text] = lineFor(outcome);
  log[level](fields, text);
}

type Line = readonly [level: "info" | "warn" | "error", fields: object, text: string];

function lineFor(outcome: SpotOutcome): Line {
  switch (outcome.kind) {
    case "spot": {
      const { requestId, news, ad } = outcome.spot;
      return ["info", { requestId, news: news?.id, ad: ad?.id }, "spot received"];
    }
    case "empty":
      return ["info", {}, "no fill"];
    case "limited":
      return ["warn", { retryAfterMs: outcome.retryAfterMs }, "asked too often, as the service says"];
    case "denied":
      return [
        "error",
        { status: outcome.status },
        DENIED[outcome.status] ?? "the service denies this screen its spots",
      ];
    case "unavailable":
      return ["warn", { reason: outcome.reason }, "service unavailable"];
    case "refused":
      return ["warn", { status: outcome.status }, "spot request refused"];
  }
}

/** What the screen's operator can do about a denial. */
const DENIED: Readonly<Record<number, string>> = {
  401: "the service does not know the organization token: check orgToken in the configuration",
  403: "the organization token may not ask for spots: ask the network",
  404: "the service does not know this screen: check screenId and baseUrl in the configuration",
};
