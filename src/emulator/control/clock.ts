import type { Hono } from "hono";
import { z } from "zod";
import { clockSettingSchema, LATEST_INSTANT, type VirtualClock } from "../clock.ts";
import type { Env } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { sentBody } from "./body.ts";

const advanceSchema = z.strictObject({ ms: z.int().nonnegative().max(LATEST_INSTANT) });

/** Adds reading, setting and advancing the virtual clock. Each answers with how it stands then. */
export function addClock(app: Hono<Env>, { clock }: Network): void {
  app.get("/control/clock", (c) => c.json(clockAnswer(clock)));
  app.put("/control/clock", async (c) => {
    const sent = await sentBody(c, clockSettingSchema);
    if (sent.kind === "refused") return sent.answer;
    clock.set(sent.value);
    return c.json(clockAnswer(clock));
  });
  app.post("/control/clock/advance", async (c) => {
    const sent = await sentBody(c, advanceSchema);
    if (sent.kind === "refused") return sent.answer;
    clock.advance(sent.value.ms);
    return c.json(clockAnswer(clock));
  });
}

function clockAnswer(clock: VirtualClock) {
  const { mode, now, speed } = clock.reading();
  return { mode, now: new Date(now).toISOString(), speed };
}
