import { ErrorWithReasonCode, ErrorWithSubackPacket } from "mqtt";
import type { Logger } from "pino";
import type { Metrics } from "../health/metrics.ts";
import { codeOf } from "../stores/database.ts";

/** What came of a try to connect; `refused`: the broker knows no such player, or lets it read nothing. */
type Connection = "connected" | "certificate" | "refused" | "network";

/** Of one outage so many reasons are told at most. */
const MOST_REASONS = 20;

/**
 * Tells log and metrics how it stands with the broker. An outage is one line for each reason that it has: a machine that boots without a
 * network, and whose password the broker refuses once there is one, says both.
 */
export class BrokerTidings {
  readonly #metrics: Pick<Metrics, "remoteConnections">;
  readonly #log: Logger;
  readonly #told = new Set<string>();
  #isConnected = false;
  #isCounted = false;
  #hasFailed = false;

  constructor(metrics: Pick<Metrics, "remoteConnections">, log: Logger) {
    this.#metrics = metrics;
    this.#log = log;
  }

  /** Whether commands can come. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Another try begins. */
  begin(): void {
    this.#isCounted = false;
    this.#hasFailed = false;
  }

  /** Commands can come on this topic. */
  connected(topic: string): void {
    this.#isConnected = true;
    this.#told.clear();
    this.#count("connected");
    this.#log.info({ topic }, "the broker of remote commands is connected");
  }

  /** A try, or the connection that it came to, has failed: of several reasons the first is the one that says most. */
  failed(error: unknown): void {
    this.#isConnected = false;
    this.#count(connectionOf(error));
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const reason = reasonIn(error);
    if (this.#told.has(reason) || this.#told.size >= MOST_REASONS) return;
    this.#told.add(reason);
    this.#log.warn({ reason }, "the broker of remote commands cannot be reached");
  }

  /** Each try once, by what it came to first. */
  #count(outcome: Connection): void {
    if (!this.#isCounted) this.#metrics.remoteConnections.inc({ outcome });
    this.#isCounted = true;
  }
}

/** Of several addresses that were tried in vain the system's code is all that there is. */
function reasonIn(error: unknown): string {
  return error instanceof Error ? error.message || codeOf(error) || error.name : String(error);
}

/** Of TLS the codes name certificates of either side; with an alert the broker says that it does not take this player's. */
function connectionOf(error: unknown): Connection {
  if (error instanceof ErrorWithReasonCode || error instanceof ErrorWithSubackPacket) return "refused";
  return /CERT|ERR_SSL|ERR_TLS|SELF_SIGNED|UNABLE_TO_/.test(codeOf(error) ?? "") ? "certificate" : "network";
}
