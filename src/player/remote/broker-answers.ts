import { setTimeout as sleep } from "node:timers/promises";
import { ErrorWithReasonCode, type IConnackPacket, type MqttClient } from "mqtt";
import type { Logger } from "pino";
import type { Instant } from "../../core/spot.ts";
import { type Clock, NEVER, Timer } from "../clock.ts";
import type { Answer } from "./commands.ts";
import { MOST_IDS, type Taken } from "./remote-desk.ts";

/** Before the player ends by a command, its answer has so long to arrive. */
export const ANSWERED_WITHIN_MS = 2_000;
/**
 * Answers that the broker has not acknowledged go out again with the next connection; the oldest make room. While commands pour in a
 * broker takes hardly any: there is room for those to as many as can come.
 */
const MOST_ANSWERS_KEPT = MOST_IDS;
const MOST_ANSWER_BYTES_KEPT = 16 * 1024 * 1024;
/** So many are under way at most, whatever the broker takes: with all that are kept at once the screen would wait. */
const MOST_UNDER_WAY = 256;
/** What of a packet is not the answer itself: its topic and properties. */
const MOST_REST_BYTES = 1_024;
/** Some brokers end the connection over a packet that is too large, without a word: what was sent so often goes out lighter. */
const MOST_TRIES = 2;
/**
 * Some end it over a topic that they forbid. One that has done so over answers so often in a row, the last one lighter, is sent none for
 * a while: commands come and are done meanwhile. One whose rules were mended gets them all.
 */
const MOST_CUTS = MOST_TRIES + 1;
const HELD_BACK_MS = 600_000;
/** What ends later than this after an answer was sent has not ended over it. */
const CUT_WITHIN_MS = 10_000;

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
  /** When the last answer was sent, monotonic; null: the connection does not end over one. */
  sentAt: Instant | null;
  /** Whether it is told that the broker takes no answers. */
  isRefusalTold: boolean;
}

export interface BrokerAnswersParts {
  readonly topic: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The answers to commands, until the broker has taken them: by one connection after the other. */
export class BrokerAnswers {
  readonly #parts: BrokerAnswersParts;
  readonly #unacknowledged = new Set<Reply>();
  readonly #again: Timer;
  #unacknowledgedBytes = 0;
  #connected: Connected | null = null;
  /** How many connections in a row were ended over answers. */
  #cuts = 0;
  #heldUntil: Instant = 0;

  constructor(parts: BrokerAnswersParts) {
    this.#parts = parts;
    this.#again = new Timer(parts.clock, () => this.#sendWaiting());
  }

  /** Sends by this connection what no other has brought. */
  begin(client: MqttClient, { maximumPacketSize, receiveMaximum, maximumQoS }: Limits): void {
    this.#connected = {
      ...{ client, sentAt: null, isRefusalTold: false, qos: maximumQoS === 0 ? 0 : 1 },
      mostBytes: maximumPacketSize ?? Number.POSITIVE_INFINITY,
      mostUnderWay: Math.min(receiveMaximum ?? MOST_UNDER_WAY, MOST_UNDER_WAY),
      ...{ waiting: new Set(this.#unacknowledged), underWay: new Set<Reply>() },
    };
    this.#sendWaiting();
  }

  /** The connection ends, for something that is no matter of answers. */
  excuse(): void {
    for (const reply of this.#connected?.underWay ?? []) reply.tries--;
    if (this.#connected !== null) this.#connected.sentAt = null;
  }

  /** The connection has ended, by `reason`. */
  end(reason: string): void {
    const { clock } = this.#parts;
    const connected = this.#connected;
    this.#connected = null;
    if (connected === null || connected.underWay.size === 0 || connected.sentAt === null) return;
    if (clock.now() - connected.sentAt > CUT_WITHIN_MS) return;
    this.#cuts++;
    if (this.#cuts < MOST_CUTS) return;
    this.#heldUntil = clock.now() + HELD_BACK_MS;
    this.#again.set(this.#heldUntil);
    this.#refused(connected, `${reason}, ${this.#cuts} times over answers: none is sent for ten minutes`);
  }

  /** Nothing is sent any more. */
  close(): void {
    this.#again.set(NEVER);
  }

  /** Over the connection that there is by now; where there is none, over the next. */
  add({ answer, afterwards }: Taken, correlation: Buffer | undefined): void {
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

  /** As many at once as the broker takes; where it may have ended a connection over one, one alone. */
  #sendWaiting(): void {
    const connected = this.#connected;
    if (!connected?.client.connected || this.#parts.clock.now() < this.#heldUntil) return;
    const most = this.#cuts === 0 ? connected.mostUnderWay : 1;
    for (const reply of connected.waiting) {
      if (connected.underWay.size >= most) return;
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
    connected.sentAt = this.#parts.clock.now();
    try {
      await client.publishAsync(this.#parts.topic, reply.json, { qos, properties });
      if (qos > 0) this.#cuts = 0;
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
    const { topic, log } = this.#parts;
    log.warn({ topic, reason }, "the broker does not take the answers to remote commands");
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
