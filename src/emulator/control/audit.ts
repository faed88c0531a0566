import type { Hono } from "hono";
import { audit } from "../audit/audit.ts";
import type { Violation } from "../audit/violation.ts";
import type { Env } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { screensCalled } from "../world/inventory.ts";

/** A violation as it is told. */
export interface ViolationAccount extends Pick<Violation, "kind" | "detail"> {
  readonly violation: Violation["name"];
  /** ISO 8601. */
  readonly at: string;
  readonly screen_id: string | null;
  readonly requestId: string | null;
}

/** Adds asking the auditor. */
export function addAudit(app: Hono<Env>, network: Network): void {
  app.get("/control/audit", (c) => c.json(violations(network)));
}

/** The violations so far, oldest first. */
export function violations({ state, clock }: Network): ViolationAccount[] {
  const found = audit({
    spots: [...state.ledger.spots.values()],
    oddPops: state.oddPops,
    now: clock.now(),
    // Organizations may have screens of the same name, and the ledger does not tell them apart.
    amountOf: (screenId) => {
      const owned = screensCalled(state.inventory, screenId);
      return owned.reduce((sum, { screen }) => sum + (screen.amount ?? 1), 0);
    },
  });
  return found.map(({ name, at, screenId, requestId, kind, detail }) => {
    return { violation: name, at: new Date(at).toISOString(), screen_id: screenId, requestId, kind, detail };
  });
}
