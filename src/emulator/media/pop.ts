import type { Context } from "hono";
import { type Env, problem } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { provePlay } from "../spot/ledger.ts";

/** Answers a call of a proof-of-play URL, which must be to the byte as it was given out (F7-F12). */
export function answerPop(c: Context<Env>, network: Network): Response {
  c.header("cache-control", "no-store");
  c.get("note").route = "pop";
  const { ledger, switches } = network.state;
  const path = c.env.incoming.url ?? "";
  const { verdict, status, spot } = provePlay(ledger, path, network.clock.now(), switches.earlyPop);
  c.get("note").screenId = spot?.screenId ?? null;
  switch (verdict) {
    case "counted":
      return c.json({}, 200);
    case "duplicate":
    case "early":
      if (status !== 200) return problem(c, 400, "pop_early", "the item cannot have been shown in full yet");
      c.get("note").warnings.push(`${verdict} proof of play`);
      return c.json({}, 200);
    case "late":
      return problem(c, 410, "pop_expired", "the hour after the spot request is over");
    case "unknown":
      return problem(c, 404, "unknown_pop", "no spot has this proof-of-play URL");
  }
}
