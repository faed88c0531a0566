import { Command } from "commander";
import stringWidth from "fast-string-width";
import { type VenueTree, type VenueType, venueTypeName } from "../../core/inventory/rules.ts";
import { plain, print, printJson, say, table } from "../text.ts";
import { orEnd, patiently } from "./calls.ts";
import { type ConnectionFlags, connect, withConnection } from "./connection.ts";

interface ListFlags extends ConnectionFlags {
  readonly refresh?: true;
}

/** `spotloop venue-types`: what locations and screens can be; labels that repeat come with their parent's (D2). */
export function venueTypesCommand(): Command {
  const list = new Command("venue-types").description("list the venue types; kept for a day");
  const search = new Command("search").description("those with a word in name or description").argument("<word...>");
  const tree = new Command("tree").description("all of them as a tree");
  for (const command of [list, search, tree]) command.option("--refresh", "ask the service, not the day's cache");
  return withConnection(list)
    .action((_: object, command: Command) => show(command, listText, () => true))
    .addCommand(withConnection(search).action(searchFor))
    .addCommand(withConnection(tree).action((_: object, command: Command) => show(command, treeText, () => true)))
    .addHelpText("after", EXAMPLES);
}

const EXAMPLES = `
A location takes a type of level 2; a screen takes its location's or a child of that.

Examples:
  spotloop venue-types
  spotloop venue-types search gym
  spotloop venue-types tree`;

async function searchFor(words: readonly string[], _: object, command: Command): Promise<void> {
  const word = words.join(" ").toLowerCase();
  await show(command, listText, (type, tree) => {
    return [type.id, venueTypeName(tree, type.id), type.description ?? ""].join("\n").toLowerCase().includes(word);
  });
}

async function show(
  command: Command,
  textOf: (types: readonly VenueType[], tree: VenueTree) => string[],
  isWanted: (type: VenueType, tree: VenueTree) => boolean,
): Promise<void> {
  // What stands before the word of a subcommand belongs to the outer command.
  const flags = command.optsWithGlobals<ListFlags>();
  const { reader, signal } = connect(flags);
  const listed = await patiently(() => reader.venueTree(signal, flags.refresh === true));
  const tree = orEnd(listed, { what: "list of venue types" });
  const types = [...tree.values()].filter((type) => isWanted(type, tree));
  if (flags.json) return printJson(types);
  if (types.length === 0) say("No venue type has that.");
  print(...textOf(types, tree));
}

function listText(types: readonly VenueType[], tree: VenueTree): string[] {
  const rows = types.map(({ id, level, selectable }) => {
    return [plain(id), String(level), cut(plain(venueTypeName(tree, id))), useOf(level, selectable)];
  });
  return rows.length === 0 ? [] : table([["ID", "LEVEL", "NAME", "FOR"], ...rows]);
}

function useOf(level: number, selectable: boolean): string {
  if (!selectable || level === 1) return "-";
  return level === 2 ? "location, screen" : "screen";
}

/** Leaves room for the other columns on a terminal of 80. */
const WIDEST_NAME = 44;

/** By the characters that people see: half of one is none. */
function cut(name: string): string {
  if (stringWidth(name) <= WIDEST_NAME) return name;
  let text = "";
  for (const { segment } of new Intl.Segmenter().segment(name)) {
    if (stringWidth(text + segment) >= WIDEST_NAME) break;
    text += segment;
  }
  return `${text}…`;
}

function treeText(types: readonly VenueType[]): string[] {
  const under = (parent: string | null, indent: string): string[] =>
    types
      .filter(({ parent_id }) => parent_id === parent)
      .flatMap(({ id, label }) => [`${indent}${plain(`${id} ${label}`)}`, ...under(id, `${indent}  `)]);
  return under(null, "");
}
