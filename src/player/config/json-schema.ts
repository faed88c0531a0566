import { z } from "zod";
import { configFileSchema } from "./schema.ts";

/** The JSON Schema of a configuration file, for editors: what `assets/config.schema.json` holds. */
export function configJsonSchema(): object {
  return { title: "Spotloop configuration", ...z.toJSONSchema(configFileSchema, { io: "input" }) };
}
