import type { Context } from "hono";
import type { Env } from "./answers.ts";

/** Even a call that never gets an answer lets its connection go after this; no client waits as long. */
const LONGEST_HANG_MS = 3_600_000;

/** Never answers a call; it is in the journal with the status 0. Whoever ends the connection ends the wait. */
export function leaveUnanswered(c: Context<Env>): void {
  const { socket } = c.env.incoming;
  const patience = setTimeout(() => socket.destroy(), LONGEST_HANG_MS).unref();
  socket.once("close", () => clearTimeout(patience));
  takeOver(c, 0);
}

/** Tells the server that the answer is not its business: it is written past it, or there is none (status 0). */
export function takeOver(c: Context<Env>, status: number): void {
  c.get("note").status = status;
  // Of its light answers the server sends even this one; a clone is a full one.
  replaceAnswer(c, new Response(null, { headers: { "x-hono-already-sent": "true" } }).clone());
}

/** Puts an answer in place of the one there is; Hono would lay the headers of the old one over those of the new. */
export function replaceAnswer(c: Context<Env>, answer: Response): void {
  c.res = undefined;
  c.res = answer;
}
