import { readAccess } from "../../player/config/access.ts";
import type { Environment } from "../../player/config/environment.ts";
import { textAt } from "../../player/config/overlay.ts";
import { badAccess, type ConnectionFlags, overruled } from "../vendor/connection.ts";
import { type TokenPlace, writtenConfig } from "./config-file.ts";
import type { Questions } from "./questions.ts";

export interface Service {
  readonly baseUrl: string;
  readonly orgToken: string;
  readonly token: TokenPlace;
}

/**
 * Where the service is and the token: from flags, environment and what is configured at `path` already, asking for what
 * none of them says. Ends the command with 78 where that is not enough.
 */
export async function serviceFor(
  path: string,
  flags: ConnectionFlags,
  env: Environment,
  questions: Questions,
): Promise<Service> {
  const told = overruled(flags, env);
  const reading = readAccess({ path, env: told }, true);
  const lacks = (setting: string) => reading.kind === "bad" && reading.problems.some((one) => one.path === setting);
  const baseUrl = lacks("baseUrl") ? await questions.text("Service address:") : null;
  const orgToken = lacks("orgToken") ? await questions.secret("Organization token:") : null;
  const asked = {
    ...(baseUrl === null ? {} : { SPOTLOOP_BASE_URL: baseUrl }),
    ...(orgToken === null ? {} : { SPOTLOOP_ORG_TOKEN: orgToken }),
  };
  const complete = readAccess({ path, env: { ...told, ...asked } }, true);
  if (complete.kind === "bad") throw badAccess(complete, flags);
  return { ...complete.access, token: placeOf({ ...told, ...asked }, complete.access.orgToken, path) };
}

/** A file that holds the token already stays where it is. */
function placeOf(env: Environment, token: string, path: string): TokenPlace {
  if (env.SPOTLOOP_ORG_TOKEN) return { kind: "here", token };
  if (env.SPOTLOOP_ORG_TOKEN_FILE) return { kind: "file", path: env.SPOTLOOP_ORG_TOKEN_FILE };
  return textAt(writtenConfig(path), "orgTokenFile") === null ? { kind: "here", token } : { kind: "configured" };
}
