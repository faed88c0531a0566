import { setTimeout as sleep } from "node:timers/promises";
import { ErrorWithReasonCode, ErrorWithSubackPacket, type IPublishPacket, MqttClient, ReasonCodes } from "mqtt";
import type { Logger } from "pino";
import { type Backoff, backoffMs } from "../../core/backoff.ts";
import type { Instant } from "../../core/spot.ts";
import { type Clock, NEVER, Timer } from "../clock.ts";
import type { Metrics } from "../health/metrics.ts";
import { codeOf } from "../stores/database.ts";
import type { BrokerLine } from "./broker-line.ts";
import type { Answer } from "./commands.ts";
import type { RemoteDesk, Taken } from "./remote-desk.ts";

export interface BrokerSessionParts {
  readonly clientId: string;
  readonly topicPrefix: string;
  readonly desk: Pick<RemoteDesk, "take" | "refuseElsewhere">;
  readonly openLine: (signal: AbortSignal) => Promise<BrokerLine>;
  readonly clock: Clock;
  /** Chance in [0, 1), for jitter only. */
  readonly random: () => number;
  readonly metrics: Pick<Metrics, "remoteConnections">;
  readonly log: Logger;
}

/** What came of a try to connect; `refused`: the broker knows no such player, or lets it read nothing. */
type Connection = "connected" | "certificate" | "refused" | "network";

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
/** Before the player ends by a command, its answer has so long to arrive. */
const ANSWERED_WITHIN_MS = 2_000;
/** Answers that the broker has not acknowledged go out again with the next connection; the oldest make room. */
const MOST_ANSWERS_KEPT = 2_000;
const MOST_ANSWER_BYTES_KEPT = 16 * 1024 * 1024;
/** What of a packet is not the answer itself: its topic and properties. */
const MOST_REST_BYTES = 1_024;
/** Some brokers end the connection over a packet that is too large, without a word: what was sent so often goes out lighter. */
const MOST_TRIES = 2;
/** Why a broker ends a connection whatever was sent (MQTT 5, 3.14.2.1): it shuts down, another has this name, too many at once. */
const WHATEVER_WAS_SENT: ReadonlySet<number> = new Set([0x8b, 0x8e, 0x93]);

/** An answer that is on its way, with what tells its sender to which command it belongs. */
interface Reply {
  readonly correlation: Buffer | undefined;
  answer: Answer;
  json: string;
  /** How often it was sent. */
  tries: number;
  /** Called when the broker has taken it, or can no longer by this connection. */
  onSettled: () => void;
}

/** The connection that there is. The broker says how large a packet may be, and how many may be under way (MQTT 5, 3.2.2.3). */
interface Connected {
  readonly client: MqttClient;
  readonly mostBytes: number;
  readonly mostUnderWay: number;
  readonly waiting: Set<Reply>;
  readonly underWay: Set<Reply>;
  /** Since when commands can come, monotonic; `NEVER` where they cannot yet. */
  since: Instant;
}

/** The player at its broker: takes commands from its own topic and answers them, and comes back whenever it was cut off. */
export class BrokerSession {
  readonly #parts: BrokerSessionParts;
  readonly #commands: string;
  readonly #answers: string;
  readonly #again: Timer;
  readonly #ending = new AbortController();
  readonly #unacknowledged = new Set<Reply>();
  #unacknowledgedBytes = 0;
  /** The one that was begun last, and the same once it is connected. */
  #client: MqttClient | null = null;
  #connected: Connected | null = null;
  #failures = 0;
  /** Why there is no connection, so that an outage is one line in the log; null while there is one. */
  #outage: string | null = "not connected yet";
  #isTold = false;
  #isCounted = false;

  constructor(parts: BrokerSessionParts) {
    const { clientId, topicPrefix, clock } = parts;
    this.#parts = parts;
    this.#commands = `${topicPrefix}/${clientId}/commands`;
    this.#answers = `${topicPrefix}/${clientId}/answers`;
    this.#again = new Timer(clock, () => void this.#connect());
  }

  /** Begins to connect, once. */
  start(): void {
    void this.#connect();
  }

  /** Whether commands can come. */
  get connected(): boolean {
    return this.#outage === null;
  }

  /** Leaves the broker, which keeps the session. */
  async close(): Promise<void> {
    this.#ending.abort(new Error("the player stops"));
    this.#again.set(NEVER);
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
    this.#isCounted = false;
    let line: BrokerLine;
    try {
      line = await openLine(signal);
    } catch (error) {
      this.#note(error);
      return this.#wait();
    }
    if (signal.aborted) return void line.socket.destroy();
    const client = new MqttClient(() => line.socket, { clientId, ...SESSION, ...(line.login ?? {}) });
    client.handleMessage = (packet, acknowledge) => void this.#take(packet).then(() => acknowledge());
    client.on("connect", ({ properties: { maximumPacketSize, receiveMaximum } = {} }) =>
      this.#begin(client, maximumPacketSize, receiveMaximum),
    );
    client.on("disconnect", ({ reasonCode = 0 }) => this.#dismissed(client, reasonCode));
    client.on("error", (error) => this.#leave(client, error));
    client.once("close", () => {
      if (clock.now() - (this.#connected?.since ?? NEVER) >= STEADY_AFTER_MS) this.#failures = 0;
      this.#client = null;
      this.#connected = null;
      client.end(true);
      this.#note(new Error("the connection ended"));
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
  #begin(client: MqttClient, mostBytes = Number.POSITIVE_INFINITY, mostUnderWay = Number.POSITIVE_INFINITY): void {
    const { clock, log } = this.#parts;
    const answers = { waiting: new Set(this.#unacknowledged), underWay: new Set<Reply>() };
    const connected: Connected = { client, mostBytes, mostUnderWay, ...answers, since: NEVER };
    this.#connected = connected;
    this.#sendWaiting();
    const unanswered = () => this.#leave(client, new Error("the broker does not answer the subscription"));
    const callOff = clock.alarm(clock.now() + SUBSCRIBED_WITHIN_MS, unanswered);
    client.once("close", callOff);
    client.subscribe(this.#commands, { qos: 1, rh: 2 }, (error) => {
      callOff();
      if (error) return this.#leave(client, error);
      connected.since = clock.now();
      this.#outage = null;
      this.#isTold = false;
      this.#count("connected");
      log.info({ topic: this.#commands }, "the broker of remote commands is connected");
    });
  }

  /** Ends a connection over which nothing can be relied on: another follows after the usual wait. */
  #leave(client: MqttClient, error: unknown): void {
    this.#note(error);
    client.stream.destroy();
  }

  /** The broker has ended the connection, and said why. */
  #dismissed(client: MqttClient, reasonCode: number): void {
    if (WHATEVER_WAS_SENT.has(reasonCode)) for (const reply of this.#connected?.underWay ?? []) reply.tries--;
    const name = ReasonCodes[reasonCode as keyof typeof ReasonCodes] ?? "";
    const why = `${name || "without a reason"} (0x${reasonCode.toString(16).padStart(2, "0")})`;
    this.#leave(client, new ErrorWithReasonCode(`the broker ended the connection: ${why}`, reasonCode));
  }

  /** The first reason is the one that says most. */
  #note(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#outage ??= reason;
    this.#count(connectionOf(error));
    if (this.#isTold || this.#ending.signal.aborted) return;
    this.#isTold = true;
    this.#parts.log.warn({ reason }, "the broker of remote commands cannot be reached");
  }

  /** Each connection once, by what it came to first. */
  #count(outcome: Connection): void {
    if (!this.#isCounted) this.#parts.metrics.remoteConnections.inc({ outcome });
    this.#isCounted = true;
  }

  /** Resolves when the command can be acknowledged: its answer goes out before, where the broker takes it by then. */
  async #take({ topic, payload, properties }: IPublishPacket): Promise<void> {
    const { desk } = this.#parts;
    const correlation = properties?.correlationData;
    if (topic !== this.#commands) return this.#reply(desk.refuseElsewhere("mqtt"), correlation);
    const taken = desk.take(Buffer.from(payload), "mqtt");
    await Promise.race([taken.then((one) => this.#reply(one, correlation)), sleep(ACKNOWLEDGED_WITHIN_MS)]);
  }

  /** Over the connection that there is by now; where there is none, over the next. */
  #reply({ answer, afterwards }: Taken, correlation: Buffer | undefined): void {
    const reply: Reply = { correlation, answer, json: JSON.stringify(answer), tries: 0, onSettled: () => {} };
    this.#unacknowledged.add(reply);
    this.#unacknowledgedBytes += reply.json.length;
    for (const oldest of this.#unacknowledged) {
      const { size } = this.#unacknowledged;
      if (size <= MOST_ANSWERS_KEPT && this.#unacknowledgedBytes <= MOST_ANSWER_BYTES_KEPT) break;
      this.#forget(oldest);
    }
    const settled = new Promise<void>((resolve) => {
      reply.onSettled = resolve;
    });
    void Promise.race([this.#connected && settled, sleep(ANSWERED_WITHIN_MS)]).then(afterwards);
    this.#connected?.waiting.add(reply);
    this.#sendWaiting();
  }

  /** As many at once as the broker takes. */
  #sendWaiting(): void {
    const connected = this.#connected;
    if (!connected?.client.connected) return;
    for (const reply of connected.waiting) {
      if (connected.underWay.size < connected.mostUnderWay) void this.#send(connected, reply);
    }
  }

  async #send({ client, mostBytes, waiting, underWay }: Connected, reply: Reply): Promise<void> {
    const { correlation } = reply;
    const properties = { contentType: "application/json", ...(correlation && { correlationData: correlation }) };
    const isTooLarge = Buffer.byteLength(reply.json) + MOST_REST_BYTES > mostBytes;
    if (isTooLarge || reply.tries === MOST_TRIES) this.#lighten(reply);
    waiting.delete(reply);
    underWay.add(reply);
    reply.tries++;
    try {
      await client.publishAsync(this.#answers, reply.json, { qos: 1, properties });
      this.#forget(reply);
    } catch {
      // It goes out again over the next connection.
    }
    underWay.delete(reply);
    reply.onSettled();
    this.#sendWaiting();
  }

  /** Leaves out what the command brought, and says so. */
  #lighten(reply: Reply): void {
    const { attachment } = reply.answer;
    if (attachment === null) return;
    const text = `it is done; what it brought is too large for the broker (${attachment.base64.length} bytes)`;
    reply.answer = { ...reply.answer, outcome: "failed", text, attachment: null };
    const json = JSON.stringify(reply.answer);
    if (this.#unacknowledged.has(reply)) this.#unacknowledgedBytes += json.length - reply.json.length;
    reply.json = json;
  }

  #forget(reply: Reply): void {
    if (this.#unacknowledged.delete(reply)) this.#unacknowledgedBytes -= reply.json.length;
    this.#connected?.waiting.delete(reply);
  }
}

const SESSION = {
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

/** Of TLS the codes name certificates of either side; with an alert the broker says that it does not take this player's. */
function connectionOf(error: unknown): Connection {
  if (error instanceof ErrorWithReasonCode || error instanceof ErrorWithSubackPacket) return "refused";
  return /CERT|ERR_SSL|ERR_TLS|SELF_SIGNED|UNABLE_TO_/.test(codeOf(error) ?? "") ? "certificate" : "network";
}
