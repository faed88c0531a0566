import { type Check, hasStatus, succeeded } from "./check.ts";
import type { Reply, Subject } from "./subject.ts";

/** What is checked of how bodies are read, against an emulator. */
export const bodyChecks: readonly Check[] = [
  {
    id: "A8",
    name: "what is not JSON, no object, or nothing at all is 400",
    basis: "reading",
    run: async (subject) => {
      const replies = await Promise.all(["{", "[]", "7", ""].map((text) => post(subject, text, "application/json")));
      return replies.flatMap((reply) => hasStatus(reply, 400));
    },
  },
  {
    id: "A8",
    name: "another content type is 415",
    basis: "reading",
    run: async (subject) => hasStatus(await post(subject, '{"title":"T"}', "text/plain"), 415),
  },
  {
    id: "A9",
    name: "what the contract does not name is ignored",
    basis: "reading",
    run: async (subject) => succeeded(await post(subject, '{"title":"T","colour":"red"}', "application/json")),
  },
  {
    id: "A20",
    name: "more than 1 MiB is 413",
    basis: "reading",
    run: async (subject) => hasStatus(await post(subject, `"${"x".repeat(1024 * 1024)}"`, "application/json"), 413),
  },
];

function post(subject: Subject, text: string, type: string): Promise<Reply> {
  return subject.ask("locations", {}, { method: "POST", text, headers: { "content-type": type } });
}
