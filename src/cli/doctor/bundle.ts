import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../player/config/environment.ts";
import { redactor } from "../../player/log/redaction.ts";
import type { Examination } from "./examine.ts";

/** The last of the log: hours on a screen that plays, and small enough to send by mail. */
const LOG_BYTES = 256 * 1024;

/**
 * Writes what somebody needs who is to help from afar into one JSON file that only its owner can read: the findings, the
 * configuration, Spotloop's part of the environment, the end of the log. `secrets` are in none of it.
 */
export function writeBundle(
  file: string,
  { findings, config, path, dataDir }: Examination,
  env: Environment,
  secrets: readonly string[],
): void {
  const { orgToken: _, screens = [], ...told } = config ?? {};
  const [only] = screens;
  const bundle = {
    writtenAt: new Date().toISOString(),
    findings,
    configuration: { path, ...told, ...(screens.length === 1 ? only : { screens }), orgToken: "[redacted]" },
    environment: Object.fromEntries(Object.entries(env).filter(([name]) => isTold(name))),
    log: logTail(config?.log.dir ?? join(dataDir, "logs")),
  };
  const text = redactor(secrets)(`${JSON.stringify(bundle, null, 2)}\n`);
  writeFileSync(file, text, { mode: 0o600 });
}

/** Variables that say how Spotloop runs; not the one that is the token. */
function isTold(name: string): boolean {
  if (name === "SPOTLOOP_ORG_TOKEN") return false;
  return name.startsWith("SPOTLOOP_") || ["DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "LANG"].includes(name);
}

/** The last lines of the newest log file; none where there is no log. */
function logTail(folder: string): readonly string[] {
  try {
    const files = readdirSync(folder).map((name) => join(folder, name));
    const dated = files.map((file) => ({ file, at: statSync(file).mtimeMs })).sort((one, other) => other.at - one.at);
    const newest = dated[0];
    if (newest === undefined) return [];
    return readFileSync(newest.file, "utf8").slice(-LOG_BYTES).split("\n").slice(1);
  } catch {
    return [];
  }
}
