import { describe, expect, it } from "vitest";
import { commandPacket, openAtStub, type StubLine } from "./stub-broker.ts";

const NOT_AUTHORIZED = 0x87;
const TEN_MINUTES_MS = 600_000;

/** With a reason, as MQTT 5 has it, or without a word. */
const CUTS = [
  ["and says why", (line: StubLine) => line.send({ cmd: "disconnect", reasonCode: NOT_AUTHORIZED })],
  ["without a word", () => {}],
] as const;

describe("a broker that ends the connection over what it forbids", () => {
  it.each(CUTS)("%s, over answers: commands are done, and it is told of which topic it takes none", async (_, say) => {
    let heard = 0;
    let send: StubLine["send"] = () => {};
    const player = await openAtStub(
      {
        subscribe: ({ messageId = 0 }, line) => {
          send = line.send;
          send({ cmd: "suback", messageId, granted: [1] });
          if (line.nth === 1) send(commandPacket(1));
        },
        publish: (_packet, line) => {
          say(line);
          line.socket.end();
        },
      },
      {},
      () => void heard++,
    );
    await player.begins(4);
    await player.connected();
    for (const id of [2, 3, 4]) send(commandPacket(id));
    await expect.poll(() => heard).toBe(4);
    await player.clock.advance(TEN_MINUTES_MS / 2);
    expect([player.session.connected, player.begunAt.length]).toEqual([true, 4]);
    const told = player.lines.filter((line) => line.includes("does not take the answers"));
    expect(told).toEqual([expect.stringContaining("spotloop/lobby/answers")]);
  });

  it("is sent all answers once it takes one again, which is tried every ten minutes", async () => {
    const answered: string[] = [];
    let isForbidden = true;
    let send: StubLine["send"] = () => {};
    const player = await openAtStub({
      subscribe: ({ messageId = 0 }, line) => {
        send = line.send;
        send({ cmd: "suback", messageId, granted: [1] });
        if (line.nth === 1) for (const id of [1, 2, 3]) send(commandPacket(id));
      },
      publish: ({ payload, messageId = 0 }, line) => {
        if (isForbidden) return void line.socket.end();
        answered.push(JSON.parse(payload.toString()).id);
        line.send({ cmd: "puback", messageId });
      },
    });
    await player.begins(4);
    await player.connected();
    await player.clock.advance(TEN_MINUTES_MS);
    await player.begins(5);
    await player.connected();
    isForbidden = false;
    await player.clock.advance(TEN_MINUTES_MS);
    await expect.poll(() => answered).toEqual(["id-1", "id-2", "id-3"]);
    expect(player.begunAt.length).toBe(5);
  });

  it.each(CUTS)("%s, over the subscription: it is told which topic was asked for", async (_, say) => {
    const player = await openAtStub({
      subscribe: (_packet, line) => {
        say(line);
        line.socket.end();
      },
    });
    await player.begins(3);
    expect(player.lines).toEqual([expect.stringContaining("spotloop/lobby/commands")]);
  });
});
