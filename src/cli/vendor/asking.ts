import { differences, type Effect, mayStopCampaigns } from "../../core/inventory/changes.ts";
import { type VenueTree, type VenueType, venueTypeName } from "../../core/inventory/rules.ts";
import { openingText } from "../../core/opening-hours.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { plain, say } from "../text.ts";
import type { Column } from "./columns.ts";

/** Says what an update changes and does; where campaigns may stop and there is somebody to ask, asks. */
export async function announce(
  stored: object,
  change: object,
  effects: readonly Effect[],
  { yes, nameOf }: { readonly yes: boolean; readonly nameOf: (field: string) => string },
): Promise<void> {
  say(...changeLines(stored, change, nameOf), ...effects.map(effectText));
  if (!yes && hasSomebodyToAsk() && effects.some(mayStopCampaigns)) await confirm("Go on?");
}

/** A line for each field that changes. */
export function changeLines(stored: object, change: object, nameOf: (field: string) => string): string[] {
  return differences(stored, change).map(({ field, from, to }) => {
    return `  ${nameOf(field).replace(/^--/, "")}: ${valueText(field, from)} -> ${valueText(field, to)}`;
  });
}

export function effectText(effect: Effect): string {
  return plain(textOf(effect));
}

function textOf(effect: Effect): string {
  switch (effect.kind) {
    case "review":
      return effect.again
        ? `This sends the location back to REVIEW (${effect.because.join(", ")}); campaigns may stop until it is approved again.`
        : "This sends the location to REVIEW.";
    case "move":
      return `This moves the screen from ${effect.from} to ${effect.to} and sends ${effect.to} to REVIEW; campaigns may stop until it is approved.`;
    case "noAds":
      return "This takes it out of all campaigns.";
    case "archived":
      return "This archives it: no spots any more.";
    case "newType":
      return "Screens there whose type does not belong to the new one get no ads.";
  }
}

/** A field's value on one line. */
function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (field === "opening_168" && Array.isArray(value)) return openingText(value);
  return plain(Array.isArray(value) ? value.join(",") : String(value));
}

/** Whether somebody sits at a terminal who can be asked. */
function hasSomebodyToAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Has somebody agree to what cannot be undone: where nobody can be asked, the yes has to be on the command line. */
export async function agree(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (hasSomebodyToAsk()) return confirm(question);
  throw new CommandFailure("Nothing was changed. Add --yes to go on without being asked.", exitCodes.usage);
}

/** Asks for a yes; any other answer ends the command with 0, nothing done. Asks on standard error, which is no output. */
export async function confirm(question: string): Promise<void> {
  // Loaded only where there is somebody to ask.
  const { default: ask } = await import("@inquirer/confirm");
  const yes = await answered((context) => ask({ message: question, default: false }, context));
  if (yes) return;
  say("Nothing was changed.");
  throw new CommandFailure("", exitCodes.stopped);
}

/** Questions go to standard error: what is printed is for whoever reads the result. */
interface Context {
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** An answer, or the end of the command when Ctrl+C or Ctrl+D was the answer. */
async function answered<T>(ask: (context: Context) => Promise<T>): Promise<T> {
  const control = new AbortController();
  const close = () => control.abort();
  // Ctrl+D closes the input of a question. Inquirer heeds the signal, but not that: its question would never end.
  process.stdin.once("pause", close);
  try {
    return await ask({ output: process.stderr, signal: control.signal });
  } catch (error) {
    if (!(error instanceof Error) || !CALLED_OFF.includes(error.name)) throw error;
    throw new CommandFailure("Called off; nothing was changed.", exitCodes.interrupted);
  } finally {
    process.stdin.off("pause", close);
  }
}

/** What Inquirer throws for Ctrl+C, and for a signal. */
const CALLED_OFF: readonly string[] = ["ExitPromptError", "AbortPromptError"];

/** Asks for what was not given; where there is nobody to ask, the answer is null. */
export class Questions {
  /** Whether there is somebody who answers. */
  readonly isAnswered: boolean;

  constructor(mayAsk = true) {
    this.isAnswered = mayAsk && hasSomebodyToAsk();
  }

  /** A text that `column` can read; `otherwise` is offered. An empty answer to an optional one is null. */
  field(message: string, column: Column, otherwise: string | null, optional = false): Promise<string | null> {
    const isFit = (text: string) => {
      if (text.trim() === "") return optional || EMPTY;
      const reading = column.read(text);
      return reading.kind === "fields" || reading.message;
    };
    return this.#input(message, isFit, otherwise);
  }

  /** Any text but an empty one. */
  text(message: string): Promise<string | null> {
    return this.#input(message, (text) => text.trim() !== "" || EMPTY, null);
  }

  /** A text that is not shown. */
  async secret(message: string): Promise<string | null> {
    if (!this.isAnswered) return null;
    const { default: password } = await import("@inquirer/password");
    return (await answered((context) => password({ message, mask: "*" }, context))).trim() || null;
  }

  /** One of these venue types, found by words. */
  async venueType(message: string, tree: VenueTree, isOffered: (type: VenueType) => boolean): Promise<string | null> {
    if (!this.isAnswered) return null;
    const { default: search } = await import("@inquirer/search");
    const choices = [...tree.values()]
      .filter(isOffered)
      .map(({ id }) => ({ value: id, name: plain(`${id} ${venueTypeName(tree, id)}`) }));
    const source = (term: string | undefined) =>
      choices.filter(({ name }) => name.toLowerCase().includes((term ?? "").toLowerCase()));
    return answered((context) => search({ message, source }, context));
  }

  async #input(
    message: string,
    validate: (text: string) => boolean | string,
    otherwise: string | null,
  ): Promise<string | null> {
    if (!this.isAnswered) return null;
    const { default: input } = await import("@inquirer/input");
    const offered = otherwise === null ? {} : { default: otherwise };
    const text = await answered((context) => input({ message, validate, ...offered }, context));
    return text.trim() === "" ? null : text.trim();
  }
}

const EMPTY = "Please give one.";
