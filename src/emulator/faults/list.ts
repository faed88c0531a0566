import { z } from "zod";
import { type PresetName, presetNames, presets } from "./presets.ts";
import { type Fault, type FaultFile, faultSchema, MOST_FAULTS } from "./schema.ts";

const presetSchema = z.enum(presetNames as [PresetName, ...PresetName[]], {
  error: `must be one of ${presetNames.join(", ")}`,
});
const presetObjectSchema = z.strictObject({ preset: presetSchema });

/** One entry of a list of faults: a rule, or a preset as `"offline"` or `{"preset":"offline"}`, which is some rules. */
export const faultEntrySchema = z.unknown().transform((written, context): Fault[] => {
  const read = readEntry(written);
  if (read.success) return read.data;
  for (const { message, path } of read.error.issues) {
    context.issues.push({ code: "custom", message, path: [...path], input: written });
  }
  return z.NEVER;
}) as z.ZodType<Fault[], FaultEntry>;
export type FaultEntry = FaultFile | PresetName | { readonly preset: PresetName };

/** A list of faults, in order; presets are put in their place. */
export const faultListSchema = z
  .array(faultEntrySchema)
  .max(MOST_FAULTS)
  .transform((entries) => entries.flat())
  .refine((rules) => rules.length <= MOST_FAULTS, `at most ${MOST_FAULTS} rules`);

function readEntry(written: unknown) {
  if (typeof written === "string") return presetSchema.transform(rulesOf).safeParse(written);
  if (typeof written === "object" && written !== null && "preset" in written) {
    return presetObjectSchema.transform(({ preset }) => rulesOf(preset)).safeParse(written);
  }
  return faultSchema.transform((rule) => [rule]).safeParse(written);
}

function rulesOf(preset: PresetName): Fault[] {
  return presets[preset].map((rule) => faultSchema.parse(rule));
}
