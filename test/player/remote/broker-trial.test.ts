import { connect } from "node:net";
import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import type { BrokerLine } from "../../../src/player/remote/broker-line.ts";
import { tryBroker } from "../../../src/player/remote/broker-trial.ts";
import { commandPacket, openStub, type Stub } from "./stub-broker.ts";

const TOPIC = "spotloop/lobby/commands";
/** Reason codes (MQTT 5, 2.4). */
const BAD_LOGIN = 0x86;
const NOT_AUTHORIZED = 0x87;
const TAKEN_OVER = 0x8e;
/** How long a broker is waited for that answers nothing. */
const SOON_MS = 2_000;

/** What comes of one try at such a broker, and what that broker was sent. */
async function tried(stub: Stub, answeredWithinMs?: number) {
  const heard: string[] = [];
  const ends: (number | undefined)[] = [];
  const port = await openStub({
    puback: () => heard.push("puback"),
    disconnect: ({ properties }) => ends.push(properties?.sessionExpiryInterval),
    ...stub,
  });
  const openLine = () =>
    new Promise<BrokerLine>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve({ socket: socket as TLSSocket, login: null }));
    });
  const trial = await tryBroker({ clientId: "lobby", topicPrefix: "spotloop", openLine }, answeredWithinMs);
  return { trial, heard, ends };
}

describe("a try to come to the broker", () => {
  it("is let in, and leaves nothing of a session that was not there", async () => {
    const asked: unknown[] = [];
    const { trial, ends } = await tried({
      subscribe: ({ messageId = 0, subscriptions }, { send }) => {
        asked.push(...subscriptions.map(({ topic }) => topic));
        send({ cmd: "suback", messageId, granted: [1] });
      },
    });
    expect(trial).toEqual({ kind: "let-in" });
    expect(asked).toEqual([TOPIC]);
    await expect.poll(() => ends).toEqual([0]);
  });

  it("leaves the player's session, and the commands that wait in it, as they are", async () => {
    const { trial, heard, ends } = await tried({
      connect: (_, { send }) => {
        send({ cmd: "connack", reasonCode: 0, sessionPresent: true });
        send(commandPacket(1));
      },
    });
    expect(trial).toEqual({ kind: "let-in" });
    expect(heard).toEqual([]);
    expect(ends.filter((seconds) => seconds === 0)).toEqual([]);
  });

  it.each<readonly [string, Stub, object]>([
    [
      "a login that is refused",
      { connect: (_, { send }) => send({ cmd: "connack", reasonCode: BAD_LOGIN, sessionPresent: false }) },
      { kind: "stopped", at: "login", why: { kind: "refused", code: BAD_LOGIN, text: expect.any(String) } },
    ],
    [
      "a connection that ends at the login",
      { connect: (_, { socket }) => void socket.end() },
      { kind: "stopped", at: "login", why: { kind: "ended" } },
    ],
    ["a login that is not answered", { connect: () => {} }, { kind: "stopped", at: "login", why: { kind: "silent" } }],
    [
      "what is no MQTT",
      { connect: (_, { socket }) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n") },
      { kind: "stopped", at: "login", why: { kind: "foreign", text: expect.any(String) } },
    ],
    [
      "a subscription that is refused",
      {
        subscribe: ({ messageId = 0 }, { send }) => send({ cmd: "suback", messageId, granted: [NOT_AUTHORIZED] }),
      },
      { kind: "stopped", at: "subscription", why: { kind: "refused", code: NOT_AUTHORIZED, text: expect.any(String) } },
    ],
    [
      "a connection that ends over the subscription",
      { subscribe: (_, { socket }) => void socket.end() },
      { kind: "stopped", at: "subscription", why: { kind: "ended" } },
    ],
    [
      "a connection that is ended over the subscription, with a reason",
      {
        subscribe: (_, { send, socket }) => {
          send({ cmd: "disconnect", reasonCode: NOT_AUTHORIZED });
          socket.end();
        },
      },
      { kind: "stopped", at: "subscription", why: { kind: "refused", code: NOT_AUTHORIZED, text: expect.any(String) } },
    ],
    [
      "a subscription that is not answered",
      { subscribe: () => {} },
      { kind: "stopped", at: "subscription", why: { kind: "silent" } },
    ],
    [
      "another that comes by the same name",
      { subscribe: (_, { send }) => send({ cmd: "disconnect", reasonCode: TAKEN_OVER }) },
      { kind: "taken-over" },
    ],
  ])("tells of %s", async (_, stub, trial) => {
    const isSilent = "why" in trial && (trial.why as { kind: string }).kind === "silent";
    expect((await tried(stub, isSilent ? SOON_MS : undefined)).trial).toEqual(trial);
  });
});
