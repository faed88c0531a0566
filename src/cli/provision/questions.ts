import { type VenueTree, type VenueType, venueTypeName } from "../../core/inventory/venue-type.ts";
import { plain } from "../text.ts";
import { answered, hasSomebodyToAsk } from "../vendor/agreement.ts";
import type { Column } from "../vendor/columns.ts";

/** Questions go to standard error: what is printed is for whoever reads the result. */
const CONTEXT = { output: process.stderr };

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
    return (await answered(password({ message, mask: "*" }, CONTEXT))).trim() || null;
  }

  /** One of these venue types, found by words. */
  async venueType(message: string, tree: VenueTree, isOffered: (type: VenueType) => boolean): Promise<string | null> {
    if (!this.isAnswered) return null;
    const { default: search } = await import("@inquirer/search");
    const choices = [...tree.values()]
      .filter(isOffered)
      .map(({ id }) => ({ value: id, name: `${id} ${plain(venueTypeName(tree, id))}` }));
    const source = (term: string | undefined) =>
      choices.filter(({ name }) => name.toLowerCase().includes((term ?? "").toLowerCase()));
    return answered(search({ message, source }, CONTEXT));
  }

  async #input(
    message: string,
    validate: (text: string) => boolean | string,
    otherwise: string | null,
  ): Promise<string | null> {
    if (!this.isAnswered) return null;
    const { default: input } = await import("@inquirer/input");
    const offered = otherwise === null ? {} : { default: otherwise };
    const text = await answered(input({ message, validate, ...offered }, CONTEXT));
    return text.trim() === "" ? null : text.trim();
  }
}

const EMPTY = "Please give one.";
