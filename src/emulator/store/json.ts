/** Stands for a map: nobody names a member like this. */
const MAP = "\u0000map";

/** JSON in which maps are told from objects. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (member instanceof Map ? { [MAP]: [...member] } : member));
}

/** What `toJson` wrote; throws a `SyntaxError` for anything that is not JSON. */
export function fromJson(text: string): unknown {
  return JSON.parse(text, (_, member: unknown) => (isMap(member) ? new Map(member[MAP]) : member));
}

function isMap(member: unknown): member is Readonly<Record<typeof MAP, [unknown, unknown][]>> {
  return typeof member === "object" && member !== null && MAP in member && Array.isArray(member[MAP]);
}
