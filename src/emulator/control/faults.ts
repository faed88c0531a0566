import type { Hono } from "hono";
import { z } from "zod";
import { type ActiveFault, activeFault } from "../faults/choose.ts";
import { faultEntrySchema, faultListSchema } from "../faults/list.ts";
import { presets } from "../faults/presets.ts";
import { MOST_FAULTS } from "../faults/schema.ts";
import { type Env, problem } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { sentBody, sentQuery } from "./body.ts";

/** Adds listing, setting, adding and removing faults. Each answers with those in force then, in order. */
export function addFaults(app: Hono<Env>, network: Network): void {
  app.get("/control/faults", (c) => c.json(network.state.faults.map(account)));
  app.get("/control/faults/presets", (c) => c.json(presets));
  app.put("/control/faults", async (c) => {
    const sent = await sentBody(c, faultListSchema);
    if (sent.kind === "refused") return sent.answer;
    network.state.faults = sent.value.map(activeFault);
    return c.json(network.state.faults.map(account));
  });
  app.post("/control/faults", async (c) => {
    const sent = await sentBody(c, faultEntrySchema);
    if (sent.kind === "refused") return sent.answer;
    const faults = [...network.state.faults, ...sent.value.map(activeFault)];
    if (faults.length > MOST_FAULTS) return problem(c, 409, "too_many", `at most ${MOST_FAULTS} faults`);
    network.state.faults = faults;
    return c.json(faults.map(account), 201);
  });
  const whichSchema = z.strictObject({ name: z.string().optional() });
  app.delete("/control/faults", (c) => {
    const sent = sentQuery(c, whichSchema);
    if (sent.kind === "refused") return sent.answer;
    const { name } = sent.value;
    network.state.faults = name === undefined ? [] : network.state.faults.filter((fault) => fault.name !== name);
    return c.json(network.state.faults.map(account));
  });
}

/** The rule as it was given, then how many calls it has matched and struck. */
function account({ name, match, times, skip, probability, do: mischief, matched, applied }: ActiveFault) {
  return { name, match, times, skip, probability, do: mischief, matched, applied };
}
