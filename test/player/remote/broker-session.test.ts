import { describe, expect, it } from "vitest";
import type { Answer } from "../../../src/player/remote/commands.ts";
import { commandPacket, openAtStub } from "./stub-broker.ts";

const PICTURE = { type: "image/jpeg", base64: "picture" } as const;
/** Reason codes (MQTT 5, 2.4). */
const NOT_AUTHORIZED = 0x87;
const SERVER_UNAVAILABLE = 0x88;
const TAKEN_OVER = 0x8e;
const QUOTA_EXCEEDED = 0x97;
const QOS_NOT_SUPPORTED = 0x9b;

const MANY = 3_000;

describe("the player at a broker", () => {
  it("comes again where its subscription was refused", async () => {
    const player = await openAtStub({
      subscribe: ({ messageId = 0 }, { nth, send }) =>
        send({ cmd: "suback", messageId, granted: [nth === 1 ? NOT_AUTHORIZED : 1] }),
    });
    await player.begins(2);
    await player.connected();
    expect(player.lines[0]).toContain("Not authorized");
  });

  it("comes again where its subscription is not answered for 15 s", async () => {
    let isAsked = false;
    const player = await openAtStub({
      subscribe: ({ messageId = 0 }, { nth, send }) => {
        isAsked = true;
        if (nth > 1) send({ cmd: "suback", messageId, granted: [1] });
      },
    });
    await expect.poll(() => isAsked).toBe(true);
    await player.clock.advance(15_000);
    await player.begins(2);
    await player.connected();
    await player.clock.advance(60_000);
    expect([player.session.connected, player.begunAt.length]).toEqual([true, 2]);
  });

  it("comes again after a packet that is none", async () => {
    let garble = () => {};
    const player = await openAtStub({
      subscribe: ({ messageId = 0 }, { nth, send, socket }) => {
        send({ cmd: "suback", messageId, granted: [1] });
        if (nth === 1) garble = () => socket.write(Buffer.from("3080808080", "hex"));
      },
    });
    await player.connected();
    garble();
    await player.begins(2);
    await player.connected();
  });

  it("sends no more answers at once than the broker takes, and all of them", async () => {
    const answered: string[] = [];
    let unacknowledged = 0;
    let most = 0;
    const player = await openAtStub({
      connect: (_, { send }) => {
        send({ cmd: "connack", reasonCode: 0, sessionPresent: false, properties: { receiveMaximum: 2 } });
        for (let nth = 1; nth <= 6; nth++) send(commandPacket(nth));
      },
      publish: ({ payload, messageId = 0 }, { send }) => {
        answered.push(JSON.parse(payload.toString()).id);
        most = Math.max(most, ++unacknowledged);
        // The first is not taken, which is an acknowledgement too.
        const reasonCode = answered.length === 1 ? QUOTA_EXCEEDED : 0;
        setTimeout(() => {
          unacknowledged--;
          send({ cmd: "puback", messageId, reasonCode });
        }, 20);
      },
    });
    await player.connected();
    await expect.poll(() => [answered.length, unacknowledged]).toEqual([6, 0]);
    expect([answered, most]).toEqual([["id-1", "id-2", "id-3", "id-4", "id-5", "id-6"], 2]);
  });

  it("sends all of an answer though others with its name ended the connection under it", async () => {
    const answers: Answer[] = [];
    const player = await openAtStub(
      {
        connect: (_, { nth, send }) => {
          send({ cmd: "connack", reasonCode: 0, sessionPresent: nth > 1 });
          if (nth === 1) send(commandPacket(1));
        },
        publish: ({ payload, messageId = 0 }, { nth, send, socket }) => {
          answers.push(JSON.parse(payload.toString()));
          if (nth > 2) return send({ cmd: "puback", messageId });
          send({ cmd: "disconnect", reasonCode: TAKEN_OVER });
          return void socket.end();
        },
      },
      { attachment: PICTURE },
    );
    await player.begins(3);
    await expect.poll(() => answers.length).toBe(3);
    expect(answers.map(({ attachment }) => attachment)).toEqual([PICTURE, PICTURE, PICTURE]);
  });

  it("comes ever later where each connection is ended soon, and says why, until one lasts for a minute", async () => {
    let cut = () => {};
    const player = await openAtStub({
      subscribe: ({ messageId = 0 }, { nth, send, socket }) => {
        send({ cmd: "suback", messageId, granted: [1] });
        cut = () => socket.destroy();
        if (nth > 4) return;
        send({ cmd: "disconnect", reasonCode: TAKEN_OVER });
        socket.end();
      },
    });
    await player.begins(5);
    expect(player.begunAt).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    expect(player.lines.join()).toContain("Session taken over (0x8e)");
    await player.connected();
    await player.clock.advance(60_000);
    cut();
    await player.begins(6);
    expect(player.begunAt.at(-1)).toBe(76_000);
  });

  it("says each reason that an outage has, and each once", async () => {
    const codes = [SERVER_UNAVAILABLE, SERVER_UNAVAILABLE, NOT_AUTHORIZED, NOT_AUTHORIZED, SERVER_UNAVAILABLE, 0];
    const player = await openAtStub({
      connect: (_, { nth, send, socket }) => {
        const reasonCode = codes[nth - 1] ?? 0;
        send({ cmd: "connack", reasonCode, sessionPresent: false });
        if (reasonCode !== 0) socket.end();
      },
    });
    await player.begins(codes.length);
    await player.connected();
    const reasons = player.lines.map((line) => JSON.parse(line).reason);
    expect(reasons).toEqual([
      expect.stringContaining("Server unavailable"),
      expect.stringContaining("Not authorized"),
      undefined,
    ]);
  });

  it("says once that the broker takes no answers, which go out again over the next connection", async () => {
    const answered: string[] = [];
    let cut = () => {};
    const player = await openAtStub({
      connect: (_, { nth, send, socket }) => {
        cut = () => socket.destroy();
        send({ cmd: "connack", reasonCode: 0, sessionPresent: false });
        if (nth === 1) for (const id of [1, 2]) send(commandPacket(id));
      },
      publish: ({ payload, messageId = 0 }, { nth, send }) => {
        answered.push(JSON.parse(payload.toString()).id);
        send({ cmd: "puback", messageId, reasonCode: nth === 1 ? NOT_AUTHORIZED : 0 });
      },
    });
    await expect.poll(() => answered.length).toBe(2);
    const told = () => player.lines.filter((line) => line.includes("does not take the answers"));
    await expect.poll(told).toEqual([expect.stringContaining("spotloop/lobby/answers")]);
    cut();
    await player.begins(2);
    await expect.poll(() => answered).toEqual(["id-1", "id-2", "id-1", "id-2"]);
    expect(told()).toHaveLength(1);
  });

  it("answers a broker that acknowledges nothing as that broker takes it", async () => {
    const answered: (readonly [string, number])[] = [];
    const player = await openAtStub({
      connect: (_, { send }) => {
        send({ cmd: "connack", reasonCode: 0, sessionPresent: false, properties: { maximumQoS: 0 } });
        send(commandPacket(1));
      },
      publish: ({ payload, qos }, { send, socket }) => {
        answered.push([JSON.parse(payload.toString()).id, qos]);
        if (qos === 0) return;
        send({ cmd: "disconnect", reasonCode: QOS_NOT_SUPPORTED });
        socket.end();
      },
    });
    await player.connected();
    await expect.poll(() => answered).toEqual([["id-1", 0]]);
  });

  it("loses no answer of 3,000 to commands that come before a broker takes any", async () => {
    const held = new Set<number>();
    const answered = new Set<string>();
    let acknowledged = 0;
    const player = await openAtStub({
      connect: (_, { send }) => {
        send({ cmd: "connack", reasonCode: 0, sessionPresent: false, properties: { receiveMaximum: 20 } });
        for (let nth = 1; nth <= MANY; nth++) send(commandPacket(nth));
      },
      puback: (_, { send }) => {
        acknowledged++;
        if (acknowledged === MANY) for (const messageId of held) send({ cmd: "puback", messageId });
      },
      publish: ({ payload, messageId = 0 }, { send }) => {
        answered.add(JSON.parse(payload.toString()).id);
        if (acknowledged < MANY) held.add(messageId);
        else send({ cmd: "puback", messageId });
      },
    });
    await player.connected();
    await expect.poll(() => answered.size, { timeout: 15_000 }).toBe(MANY);
  });

  it("lets what the screen waits for go between two commands that came at once", async () => {
    const order: string[] = [];
    await openAtStub(
      {
        connect: (_, { send, socket }) => {
          socket.cork();
          send({ cmd: "connack", reasonCode: 0, sessionPresent: false });
          for (let nth = 1; nth <= 8; nth++) send(commandPacket(nth));
          socket.uncork();
        },
      },
      {},
      () => {
        order.push("command");
        if (order.length === 1) setImmediate(() => order.push("screen"));
      },
    );
    await expect.poll(() => order.length).toBe(9);
    expect(order.indexOf("screen")).toBe(1);
  });
});
