import type { Hono } from "hono";
import { type Switches, switches, switchesSchema, switchNames } from "../behaviour/switches.ts";
import { behaviours } from "../behaviour/table.ts";
import type { Env } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { sentBody } from "./body.ts";

/** Adds reading the table of behaviours and setting its switches; both answer with how everything stands then. */
export function addBehaviour(app: Hono<Env>, network: Network): void {
  app.get("/control/behaviour", (c) => c.json(behaviourAnswer(network.state.switches)));
  app.patch("/control/behaviour", async (c) => {
    const sent = await sentBody(c, switchesSchema);
    if (sent.kind === "refused") return sent.answer;
    network.state.switches = { ...network.state.switches, ...sent.value };
    return c.json(behaviourAnswer(network.state.switches));
  });
}

/** Every switch by name, each with its row of the table, and the whole table. */
function behaviourAnswer(now: Switches) {
  const settings = switchNames.map((name) => {
    const { row: id, default: usual, alternatives } = switches[name];
    const { contract, answer } = behaviours.find((row) => row.id === id) ?? { contract: "", answer: "" };
    return [name, { value: now[name], default: usual, alternatives, id, contract, answer }];
  });
  return { switches: Object.fromEntries(settings), behaviours };
}
