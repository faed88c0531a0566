import { setTimeout as sleep } from "node:timers/promises";
import { ErrorWithReasonCode, type IConnackPacket, type IPublishPacket, MqttClient, ReasonCodes } from "mqtt";
import type { Logger } from "pino";
import { type Backoff, backoffMs } from "../../core/backoff.ts";
import type { Instant } from "../../core/spot.ts";
import { type Clock, NEVER, Timer } from "../clock.ts";
import type { Metrics } from "../health/metrics.ts";
import type { BrokerLine } from "./broker-line.ts";
import { BrokerTidings } from "./broker-tidings.ts";
import type { Answer } from "./commands.ts";
import { MOST_IDS, type RemoteDesk, type Taken } from "./remote-desk.ts";

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
/**
 * Answers that the broker has not acknowledged go out again with the next connection; the oldest make room. While commands pour in a
 * broker takes hardly any: there is room for those to as many as can come.
 */
const MOST_ANSWERS_KEPT = MOST_IDS;
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

type Limits = NonNullable<IConnackPacket["properties"]>;

/** The connection that there is. The broker says how large a packet may be, and how many may be under way (MQTT 5, 3.2.2.3). */
interface Connected {
  readonly client: MqttClient;
  readonly mostBytes: number;
  readonly mostUnderWay: number;
  /** How answers are sent: some brokers acknowledge nothing. */
  readonly qos: 0 | 1;
  readonly waiting: Set<Reply>;
  readonly underWay: Set<Reply>;
  /** Since when commands can come, monotonic; `NEVER` where they cannot yet. */
  since: Instant;
  /** Whether it is told that the broker takes no answers. */
  isRefusalTold: boolean;
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
  readonly #tidings: BrokerTidings;

  constructor(parts: BrokerSessionParts) {
    const { clientId, topicPrefix, clock, metrics, log } = parts;
    this.#parts = parts;
    this.#tidings = new BrokerTidings(metrics, log);
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
    return this.#tidings.isConnected;
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
  #begin(client: MqttClient, { maximumPacketSize, receiveMaximum, maximumQoS }: Limits): void {
    const { clock } = this.#parts;
    const connected: Connected = {
      ...{ client, since: NEVER, isRefusalTold: false, qos: maximumQoS === 0 ? 0 : 1 },
      mostBytes: maximumPacketSize ?? Number.POSITIVE_INFINITY,
      mostUnderWay: receiveMaximum ?? Number.POSITIVE_INFINITY,
      ...{ waiting: new Set(this.#unacknowledged), underWay: new Set<Reply>() },
    };
    this.#connected = connected;
    this.#sendWaiting();
    const unanswered = () => this.#leave(client, new Error("the broker does not answer the subscription"));
    const callOff = clock.alarm(clock.now() + SUBSCRIBED_WITHIN_MS, unanswered);
    client.once("close", callOff);
    client.subscribe(this.#commands, { qos: 1, rh: 2 }, (error) => {
      callOff();
      if (error) return this.#leave(client, error);
      connected.since = clock.now();
      this.#tidings.connected(this.#commands);
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

  #note(error: unknown): void {
    if (!this.#ending.signal.aborted) this.#tidings.failed(error);
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
    while (this.#unacknowledged.size > MOST_ANSWERS_KEPT || this.#unacknowledgedBytes > MOST_ANSWER_BYTES_KEPT) {
      const [oldest = reply] = this.#unacknowledged;
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
      if (connected.underWay.size >= connected.mostUnderWay) return;
      void this.#send(connected, reply);
    }
  }

  async #send(connected: Connected, reply: Reply): Promise<void> {
    const { client, qos, mostBytes, waiting, underWay } = connected;
    const { correlation } = reply;
    const properties = { contentType: "application/json", ...(correlation && { correlationData: correlation }) };
    const isTooLarge = Buffer.byteLength(reply.json) + MOST_REST_BYTES > mostBytes;
    if (isTooLarge || reply.tries === MOST_TRIES) this.#lighten(reply);
    waiting.delete(reply);
    underWay.add(reply);
    reply.tries++;
    try {
      await client.publishAsync(this.#answers, reply.json, { qos, properties });
      this.#forget(reply);
    } catch (error) {
      // It goes out again over the next connection.
      if (error instanceof ErrorWithReasonCode) this.#refused(connected, error.message);
    }
    underWay.delete(reply);
    reply.onSettled();
    this.#sendWaiting();
  }

  /** Commands are done all the same, but their senders do not learn of it. */
  #refused(connected: Connected, reason: string): void {
    if (connected.isRefusalTold) return;
    connected.isRefusalTold = true;
    const topic = this.#answers;
    this.#parts.log.warn({ topic, reason }, "the broker does not take the answers to remote commands");
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
