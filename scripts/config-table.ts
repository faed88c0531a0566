import { z } from "zod";
import { variableOf } from "../src/player/config/environment.ts";
import { settings } from "../src/player/config/schema.ts";

/** The settings as a Markdown table: key, default, what it is for; variables of the environment where there are any. */
export function configTable(): string {
  const rows = settings().map(({ path, schema, scalar }) => {
    const variable = scalar ? `\`${variableOf(path)}\`` : "";
    const value = [defaultOf(schema), rangeOf(schema)].filter(Boolean).join("; ");
    return `| \`${path}\` | ${value} | ${schema.description ?? ""} | ${variable} |\n`;
  });
  return `| Key | Default; range | What it is | Variable |\n|---|---|---|---|\n${rows.join("")}`;
}

function defaultOf(schema: z.ZodType): string {
  if (!(schema instanceof z.ZodDefault)) return schema instanceof z.ZodOptional ? "" : "required";
  const value: unknown = schema.def.defaultValue;
  return typeof value === "number" && value >= MIB ? sizeOf(value) : `\`${JSON.stringify(value)}\``;
}

/** Between which numbers a setting may be, as far as that is limited at all. */
function rangeOf(schema: z.ZodType): string {
  const { anyOf = [], ...whole } = z.toJSONSchema(schema, { io: "input" });
  const numbers = [whole, ...anyOf].find(({ type }) => type === "integer" || type === "number");
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = numbers ?? {};
  const most = maximum === Number.MAX_SAFE_INTEGER ? "" : `at most ${maximum}`;
  const least = minimum === 0 ? "" : `at least ${minimum >= MIB ? sizeOf(minimum) : minimum}`;
  return [least, most].filter(Boolean).join(", ");
}

const MIB = 1024 ** 2;

function sizeOf(bytes: number): string {
  return bytes >= 1024 * MIB ? `${bytes / (1024 * MIB)} GiB` : `${bytes / MIB} MiB`;
}
