import { describe, expect, it } from "vitest";
import type { Answer } from "../../../src/player/remote/commands.ts";
import { commandPacket, openAtStub } from "./stub-broker.ts";

const PICTURE = { type: "image/jpeg", base64: "picture" } as const;
/** Reason codes (MQTT 5, 2.4). */
const NOT_AUTHORIZED = 0x87;
const TAKEN_OVER = 0x8e;
const QUOTA_EXCEEDED = 0x97;

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
});
