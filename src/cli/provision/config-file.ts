import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { surroundingsOf } from "../../player/config/config.ts";
import type { Environment } from "../../player/config/environment.ts";
import { configPlaces, readJsonFile } from "../../player/config/file.ts";
import { CommandFailure, exitCodes } from "../exit.ts";
import { keepToken, type TokenKept, type TokenPlace, writePrivately } from "./private-file.ts";

/** Where a configuration is to be written: where one is named or lies already, else the first place that can be written. */
export function configTarget(named: string | null, env: Environment): string {
  const places = configPlaces(named, surroundingsOf({ path: named, env }));
  const found = places.find((place) => existsSync(place)) ?? places.find((place) => canWriteBelow(dirname(place)));
  return found ?? places.at(-1) ?? "config.json";
}

/** Ends the command with 78 where no configuration could be written, before anything is made that needs one. */
export function endIfUnwritable(path: string): void {
  const isWritable = canWriteBelow(dirname(path)) && (!existsSync(path) || canWrite(path));
  if (isWritable) return;
  const message = `${path} cannot be written by this user; name another with --config`;
  throw new CommandFailure(message, exitCodes.configuration);
}

/** What a configuration file holds; empty where there is none. Ends the command with 78 where it cannot be read. */
export function writtenConfig(path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) return {};
  const file = readJsonFile(path);
  const isObject = file.kind === "value" && typeof file.value === "object" && !Array.isArray(file.value);
  if (isObject) return { ...file.value };
  const why = file.kind === "unreadable" ? file.problem.message : "It holds no object.";
  throw new CommandFailure(
    `${path} is there and cannot be used: ${why} Mend it or move it away.`,
    exitCodes.configuration,
  );
}

/** What is to stand in a configuration; what is left out stays as it is. */
export interface Wanted {
  readonly baseUrl: string;
  readonly screenId: string;
  readonly token: TokenPlace;
  readonly dataDir?: string | undefined;
  /** `null`: no health pages. */
  readonly healthPort?: number | null | undefined;
}

/**
 * Writes the configuration, whole or not at all; what else stood in it stays. The token is in a file of its own. Both can be
 * read by their owner only: the service's user in the service's folder, where there is one.
 */
export function writeConfig(path: string, { baseUrl, screenId, token, dataDir, healthPort }: Wanted): TokenKept {
  const { orgToken: _, orgTokenFile, screens, ...before } = writtenConfig(path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    const kept = keepToken(token, path);
    const config = {
      ...{ ...before, baseUrl, orgTokenFile: kept.setting ?? orgTokenFile },
      ...(Array.isArray(screens) ? { screens: including(screenId, screens) } : { screenId }),
      ...(dataDir === undefined ? {} : { dataDir }),
      ...(healthPort === undefined ? {} : { health: { ...sectionIn(before.health), port: healthPort } }),
    };
    writePrivately(path, `${JSON.stringify(config, null, 2)}\n`);
    return kept;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : String(error);
    throw new CommandFailure(
      `${path} cannot be written (${code}); name another with --config`,
      exitCodes.configuration,
    );
  }
}

function sectionIn(written: unknown): object {
  return typeof written === "object" && written !== null ? written : {};
}

/** A machine of several screens gets one more, unless it has it already. */
function including(screenId: string, screens: readonly unknown[]): readonly unknown[] {
  const has = screens.some((entry) => z.object({ screenId: z.literal(screenId) }).safeParse(entry).success);
  return has ? screens : [...screens, { screenId }];
}

/** Whether this user can write into a folder, or make it. */
export function canWriteBelow(folder: string): boolean {
  if (existsSync(folder)) return statSync(folder).isDirectory() && canWrite(folder);
  return dirname(folder) !== folder && canWriteBelow(dirname(folder));
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
