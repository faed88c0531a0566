import type { Hono } from "hono";
import type { Env } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { sentQuery } from "./body.ts";
import { callAnswer, filterOf, filterSchema } from "./journal-filter.ts";
import { addJournalStream } from "./journal-stream.ts";
import { addJournalWait } from "./journal-wait.ts";

/** Adds reading, following, awaiting and clearing the journal. */
export function addJournal(app: Hono<Env>, { journal }: Network): void {
  app.get("/control/journal", (c) => {
    const sent = sentQuery(c, filterSchema);
    if (sent.kind === "refused") return sent.answer;
    return c.json(journal.calls(filterOf(sent.value)).map(callAnswer));
  });
  app.delete("/control/journal", (c) => c.json({ deleted: journal.clear() }));
  addJournalStream(app, journal);
  addJournalWait(app, journal);
}
