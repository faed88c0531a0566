import { resolve } from "node:path";
import leven from "leven";
import { PATH_SETTINGS } from "./schema.ts";
import { type Setting, settings } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `health.port` can be set by `SPOTLOOP_HEALTH_PORT`, `baseUrl` by `SPOTLOOP_BASE_URL`. */
export function variableOf(path: string): string {
  return `SPOTLOOP_${path
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll(".", "_")
    .toUpperCase()}`;
}

/** The values that variables of the environment give to settings, by path; an empty variable is as good as none. */
export function overridesFrom(env: Environment): ReadonlyMap<string, unknown> {
  const overrides = new Map<string, unknown>();
  for (const setting of settings().filter(({ scalar }) => scalar)) {
    const written = env[variableOf(setting.path)];
    if (written !== undefined && written !== "") overrides.set(setting.path, valueFor(setting, written));
  }
  return overrides;
}

/** Variables that look like a misspelt setting, in words for the log. */
export function misspeltVariables(env: Environment): readonly string[] {
  const known = settings()
    .filter(({ scalar }) => scalar)
    .map(({ path }) => variableOf(path));
  return Object.keys(env)
    .filter((name) => name.startsWith("SPOTLOOP_") && !known.includes(name))
    .flatMap((name) => {
      const near = known.find((other) => leven(name, other) <= NEAR);
      return near === undefined ? [] : [`${name} is not a setting: did you mean ${near}?`];
    });
}

const NEAR = 2;

/** Numbers, true, false and null are taken for what they are where the setting can be that, and for text elsewhere. */
function valueFor({ path, schema }: Setting, written: string): unknown {
  const scalar = scalarIn(written);
  if (scalar !== undefined && schema.safeParse(scalar).success) return scalar;
  if (PATH_SETTINGS.includes(path)) return resolve(written);
  return scalar === undefined || schema.safeParse(written).success ? written : scalar;
}

function scalarIn(written: string): unknown {
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === "object" && value !== null ? undefined : value;
  } catch {
    return undefined;
  }
}
