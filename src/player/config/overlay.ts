import { resolve } from "node:path";
import { PATH_SETTINGS } from "./schema.ts";

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
  const found = path.split(".").reduce<unknown>((value, key) => (isRecord(value) ? value[key] : null), written);
  return typeof found === "string" ? found : null;
}

function put(written: Record<string, unknown>, path: string, value: unknown): void {
  const [first = "", second] = path.split(".");
  const section = written[first];
  if (second === undefined) written[first] = value;
  else if (section === undefined) written[first] = { [second]: value };
  else if (isRecord(section)) section[second] = value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
