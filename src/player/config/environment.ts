import { resolve } from "node:path";
import leven from "leven";
import { PATH_SETTINGS, type Setting, settings } from "./schema.ts";

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

/** Variables that were meant for a setting and set none, in words for the log. */
export function ignoredVariables(env: Environment): readonly string[] {
  const known = new Map(settings().map((setting) => [variableOf(setting.path), setting]));
  return Object.keys(env)
    .filter((name) => name.startsWith("SPOTLOOP_"))
    .flatMap((name) => {
      const setting = known.get(name);
      if (setting !== undefined)
        return setting.scalar ? [] : [`${name} sets nothing: only the file sets ${setting.path}`];
      const [near] = [...known].find(([other, { scalar }]) => scalar && leven(name, other) <= NEAR) ?? [];
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

/**
 * What a file says with other values laid over it, by path such as `health.port`, and its relative paths made absolute
 * from its folder. What is no object is left as it is, for the schema to refuse.
 */
export function overlaid(file: unknown, overrides: ReadonlyMap<string, unknown>, folder: string): unknown {
  if (!isRecord(file)) return file;
  const written = structuredClone(file);
  for (const path of PATH_SETTINGS) {
    const found = textAt(written, path);
    if (found !== null && found !== "") put(written, path, resolve(folder, found));
  }
  // A token from the environment stands in for one from the file, whichever way either is given.
  if (overrides.has("orgToken") || overrides.has("orgTokenFile")) {
    delete written.orgToken;
    delete written.orgTokenFile;
  }
  for (const [path, override] of overrides) put(written, path, override);
  return written;
}

/** The text at a path, or null where there is none. */
export function textAt(written: unknown, path: string): string | null {
  const found = valueAt(written, path);
  return typeof found === "string" ? found : null;
}

/** What is written at a path, or undefined where there is nothing. */
export function valueAt(written: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), written);
}

function put(written: Record<string, unknown>, path: string, value: unknown): void {
  const [first = "", second] = path.split(".");
  const section = written[first];
  if (second === undefined) written[first] = value;
  else if (section === undefined) written[first] = { [second]: value };
  else if (isRecord(section)) section[second] = value;
}

/** Whether a value is an object with settings. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
