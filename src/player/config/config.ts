import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import envPaths from "env-paths";
import { type Environment, misspeltVariables, overridesFrom, variableOf } from "./environment.ts";
import { readJsonFile } from "./file.ts";
import { readableByOthers, readOrgToken, type TokenReading } from "./org-token.ts";
import { overlaid, textAt } from "./overlay.ts";
import { configPlaces, defaultDataDir, type Surroundings } from "./places.ts";
import { type ConfigProblem, problemsOf } from "./problems.ts";
import { type ConfigFile, configFileSchema } from "./schema.ts";
import { type ScreenConfig, screenProblems, screensOf } from "./screens.ts";

/** What the player runs by: everything is there, folders are absolute, the token is resolved. */
export interface Config
  extends Readonly<
    Omit<ConfigFile, "$schema" | "orgToken" | "orgTokenFile" | "screenId" | "display" | "screens" | "dataDir" | "log">
  > {
  /** One at least. */
  readonly screens: readonly ScreenConfig[];
  readonly orgToken: string;
  readonly dataDir: string;
  readonly log: Readonly<Omit<ConfigFile["log"], "dir">> & { readonly dir: string };
}

export interface GoodConfig {
  readonly kind: "ok";
  readonly config: Config;
  /** The file, or null where the environment says everything. */
  readonly path: string | null;
  /** In words for the log; the token is in none of them. */
  readonly warnings: readonly string[];
  /** The files whose change may matter: where a configuration is or could be, and where the token is. */
  readonly watch: readonly string[];
}

export interface BadConfig {
  readonly kind: "bad";
  /** The file, or where one was looked for first. */
  readonly path: string;
  /** All that is wrong, not only the first; the token is in none of them. */
  readonly problems: readonly ConfigProblem[];
  readonly watch: readonly string[];
}

export type ConfigReading = GoodConfig | BadConfig;

export interface ConfigSource {
  /** The file that the command line named, or null. */
  readonly path: string | null;
  readonly env: Environment;
  readonly platform?: NodeJS.Platform;
  /** By default as `env-paths` tells them. */
  readonly userPaths?: Surroundings["userPaths"];
}

/** Reads and checks the configuration: the first file found, the environment over it, defaults below. */
export function readConfig(source: ConfigSource): ConfigReading {
  const surroundings = surroundingsOf(source);
  const places = configPlaces(source.path, surroundings);
  const path = places.find((place) => existsSync(place)) ?? null;
  const watch = path === null ? places : places.slice(0, places.indexOf(path) + 1);
  const shownPath = path ?? places[0] ?? "";

  const file = path === null ? ({ kind: "value", value: {} } as const) : readJsonFile(path);
  if (file.kind === "unreadable") return { kind: "bad", path: shownPath, problems: [file.problem], watch };
  const written = overlaid(file.value, overridesFrom(source.env), dirname(shownPath));
  const read = configFileSchema.safeParse(written);
  const token = readOrgToken(textAt(written, "orgToken"), textAt(written, "orgTokenFile"), source.env);
  const watchAll = token.file === null ? watch : [...watch, token.file];

  const wrong = [
    ...inOrder([...(read.success ? [] : problemsOf(read.error, written)), ...screenProblems(written)]),
    ...(token.kind === "none" ? [token.problem] : []),
  ];
  if (!read.success || token.kind === "none" || wrong.length > 0) {
    const nowhere = path === null ? [{ path: "", message: `There is no file at ${places.join(" or ")}.` }] : [];
    return { kind: "bad", path: shownPath, problems: [...nowhere, ...explained(wrong, source.env)], watch: watchAll };
  }
  const config = configOf(read.data, token.token, read.data.dataDir ?? defaultDataDir(surroundings));
  return {
    kind: "ok",
    config,
    path,
    warnings: warningsAbout(config.baseUrl, path, token, surroundings),
    watch: watchAll,
  };
}

/** Often enough for whoever is waiting at the screen, and next to nothing for the machine. */
const WATCH_EVERY_MS = 1_000;

/**
 * Reads the configuration soon after the call, so that nothing is missed since the caller's own reading, and again each
 * time a file that matters appears, changes, is replaced or goes; hands over what came of it, until the function it
 * returns is called. Keeps no process alive. It looks at the files again and again: notices would miss a file that is
 * not there yet, one replaced by a rename, and network drives.
 */
export function watchConfig(
  source: ConfigSource,
  onReading: (reading: ConfigReading) => void,
  everyMs = WATCH_EVERY_MS,
): () => void {
  let seen: ReadonlyMap<string, string> | null = null;
  const look = () => {
    const before = new Map([...(seen?.keys() ?? [])].map((path) => [path, trace(path)]));
    if (seen !== null && [...before].every(([path, state]) => seen?.get(path) === state)) return;
    const reading = readConfig(source);
    // Looked at before it was read, except for files that only this reading has named: a change in between shows again.
    seen = new Map(reading.watch.map((path) => [path, before.get(path) ?? trace(path)]));
    onReading(reading);
  };
  const timer = setInterval(look, everyMs).unref();
  return () => clearInterval(timer);
}

/** What changes whenever a file does. */
function trace(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [ino, size, mtimeMs, ctimeMs].join();
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unknown";
  }
}

/** What of this machine decides where things are, unless the source says so. */
export function surroundingsOf({ env, platform = process.platform, userPaths }: ConfigSource): Surroundings {
  return { env, platform, userPaths: userPaths ?? envPaths("spotloop", { suffix: "" }) };
}

/** What a player runs by, of a file that is right. */
export function configOf(file: ConfigFile, orgToken: string, dataDir: string): Config {
  const { $schema: _, orgTokenFile: __, screenId: ___, display: ____, log, ...rest } = file;
  const screens = screensOf(file);
  return { ...rest, orgToken, screens, dataDir, log: { ...log, dir: log.dir ?? join(dataDir, "logs") } };
}

/** As the settings are listed; what is no setting comes last. */
function inOrder(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const keys = Object.keys(configFileSchema.shape);
  const place = ({ path }: ConfigProblem) => {
    const index = keys.indexOf(path.split(/[.[]/, 1)[0] ?? "");
    return index === -1 ? keys.length : index;
  };
  return [...problems].sort((one, other) => place(one) - place(other));
}

/** Says of each problem with a setting that a variable gave where it came from. */
export function explained(problems: readonly ConfigProblem[], env: Environment): ConfigProblem[] {
  return problems.map(({ path, message }) => {
    const variable = variableOf(path);
    return path !== "" && env[variable] ? { path, message: `${message} (set by ${variable})` } : { path, message };
  });
}

/** What is usable but unwise about where the service and the token are. */
export function warningsAbout(
  baseUrl: string,
  path: string | null,
  token: TokenReading,
  { env, platform }: Surroundings,
): readonly string[] {
  const { protocol, hostname } = new URL(baseUrl);
  const warnings = [...misspeltVariables(env)];
  const secret = token.file ?? (env[variableOf("orgToken")] ? null : path);
  if (secret !== null && readableByOthers(secret, platform)) {
    warnings.push(`${secret} holds the organization token and can be read by others: chmod 600 ${secret}`);
  }
  if (protocol === "http:" && !/^(localhost|127\..*|\[::1\])$/.test(hostname)) {
    warnings.push("baseUrl is not https: the organization token crosses the network in the clear");
  }
  return warnings;
}
