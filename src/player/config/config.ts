import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import envPaths from "env-paths";
import type { z } from "zod";
import { DIRECT, readUplink, secretsOf, type Uplink } from "../network/uplink.ts";
import { type Environment, isRecord, overlaid, overridesFrom, textAt, variableOf } from "./environment.ts";
import {
  configPlaces,
  defaultDataDir,
  firstThere,
  readJsonFile,
  readOrgToken,
  type Surroundings,
  tokenProblems,
} from "./file.ts";
import { type ConfigProblem, problemAt, problemsOf } from "./problems.ts";
import { type ConfigFile, configFileSchema, GIB } from "./schema.ts";
import type { displaySchema } from "./values.ts";
import { warningsAbout, warningsOf } from "./warnings.ts";

/** What the player runs by: everything is there, folders are absolute, the token is resolved. */
export interface Config
  extends Readonly<
    Omit<ConfigFile, "$schema" | "orgToken" | "orgTokenFile" | "screenId" | "display" | "screens" | DerivedSection>
  > {
  /** One at least. */
  readonly screens: readonly ScreenConfig[];
  readonly orgToken: string;
  readonly dataDir: string;
  readonly cache: Readonly<ConfigFile["cache"]> & { readonly maxItemBytes: number };
  readonly log: Readonly<Omit<ConfigFile["log"], "dir">> & { readonly dir: string };
  readonly network: Readonly<Omit<ConfigFile["network"], UplinkSetting>> & { readonly uplink: Uplink };
}

/** What a configuration has in another shape than its file. */
type DerivedSection = "dataDir" | "cache" | "log" | "network";
type UplinkSetting = "proxy" | "proxyAuthFile" | "caFile";

/** What of a configuration must be in no log and no bundle. */
export function secretsIn({ orgToken, network }: Pick<Config, "orgToken" | "network">): readonly string[] {
  return [orgToken, ...secretsOf(network.uplink)];
}

export interface GoodConfig {
  readonly kind: "ok";
  readonly config: Config;
  /** The file, or null where the environment says everything. */
  readonly path: string | null;
  /** In words for the log; the token is in none of them. */
  readonly warnings: readonly string[];
  /** The files whose change may matter: where a configuration is or could be, and those it names. */
  readonly watch: readonly string[];
}

export interface BadConfig {
  readonly kind: "bad";
  /** The file, or where one was looked for first. */
  readonly path: string;
  /** Where a file was looked for and none is; empty where there is one. */
  readonly absentFrom: readonly string[];
  /** All that is wrong, not only the first; the token is in none of them. */
  readonly problems: readonly ConfigProblem[];
  readonly watch: readonly string[];
}

export type ConfigReading = GoodConfig | BadConfig;

/** How one who makes a configuration is told to begin. */
export const WRITE_ONE = "Write one with: spotloop provision";

/** What is wrong with a configuration on the whole, and, where there is none yet, what to do. */
export function complaintOf({ path, absentFrom }: Pick<BadConfig, "path" | "absentFrom">): {
  readonly heading: string;
  readonly advice: string | null;
} {
  if (absentFrom.length > 0) return { heading: "there is no configuration yet", advice: WRITE_ONE };
  return { heading: `the configuration ${path} cannot be used`, advice: null };
}

export interface ConfigSource {
  /** The file that the command line named, or null. */
  readonly path: string | null;
  readonly env: Environment;
  readonly platform?: NodeJS.Platform;
  /** Whether the windows are to be opened under Wayland, where none can be put on a display. */
  readonly wayland?: boolean;
  /** By default as `env-paths` tells them. */
  readonly userPaths?: Surroundings["userPaths"];
}

/** Reads and checks the configuration: the first file found, the environment over it, defaults below. */
export function readConfig(source: ConfigSource): ConfigReading {
  const surroundings = surroundingsOf(source);
  const places = configPlaces(source.path, surroundings);
  const path = firstThere(places);
  const watch = path === null ? places : places.slice(0, places.indexOf(path) + 1);
  const shownPath = path ?? places[0] ?? "";

  const file = readJsonFile(path);
  if (file.kind === "unreadable") {
    return { kind: "bad", path: shownPath, absentFrom: [], problems: [file.problem], watch };
  }
  const written = overlaid(file.value, overridesFrom(source.env), dirname(shownPath));
  const read = configFileSchema.safeParse(written);
  const token = readOrgToken(textAt(written, "orgToken"), textAt(written, "orgTokenFile"), source.env);
  const uplink = readUplink(written, source.env, surroundings.platform);
  const watchAll = [...watch, ...(token.file === null ? [] : [token.file]), ...uplink.files];

  const found = [
    ...(read.success ? [] : problemsOf(read.error, written)),
    ...screenProblems(written, source.wayland === true),
  ];
  const wrong = [...inOrder(found), ...tokenProblems(token, found), ...uplink.problems];
  if (!read.success || token.kind === "none" || wrong.length > 0) {
    const absentFrom = path === null ? places : [];
    const nowhere = path === null ? [{ path: "", message: `There is no file at ${places.join(" or ")}.` }] : [];
    const problems = [...nowhere, ...explained(wrong, source.env)];
    return { kind: "bad", path: shownPath, absentFrom, problems, watch: watchAll };
  }
  const dataDir = read.data.dataDir ?? defaultDataDir(surroundings);
  const config = configOf(read.data, token.token, dataDir, uplink.uplink);
  return {
    kind: "ok",
    config,
    path,
    warnings: [
      ...file.warnings,
      ...warningsAbout(config.baseUrl, path, token, surroundings),
      ...warningsOf(config),
      ...uplink.warnings,
    ],
    watch: watchAll,
  };
}

/** Often enough for somebody waiting at the screen, and next to nothing for the machine. */
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
export function configOf(file: ConfigFile, orgToken: string, dataDir: string, uplink: Uplink = DIRECT): Config {
  const { $schema: _, orgTokenFile: __, screenId: ___, display: ____, cache, log, network, ...rest } = file;
  const { proxy: _proxy, proxyAuthFile: _auth, caFile: _ca, ...limits } = network;
  const screens = screensOf(file);
  const derived = {
    cache: { ...cache, maxItemBytes: cache.maxItemBytes ?? Math.min(GIB, cache.maxBytes) },
    log: { ...log, dir: log.dir ?? join(dataDir, "logs") },
    network: { ...limits, uplink },
  };
  return { ...rest, orgToken, screens, dataDir, ...derived };
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

/** A screen that the player plays, and the display it plays it on. */
export interface ScreenConfig {
  readonly screenId: string;
  readonly display: Readonly<z.output<typeof displaySchema>>;
}

/** The screens of a configuration in which `screenProblems` found nothing. */
function screensOf({ screenId, display, screens = [] }: ConfigFile): readonly ScreenConfig[] {
  return screenId === undefined ? screens : [{ screenId, display }];
}

/**
 * What is wrong with how a configuration names its screens: by `screenId` or by `screens`, never both; each of them once,
 * each on a display of its own as far as that can be told before the displays are known; under Wayland no more than one.
 */
function screenProblems(written: unknown, wayland: boolean): ConfigProblem[] {
  if (!isRecord(written)) return [];
  const { screenId, screens, display } = written;
  if (screens === undefined) return screenId === undefined ? [{ path: "screenId", message: "is missing" }] : [];
  const beside = (path: string, message: string, value: unknown) => (value === undefined ? [] : [{ path, message }]);
  const entries = Array.isArray(screens) ? screens.map((entry) => (isRecord(entry) ? entry : {})) : [];
  const tooMany = wayland && entries.length > 1;
  return [
    ...(tooMany
      ? [{ path: "screens", message: "must be one under Wayland, which lets no program choose a display" }]
      : []),
    ...beside("screenId", "must not stand beside screens: one of the two says what this player plays", screenId),
    ...beside("display", "must not stand beside screens: each of them has a display of its own", display),
    ...repeated(entries.map((entry) => entry.screenId)).map((index) =>
      problemAt(["screens", index, "screenId"], "is there twice: each screen is played once"),
    ),
    ...repeated(entries.map(matchOf)).map((index) =>
      problemAt(["screens", index, "display", "match"], "is there twice: a display shows one screen"),
    ),
  ];
}

/** Numbers and texts name the same place; without any it is the primary display. */
function matchOf({ display }: Readonly<Record<string, unknown>>): string {
  const match = isRecord(display) ? (display.match ?? null) : null;
  return match === null ? "" : String(match);
}

/** Where a value stands that stood before. */
function repeated(values: readonly unknown[]): number[] {
  const before = new Set<unknown>();
  return values.flatMap((value, index) => {
    const isRepeated = value !== undefined && before.has(value);
    before.add(value);
    return isRepeated ? [index] : [];
  });
}
