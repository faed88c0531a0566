import type { MqttClient } from "mqtt";
import { pino } from "pino";
import { expect, it } from "vitest";
import { BrokerAnswers } from "../../../src/player/remote/broker-answers.ts";
import type { Answer } from "../../../src/player/remote/commands.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

it("of thousands that no connection has brought few go out at once with the next, and the others as those are taken", async () => {
  const answers = new BrokerAnswers({ topic: "answers", clock: new ManualClock(), log: pino({ level: "silent" }) });
  const text = { command: null, at: "2026-01-01T00:00:00.000Z", reason: "stale", text: "", attachment: null } as const;
  const answerOf = (id: number): Answer => ({ ...text, id: `${id}`, outcome: "refused" });
  for (let id = 0; id < 5_000; id++) answers.add({ answer: answerOf(id), afterwards() {} }, undefined);
  const sent: string[] = [];
  const takes: (() => void)[] = [];
  const publishAsync = (_: string, json: string) => {
    sent.push(JSON.parse(json).id);
    return new Promise<void>((resolve) => takes.push(resolve));
  };
  answers.begin({ connected: true, publishAsync } as unknown as MqttClient, {});
  expect(sent).toHaveLength(256);
  while (takes.length > 0) {
    for (const take of takes.splice(0)) take();
    await new Promise(setImmediate);
  }
  expect(sent).toEqual(Array.from({ length: 5_000 }, (_, id) => `${id}`));
  answers.close();
});
