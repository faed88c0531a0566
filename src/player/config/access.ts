import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { type BadConfig, type ConfigSource, explained, surroundingsOf, warningsAbout } from "./config.ts";
import { overridesFrom } from "./environment.ts";
import { readJsonFile } from "./file.ts";
import { readOrgToken } from "./org-token.ts";
import { overlaid, textAt } from "./overlay.ts";
import { configPlaces } from "./places.ts";
import { problemsOf } from "./problems.ts";
import { configFileSchema } from "./schema.ts";

/** What it takes to talk to the service. */
export interface Access {
  readonly baseUrl: string;
  readonly orgToken: string;
  /** The configuration file, or null where the environment says everything. */
  readonly path: string | null;
  /** In words for people; the token is in none of them. */
  readonly warnings: readonly string[];
}

export type AccessReading = { readonly kind: "ok"; readonly access: Access } | Omit<BadConfig, "watch">;

/**
 * Reads where the service is and the organization token, from where the player has them. What else a configuration says
 * or lacks does not matter: a vendor's desk need not be a screen. A file that is named must be there, unless it `mayBeNew`.
 */
export function readAccess(source: ConfigSource, mayBeNew = false): AccessReading {
  const surroundings = surroundingsOf(source);
  const places = configPlaces(source.path, surroundings);
  const path = places.find((place) => existsSync(place)) ?? null;
  const shownPath = path ?? places[0] ?? "";
  if (path === null && source.path !== null && !mayBeNew) {
    return { kind: "bad", path: shownPath, problems: [{ path: "", message: "The file is not there." }] };
  }
  const file = path === null ? ({ kind: "value", value: {} } as const) : readJsonFile(path);
  if (file.kind === "unreadable") return { kind: "bad", path: shownPath, problems: [file.problem] };
  const written = overlaid(file.value, overridesFrom(source.env), dirname(shownPath));
  const read = accessSchema.safeParse(written);
  const token = readOrgToken(textAt(written, "orgToken"), textAt(written, "orgTokenFile"), source.env);
  if (read.success && token.kind === "token") {
    const warnings = warningsAbout(read.data.baseUrl, path, token, surroundings);
    return { kind: "ok", access: { baseUrl: read.data.baseUrl, orgToken: token.token, path, warnings } };
  }
  const wrong = [
    ...(read.success ? [] : problemsOf(read.error, written)),
    ...(token.kind === "none" ? [token.problem] : []),
  ];
  return { kind: "bad", path: shownPath, problems: explained(wrong, source.env) };
}

const accessSchema = z.object({ baseUrl: configFileSchema.shape.baseUrl });
