import { createRequire } from "node:module";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Packet } from "mqtt";
import { pino } from "pino";
import { expect, onTestFinished } from "vitest";
import { createMetrics } from "../../../src/player/health/metrics.ts";
import type { BrokerLine } from "../../../src/player/remote/broker-line.ts";
import { BrokerSession, type BrokerSessionParts } from "../../../src/player/remote/broker-session.ts";
import type { Answer } from "../../../src/player/remote/commands.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

interface Wire {
  generate(packet: Packet, options: { readonly protocolVersion: 5 }): Buffer;
  parser(options: { readonly protocolVersion: 5 }): {
    on(event: "packet", hear: (packet: Packet) => void): void;
    parse(bytes: Buffer): void;
  };
}

/** The wire format as the client itself has it. */
const { generate, parser }: Wire = createRequire(createRequire(import.meta.url).resolve("mqtt"))("mqtt-packet");
const MQTT_5 = { protocolVersion: 5 } as const;

/** One connection to the stub. */
export interface StubLine {
  /** The first is 1. */
  readonly nth: number;
  readonly socket: Socket;
  send(packet: Packet): void;
}

/** What a broker answers; packets of the kinds that are left out get what they need to go on. */
export type Stub = {
  readonly [Kind in Packet["cmd"]]?: (packet: Extract<Packet, { cmd: Kind }>, line: StubLine) => void;
};

type Hear = (packet: Packet, line: StubLine) => void;

const ORDINARY: Stub = {
  connect: (_, { send }) => send({ cmd: "connack", reasonCode: 0, sessionPresent: false }),
  subscribe: ({ messageId = 0 }, { send }) => send({ cmd: "suback", messageId, granted: [1] }),
  publish: ({ messageId = 0 }, { send }) => send({ cmd: "puback", messageId }),
  pingreq: (_, { send }) => send({ cmd: "pingresp" }),
};

/** A broker of plain TCP that does what a real one does only where it is broken or set up badly; its port. */
export async function openStub(stub: Stub): Promise<number> {
  let count = 0;
  const answers = { ...ORDINARY, ...stub };
  const server = createServer((socket) => {
    const send = (packet: Packet) => void (socket.writable && socket.write(generate(packet, MQTT_5)));
    const line = { nth: ++count, socket, send };
    const parsing = parser(MQTT_5);
    // The compiler cannot tell that a packet and its own kind belong together.
    parsing.on("packet", (packet) => (answers[packet.cmd] as Hear | undefined)?.(packet, line));
    socket.on("data", (bytes) => parsing.parse(bytes)).on("error", () => {});
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A player at such a broker, by a clock turned by hand; each command is answered with `answer`, and told to `hear`. */
export async function openAtStub(stub: Stub, answer: Partial<Answer> = {}, hear = () => {}) {
  const port = await openStub(stub);
  const clock = new ManualClock();
  const metrics = createMetrics();
  const lines: string[] = [];
  /** When each connection was begun. */
  const begunAt: number[] = [];
  let open = 0;
  const take: BrokerSessionParts["desk"]["take"] = async (sent) => {
    hear();
    const { id } = JSON.parse(Buffer.from(sent).toString());
    const done = { command: "screenshot", at: "", outcome: "done", reason: null, text: "", attachment: null } as const;
    return { answer: { id, ...done, ...answer }, afterwards: () => {} };
  };
  const refuseElsewhere = () => {
    throw new Error("nothing comes on another topic");
  };
  const session = new BrokerSession({
    ...{ clientId: "lobby", topicPrefix: "spotloop", desk: { take, refuseElsewhere }, metrics, clock, random: () => 0 },
    openLine: () =>
      new Promise<BrokerLine>((resolve) => {
        begunAt.push(clock.now());
        open++;
        const socket = connect(port, "127.0.0.1", () => resolve({ socket: socket as TLSSocket, login: null }));
        socket.on("close", () => open--);
      }),
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  });
  session.start();
  onTestFinished(() => session.close());
  return {
    ...{ session, clock, lines, begunAt },
    connected: () => expect.poll(() => session.connected).toBe(true),
    /** Turns the clock while there is no connection, until the `nth` is begun. */
    async begins(nth: number): Promise<void> {
      const turn = async () => {
        if (open === 0) await clock.advance(1_000);
        return begunAt.length;
      };
      await expect.poll(turn, { interval: 5, timeout: 5_000 }).toBe(nth);
    },
  };
}

/** A command as the console sends it. */
export function commandPacket(messageId: number): Packet {
  const payload = JSON.stringify({ id: `id-${messageId}` });
  return { cmd: "publish", topic: "spotloop/lobby/commands", payload, qos: 1, messageId, dup: false, retain: false };
}
