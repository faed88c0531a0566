import type { Context, MiddlewareHandler } from "hono";
import type { Instant } from "../../core/spot.ts";
import type { Env } from "../http/answers.ts";
import { leaveUnanswered, replaceAnswer, takeOver } from "../http/unanswered.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import { altered, latencyOf } from "./altered.ts";
import { type ActiveFault, chooseFault, type FaultSubject } from "./choose.ts";
import { type Instead, insteadOf } from "./instead.ts";
import { send } from "./send.ts";
import { subjectOf } from "./subject.ts";
import { reached } from "./wait.ts";

/** Puts the faults in force in the way of the calls of a surface. The control listener has none: it must always answer. */
export function faulty(
  network: Network,
  surface: FaultSubject["surface"],
  files: ReadonlyMap<string, MediaFile>,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { faults, dice } = network.state;
    if (faults.length === 0) return next();
    const target = c.env.incoming.url ?? "";
    const subject = subjectOf(network, files, surface, target);
    const fault = chooseFault(faults, dice, subject);
    if (fault === null) return next();
    const note = c.get("note");
    note.fault = fault.name;
    note.route = subject.route;
    note.screenId = subject.screenId;
    const instead = insteadOf(fault, target);
    if (instead === null) await next();
    else if (instead.kind === "answer") replaceAnswer(c, answerOf(c, instead));
    await spoil(c, network, fault, instead);
  };
}

async function spoil(c: Context<Env>, network: Network, { do: mischief }: ActiveFault, instead: Instead | null) {
  const { incoming, outgoing } = c.env;
  const { clock, state } = network;
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const pace = { now: clock.now, until: (at: Instant) => reached(clock, at, gone.signal) };
  await pace.until(clock.now() + latencyOf(mischief, state.dice));
  if (instead?.kind === "reset") {
    incoming.socket.resetAndDestroy();
    return takeOver(c, 0);
  }
  if (instead?.kind === "hang") return leaveUnanswered(c);
  const answer = await altered(c.res, mischief, state.dice, pace);
  takeOver(c, answer.status);
  // The journal has the call by its head, as it does every other one.
  if (!outgoing.destroyed) void send(answer, outgoing);
}

function answerOf(c: Context<Env>, { status, body, headers }: Extract<Instead, { kind: "answer" }>): Response {
  headers.set("cache-control", "no-store");
  headers.set("date", c.res.headers.get("date") ?? "");
  return new Response(body, { status, headers });
}
