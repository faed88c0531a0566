import { z } from "zod";
import { variableOf } from "../src/player/config/environment.ts";
import { settings } from "../src/player/config/schema.ts";

/** The settings as a Markdown table: key, default, what it is for; variables of the environment where there are any. */
export function configTable(): string {
  const rows = settings().map(({ path, schema, scalar }) => {
    const variable = scalar ? `\`${variableOf(path)}\`` : "";
    return `| \`${path}\` | ${defaultOf(schema)} | ${schema.description ?? ""} | ${variable} |\n`;
  });
  return `| Key | Default | What it is | Variable |\n|---|---|---|---|\n${rows.join("")}`;
}

function defaultOf(schema: z.ZodType): string {
  if (!(schema instanceof z.ZodDefault)) return schema instanceof z.ZodOptional ? "" : "required";
  const value: unknown = schema.def.defaultValue;
  return typeof value === "number" && value >= 1024 ** 2 ? sizeOf(value) : `\`${JSON.stringify(value)}\``;
}

function sizeOf(bytes: number): string {
  return bytes >= 1024 ** 3 ? `${bytes / 1024 ** 3} GiB` : `${bytes / 1024 ** 2} MiB`;
}
