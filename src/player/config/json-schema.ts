import { z } from "zod";
import { configFileSchema } from "./schema.ts";

/** The JSON Schema of a configuration file, for editors: what `assets/config.schema.json` holds. */
export function configJsonSchema(): object {
  const schema = z.toJSONSchema(configFileSchema, { io: "input" });
  return { title: "Spotloop configuration", ...schema, oneOf: [{ required: ["screenId"] }, { required: ["screens"] }] };
}
