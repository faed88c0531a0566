import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import type { Instant } from "../../core/spot.ts";
import { keepHindrance } from "../audit/evidence.ts";
import { reached, steady } from "../clock.ts";
import { type Answerer, type Env, leaveUnanswered, takenOver } from "../http/answers.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import type { Dice } from "../random.ts";
import { type ActiveFault, chooseFault, type FaultSubject, inForce, subjectOf } from "./choose.ts";
import { effectsOf, hinders, type Outgoing, type Pace, type Pieces, type Replacement } from "./effects.ts";
import type { FaultEffects } from "./schema.ts";

/** Puts the faults in force in the way of the calls of a surface. The control listener has none: it must always answer. */
export function faulty(
  network: Network,
  surface: FaultSubject["surface"],
  files: ReadonlyMap<string, MediaFile>,
  answerer: Answerer,
): Answerer {
  return (c) => {
    const { dice } = network.state;
    const faults = inForce(network.state.faults, network.clock.now());
    network.state.faults = faults;
    if (faults.length === 0) return answerer(c);
    const target = c.env.incoming.url ?? "";
    const subject = subjectOf(network, files, surface, target);
    const fault = chooseFault(faults, dice, subject);
    return fault === null ? answerer(c) : struck(c, network, fault, subject, answerer);
  };
}

async function struck(
  c: Context<Env>,
  network: Network,
  fault: ActiveFault,
  subject: FaultSubject,
  answerer: Answerer,
): Promise<Response> {
  const target = c.env.incoming.url ?? "";
  const note = c.get("note");
  note.fault = fault.name;
  note.route = subject.route;
  note.orgToken = subject.orgToken;
  note.screenId = subject.screenId;
  const replacement = replacementBy(fault, (network.basePath ?? "") + target);
  const outcome = replacement === null ? answeredBy(c, await answerer(c)) : replacedBy(c, replacement);
  if (hinders(fault.do)) hinder(network, subject, target, note.requestId);
  return strike(c, network, fault, outcome);
}

/** What comes of a call: an answer, a broken connection, or nothing. */
type Outcome = Response | "reset" | "hang";

/** What a rule answers by itself; `null` when the network is to do so. */
function replacementBy({ name, do: given }: ActiveFault, target: string): Replacement | null {
  for (const [effect, value] of effectsOf(given)) {
    if (effect.replace !== undefined) return effect.replace(value, { fault: name, body: given.body, target });
  }
  return null;
}

/** Nothing comes of a call that the network leaves unanswered, as that of the page that never loads. */
function answeredBy(c: Context<Env>, answer: Response): Outcome {
  return c.get("note").status === 0 ? "hang" : answer;
}

function replacedBy(c: Context<Env>, replacement: Replacement): Outcome {
  if (replacement.kind !== "answer") return replacement.kind;
  const { status, body, headers } = replacement;
  headers.set("cache-control", "no-store");
  headers.set("date", c.get("note").head.date ?? "");
  return new Response(body, { status, headers });
}

/** The auditor is told what may not be shown for it. A spot that was not even given out is missed by nobody. */
function hinder(
  { state, clock, mediaUrl }: Network,
  { route }: FaultSubject,
  target: string,
  requestId: string | null,
) {
  const what = route === "media" ? mediaUrl + target : route === "spot" ? requestId : null;
  if (what !== null) keepHindrance(state.hindrances, { at: clock.now(), what });
}

async function strike(
  c: Context<Env>,
  { clock, state: { dice } }: Network,
  { do: given }: ActiveFault,
  outcome: Outcome,
): Promise<Response> {
  const { incoming, outgoing } = c.env;
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const now = steady(clock);
  const pace = { now, until: (at: Instant) => reached(clock, now, at, gone.signal) };
  const delayMs = effectsOf(given).reduce((sum, [effect, value]) => sum + (effect.delayMs?.(value, dice) ?? 0), 0);
  await pace.until(now() + delayMs);
  if (outcome === "reset") {
    incoming.socket.resetAndDestroy();
    return takenOver(c, 0);
  }
  if (outcome === "hang") return leaveUnanswered(c);
  if (outgoing.destroyed) {
    // Nobody takes it any more, and the file of a body is open.
    await outcome.body?.cancel();
    return takenOver(c, outcome.status);
  }
  const answer = await altered(outcome, given, dice, pace);
  // The journal has the call by its head, as it does every other one.
  void send(answer, outgoing);
  return takenOver(c, answer.status);
}

/** An answer as it is to leave. `cut`: the connection is broken off after the pieces. */
interface Altered {
  readonly status: number;
  readonly headers: Headers;
  readonly pieces: Pieces | null;
  readonly cut: boolean;
}

async function altered(answer: Response, given: FaultEffects, dice: Dice, pace: Pace): Promise<Altered> {
  const headers = new Headers(answer.headers);
  const body = await bodyOf(answer, given);
  for (const [effect, value] of effectsOf(given)) effect.setHead?.(headers, value);
  if (body === null) return { status: answer.status, headers, pieces: null, cut: false };
  headers.set("content-length", String(body.sizeBytes));
  let outgoing: Outgoing = { headers, ...body, cut: false };
  for (const [effect, value] of effectsOf(given)) {
    outgoing = effect.changeBody?.(outgoing, value, dice, pace) ?? outgoing;
  }
  return { status: answer.status, ...outgoing };
}

/** Files are passed on as they are read, with the length that they say; everything else is small and read whole. */
async function bodyOf(answer: Response, given: FaultEffects): Promise<Pick<Outgoing, "pieces" | "sizeBytes"> | null> {
  if (answer.body === null) return null;
  const length = answer.headers.get("content-length");
  if (length !== null) return { pieces: answer.body as unknown as Pieces, sizeBytes: Number(length) };
  let bytes: Buffer = Buffer.from(await answer.arrayBuffer());
  if (answer.headers.get("content-type")?.startsWith("application/json")) {
    for (const [effect, value] of effectsOf(given)) bytes = effect.changeJson?.(bytes, value) ?? bytes;
  }
  return { pieces: oneOf(bytes), sizeBytes: bytes.length };
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** Writes an answer as it stands, whatever its head promises, and then ends it or breaks the connection off. */
async function send({ status, headers, pieces, cut }: Altered, outgoing: ServerResponse): Promise<void> {
  try {
    outgoing.writeHead(status, Object.fromEntries(headers));
    outgoing.flushHeaders();
    for await (const piece of pieces ?? []) {
      if (!(await written(outgoing, piece))) return;
    }
  } catch (error) {
    // The file cannot be read to its end. The head is out, so all that is left is to break off.
    console.error(error);
    outgoing.destroy();
    return;
  }
  if (cut) outgoing.destroy();
  else outgoing.end();
}

/** Whether the piece left; it does not when the other side has gone. */
function written(outgoing: ServerResponse, piece: Uint8Array): Promise<boolean> {
  if (outgoing.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    outgoing.once("close", gone);
    outgoing.write(piece, (error) => {
      outgoing.off("close", gone);
      resolve(error === null || error === undefined);
    });
  });
}
