import { accessSync, constants } from "node:fs";
import { posix, win32 } from "node:path";
import type { Environment } from "./environment.ts";

/** What of this machine decides where things are. */
export interface Surroundings {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** This user's folders, as `env-paths` tells them. */
  readonly userPaths: { readonly config: string; readonly data: string };
}

/** Where a configuration is looked for, first place first; what the user names is the only place. */
export function configPlaces(named: string | null, { env, platform, userPaths }: Surroundings): readonly string[] {
  const { join, resolve } = platform === "win32" ? win32 : posix;
  const only = named ?? env.SPOTLOOP_CONFIG;
  if (only !== undefined && only !== "") return [resolve(only)];
  const user = join(userPaths.config, "config.json");
  if (platform !== "win32") return ["/etc/spotloop/config.json", user];
  return [join(env.ProgramData ?? "C:\\ProgramData", "Spotloop", "config.json"), user];
}

/** Where the player keeps what it must not lose, unless told: the service unit's folder, the system's, or the user's. */
export function defaultDataDir({ env, platform, userPaths }: Surroundings): string {
  const ofUnit = env.STATE_DIRECTORY?.split(":", 1)[0];
  if (ofUnit !== undefined && ofUnit !== "") return ofUnit;
  return platform === "linux" && writable(SYSTEM_DATA_DIR) ? SYSTEM_DATA_DIR : userPaths.data;
}

const SYSTEM_DATA_DIR = "/var/lib/spotloop";

function writable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
