import leven from "leven";
import { z } from "zod";
import { configFileSchema } from "./schema.ts";

/** One place in the configuration that holds a value rather than more keys. */
export interface Setting {
  /** Such as `health.port`. */
  readonly path: string;
  readonly schema: z.ZodType;
  /** Whether it is a single value, which a variable of the environment can hold. */
  readonly scalar: boolean;
}

/** Every setting there is, in the order of the schema. */
export function settings(): readonly Setting[] {
  return settingsIn(configFileSchema, "");
}

/** Every key there is, sections included: `health`, `health.port`… */
export function knownKeys(): readonly string[] {
  const paths = settings().map(({ path }) => path);
  return [
    ...new Set(paths.flatMap((path) => [path, ...(path.includes(".") ? [path.slice(0, path.indexOf("."))] : [])])),
  ];
}

/** The known key that an unknown one most probably stands for; a neighbour in its own section wins over one elsewhere. */
export function nearestKey(unknown: string): string {
  const [section, name] = split(unknown);
  const distance = (key: string) => {
    const [otherSection, otherName] = split(key);
    return leven(name.toLowerCase(), otherName.toLowerCase()) + (section === otherSection ? 0 : 0.5);
  };
  return knownKeys().reduce((best, key) => (distance(key) < distance(best) ? key : best));
}

function settingsIn(schema: z.ZodObject, prefix: string): Setting[] {
  return Object.entries(schema.shape).flatMap(([name, inner]) => {
    const path = prefix + name;
    const plain = unwrapped(inner as z.ZodType);
    if (plain instanceof z.ZodObject) return settingsIn(plain, `${path}.`);
    return name === "$schema" ? [] : [{ path, schema: inner as z.ZodType, scalar: !(plain instanceof z.ZodArray) }];
  });
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return unwrapped(schema.unwrap() as z.ZodType);
  }
  return schema;
}

function split(key: string): readonly [section: string, name: string] {
  const dot = key.lastIndexOf(".");
  return [key.slice(0, Math.max(0, dot)), key.slice(dot + 1)];
}
