import type { Hono } from "hono";
import { z } from "zod";
import { type Switches, switches, switchesSchema, switchNames } from "../behaviour/switches.ts";
import { behaviours } from "../behaviour/table.ts";
import { clockSettingSchema, LATEST_INSTANT, type VirtualClock } from "../clock.ts";
import { type ActiveFault, activeFaults, inForce, joined } from "../faults/choose.ts";
import { faultEntrySchema, faultListSchema, MOST_FAULTS, presets } from "../faults/schema.ts";
import { type Env, problem } from "../http/answers.ts";
import { sentBody, sentQuery } from "../http/body.ts";
import type { Network } from "../network.ts";

/** How far the clock is to be moved on. */
export const advanceSchema = z.strictObject({ ms: z.int().nonnegative().max(LATEST_INSTANT) });

/** Which faults end: those of a name, or all. */
export const whichSchema = z.strictObject({ name: z.string().optional() });

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

/** Adds listing, setting, adding and removing faults. Each answers with those in force then, in order. */
export function addFaults(app: Hono<Env>, network: Network): void {
  const { clock } = network;
  const current = () => inForce(network.state.faults, clock.now());
  const told = () => current().map(faultJson);
  app.get("/control/faults", (c) => c.json(told()));
  app.get("/control/faults/presets", (c) => c.json(presets));
  app.put("/control/faults", async (c) => {
    const sent = await sentBody(c, faultListSchema);
    if (sent.kind === "refused") return sent.answer;
    network.state.faults = activeFaults(sent.value, clock.now());
    return c.json(told());
  });
  app.post("/control/faults", async (c) => {
    const sent = await sentBody(c, faultEntrySchema);
    if (sent.kind === "refused") return sent.answer;
    const faults = joined(network.state.faults, sent.value, clock.now());
    if (faults === null) return problem(c, 409, "too_many", `at most ${MOST_FAULTS} faults`);
    network.state.faults = faults;
    return c.json(told(), 201);
  });
  app.delete("/control/faults", (c) => {
    const sent = sentQuery(c, whichSchema);
    if (sent.kind === "refused") return sent.answer;
    const { name } = sent.value;
    network.state.faults = name === undefined ? [] : current().filter((fault) => fault.name !== name);
    return c.json(told());
  });
}

function clockAnswer(clock: VirtualClock) {
  const { mode, now, speed } = clock.reading();
  return { mode, now: new Date(now).toISOString(), speed };
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

/** The rule as it was given, when it is over if it ends by itself, then how many calls it has matched and struck. */
function faultJson({ name, match, times, skip, probability, forSeconds, until, do: effects, ...counts }: ActiveFault) {
  const end = until === null || until === undefined ? {} : { forSeconds, until: new Date(until).toISOString() };
  const { matched, applied } = counts;
  return { name, match, times, skip, probability, ...end, do: effects, matched, applied };
}
