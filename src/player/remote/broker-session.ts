import { setTimeout as sleep } from "node:timers/promises";
import {
  ErrorWithReasonCode,
  ErrorWithSubackPacket,
  type IConnackPacket,
  type IPublishPacket,
  MqttClient,
  ReasonCodes,
} from "mqtt";
import type { Logger } from "pino";
import { type Backoff, backoffMs } from "../../core/backoff.ts";
import type { Instant } from "../../core/spot.ts";
import { type Clock, NEVER, Timer } from "../clock.ts";
import type { Metrics } from "../health/metrics.ts";
import { ANSWERED_WITHIN_MS, BrokerAnswers } from "./broker-answers.ts";
import type { BrokerLine } from "./broker-line.ts";
import { BrokerTidings } from "./broker-tidings.ts";
import type { RemoteDesk } from "./remote-desk.ts";

/** Where the broker is, and as whom the player comes there. */
export interface BrokerPlace {
  readonly clientId: string;
  readonly topicPrefix: string;
  readonly openLine: (signal: AbortSignal) => Promise<BrokerLine>;
}

export interface BrokerSessionParts extends BrokerPlace {
  readonly desk: Pick<RemoteDesk, "take" | "refuseElsewhere">;
  readonly clock: Clock;
  /** Chance in [0, 1), for jitter only. */
  readonly random: () => number;
  readonly metrics: Pick<Metrics, "remoteConnections">;
  readonly log: Logger;
}

/** Between two tries to connect: a fleet does not come back to its broker in one instant. */
const AGAIN: Backoff = { firstMs: 1_000, longestMs: 120_000, exactWaits: 0 };
/** How long the broker keeps what came while the player was away; commands are stale long before. */
const SESSION_SECONDS = 3_600;
const KEEPALIVE_SECONDS = 30;
/** A broker that takes longer to answer the subscription is asked over a new connection. */
const SUBSCRIBED_WITHIN_MS = 15_000;
/** Only a connection that lasts so long ends the waits that grow: two players with one name end each other's at once. */
const STEADY_AFTER_MS = 60_000;
/** How many commands the broker sends before any is acknowledged, and how large they may be: what is larger it drops. */
const MOST_UNACKNOWLEDGED = 16;
const MOST_PACKET_BYTES = 64 * 1024;
/** A command that takes longer is acknowledged while it is done: nothing else is heard before. Its id is noted by then. */
const ACKNOWLEDGED_WITHIN_MS = 500;
/** Where the commands of a player come. */
export function commandsTopic({ topicPrefix, clientId }: Omit<BrokerPlace, "openLine">): string {
  return `${topicPrefix}/${clientId}/commands`;
}

/** In words, by its number and without secrets: `Not authorized (0x87)`. */
export function reasonText(code: number): string {
  const name = ReasonCodes[code as keyof typeof ReasonCodes] ?? "";
  return `${name || "without a reason"} (0x${code.toString(16).padStart(2, "0")})`;
}

/** Why a broker ends a connection whatever was sent (MQTT 5, 3.14.2.1): it shuts down, another has this name, too many at once. */
const WHATEVER_WAS_SENT: ReadonlySet<number> = new Set([0x8b, 0x8e, 0x93]);

type Limits = NonNullable<IConnackPacket["properties"]>;

/** The player at its broker: takes commands from its own topic and answers them, and comes back whenever it was cut off. */
export class BrokerSession {
  readonly #parts: BrokerSessionParts;
  readonly #commands: string;
  readonly #answers: BrokerAnswers;
  readonly #again: Timer;
  readonly #ending = new AbortController();
  /** The one that was begun last, and the same once it is connected. */
  #client: MqttClient | null = null;
  /** Since when commands can come, monotonic; `NEVER` where they cannot yet. */
  #since: Instant = NEVER;
  /** Whether the broker was asked for commands, and has not answered yet. */
  #isAsking = false;
  /** Why the connection ends, where that is known. */
  #reason: string | null = null;
  #failures = 0;
  readonly #tidings: BrokerTidings;

  constructor(parts: BrokerSessionParts) {
    const { clientId, topicPrefix, clock, metrics, log } = parts;
    this.#parts = parts;
    this.#tidings = new BrokerTidings(metrics, log);
    this.#commands = commandsTopic(parts);
    this.#answers = new BrokerAnswers({ topic: `${topicPrefix}/${clientId}/answers`, clock, log });
    this.#again = new Timer(clock, () => void this.#connect());
  }

  /** Begins to connect, once. */
  start(): void {
    void this.#connect();
  }

  /** Whether commands can come. */
  get connected(): boolean {
    return this.#tidings.isConnected;
  }

  /** Leaves the broker, which keeps the session. */
  async close(): Promise<void> {
    this.#ending.abort(new Error("the player stops"));
    this.#again.set(NEVER);
    this.#answers.close();
    await Promise.race([this.#client?.endAsync(false), sleep(ANSWERED_WITHIN_MS)]);
    this.#client?.stream.destroy();
  }

  /**
   * Each connection has a client of its own: what it has not sent when it ends is kept here, and what it has not acknowledged
   * the broker sends again.
   */
  async #connect(): Promise<void> {
    const { openLine, clientId, clock } = this.#parts;
    const { signal } = this.#ending;
    this.#tidings.begin();
    let line: BrokerLine;
    try {
      line = await openLine(signal);
    } catch (error) {
      this.#note(error);
      return this.#wait();
    }
    if (signal.aborted) return void line.socket.destroy();
    const client = new MqttClient(() => line.socket, { clientId, ...SESSION, ...(line.login ?? {}) });
    // What the screen waits for goes between two commands, however many come at once.
    client.handleMessage = (packet, acknowledge) => void this.#take(packet).then(() => setImmediate(acknowledge));
    client.on("connect", ({ properties = {} }) => this.#begin(client, properties));
    client.on("disconnect", ({ reasonCode = 0 }) => this.#dismissed(client, reasonCode));
    client.on("error", (error) => this.#leave(client, error));
    client.once("close", () => {
      if (clock.now() - this.#since >= STEADY_AFTER_MS) this.#failures = 0;
      this.#client = null;
      this.#since = NEVER;
      client.end(true);
      this.#leave(client, new Error(this.#inFull("the connection ended")));
      this.#answers.end(this.#reason ?? "");
      this.#reason = null;
      this.#isAsking = false;
      this.#wait();
    });
    this.#client = client;
  }

  #wait(): void {
    if (this.#ending.signal.aborted) return;
    const { clock, random } = this.#parts;
    this.#failures++;
    this.#again.set(clock.now() + backoffMs(AGAIN, this.#failures, random()));
  }

  /** Retained commands are not asked for: they would come again at each start. */
  #begin(client: MqttClient, limits: Limits): void {
    const { clock } = this.#parts;
    this.#isAsking = true;
    this.#answers.begin(client, limits);
    const unanswered = () => this.#leave(client, new Error("the broker does not answer the subscription"));
    const callOff = clock.alarm(clock.now() + SUBSCRIBED_WITHIN_MS, unanswered);
    client.once("close", callOff);
    client.subscribe(this.#commands, { qos: 1, rh: 2 }, (error) => {
      callOff();
      if (error) return this.#leave(client, this.#unsubscribed(error));
      this.#isAsking = false;
      this.#since = clock.now();
      this.#tidings.connected(this.#commands);
    });
  }

  /** Ends a connection over which nothing can be relied on: another follows after the usual wait. */
  #leave(client: MqttClient, error: Error): void {
    this.#reason ??= error.message;
    this.#note(error);
    client.stream.destroy();
  }

  /** The broker has ended the connection, and said why. */
  #dismissed(client: MqttClient, reasonCode: number): void {
    if (WHATEVER_WAS_SENT.has(reasonCode)) this.#answers.excuse();
    const text = this.#inFull(`the broker ended the connection: ${reasonText(reasonCode)}`);
    this.#leave(client, new ErrorWithReasonCode(text, reasonCode));
  }

  /** Some brokers end the connection over a topic that they forbid. */
  #inFull(text: string): string {
    return this.#isAsking ? `${text}, before it answered the subscription to ${this.#commands}` : text;
  }

  /** The client takes the end of the connection for an answer to the subscription. */
  #unsubscribed(error: Error): Error {
    if (!isRefusal(error)) return new Error(this.#inFull("the connection ended"));
    return new ErrorWithSubackPacket(
      `the subscription to ${this.#commands} is refused: ${error.message}`,
      error.packet,
    );
  }

  #note(error: unknown): void {
    if (!this.#ending.signal.aborted) this.#tidings.failed(error);
  }

  /** Resolves when the command can be acknowledged: its answer goes out before, where the broker takes it by then. */
  async #take({ topic, payload, properties }: IPublishPacket): Promise<void> {
    const { desk } = this.#parts;
    const correlation = properties?.correlationData;
    if (topic !== this.#commands) return this.#answers.add(desk.refuseElsewhere("mqtt"), correlation);
    const taken = desk.take(Buffer.from(payload), "mqtt");
    await Promise.race([taken.then((one) => this.#answers.add(one, correlation)), sleep(ACKNOWLEDGED_WITHIN_MS)]);
  }
}

/** Whether the broker has refused a subscription, rather than ended the connection before it answered. */
export function isRefusal(error: Error): error is ErrorWithSubackPacket {
  return error instanceof ErrorWithSubackPacket && error.packet !== undefined;
}

/** How the player comes: what came while it was away waits at the broker. */
export const SESSION = {
  protocolVersion: 5,
  clean: false,
  keepalive: KEEPALIVE_SECONDS,
  reconnectPeriod: 0,
  properties: {
    sessionExpiryInterval: SESSION_SECONDS,
    receiveMaximum: MOST_UNACKNOWLEDGED,
    maximumPacketSize: MOST_PACKET_BYTES,
  },
} as const;
