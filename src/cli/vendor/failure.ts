import type { Answer, Failure } from "../../client/answer.ts";
import { CommandFailure, exitCodes } from "../exit.ts";
import { plain } from "../text.ts";
import { flawText } from "./flaws.ts";

/** What a call was about, for the words of its failure. */
export interface Subject {
  /** As in "there is no location L1". */
  readonly what: string;
  /** What the user calls a field. */
  readonly nameOf?: (field: string) => string;
  /** A command that shows how things stand. */
  readonly look?: string;
}

/** The value of a good answer; any other ends the command, with a message and the code that fits. */
export function orEnd<T>(answer: Answer<T>, subject: Subject): T {
  if (answer.kind === "ok") return answer.value;
  throw new CommandFailure(failureText(answer, subject), failureCode(answer));
}

/** The exit code for what went wrong with a call. */
export function failureCode({ kind }: Failure): number {
  switch (kind) {
    case "invalid":
    case "notFound":
    case "conflict":
      return exitCodes.data;
    case "unauthorized":
      return exitCodes.permission;
    case "limited":
    case "unavailable":
      return exitCodes.unavailable;
  }
}

/** What went wrong with a call, for people, with what to do about it. */
export function failureText(failure: Failure, { what, nameOf = (field) => field, look }: Subject): string {
  switch (failure.kind) {
    case "invalid":
      return invalidText(failure, nameOf);
    case "unauthorized":
      return "The service does not accept the organization token. Mend SPOTLOOP_ORG_TOKEN or the file that holds it.";
    case "notFound":
      return `There is no ${what} in this organization.`;
    case "conflict":
      return `There is a ${what} already${look === undefined ? "" : `; see it with: ${look}`}`;
    case "limited":
      return `The service is asked too often. Try again ${waitText(failure.retryAfterMs)}.`;
    case "unavailable":
      return unavailableText(failure, look);
  }
}

function invalidText(
  { status, detail, fields }: Extract<Failure, { kind: "invalid" }>,
  nameOf: (field: string) => string,
): string {
  const flaws = fields.map(({ field, message }) => ({ where: nameOf(field), message }));
  if (status === null) return flawText(flaws);
  const said = flaws.length > 0 ? flawText(flaws) : plain(detail ?? "");
  return `The service refuses this (HTTP ${status})${said === "" ? "." : `: ${said}`}`;
}

function unavailableText(
  { reason, retryAfterMs, done }: Extract<Failure, { kind: "unavailable" }>,
  look: string | undefined,
): string {
  const open = look === undefined ? "Look before you try again." : `See with: ${look}`;
  const outcome = { no: "", yes: " It was done all the same.", unknown: ` Whether it was done is not known. ${open}` };
  const when = retryAfterMs === null ? "" : ` Try again ${waitText(retryAfterMs)}.`;
  const advice = when === "" && done === "no" ? " spotloop doctor says more." : "";
  return `The service did not answer as it should: ${plain(reason)}.${when}${outcome[done]}${advice}`;
}

function waitText(waitMs: number | null): string {
  return waitMs === null ? "in half a minute" : `in ${Math.ceil(waitMs / 1000)} s`;
}
