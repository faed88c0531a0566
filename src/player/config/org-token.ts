import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "./environment.ts";
import { type ConfigProblem, problemsOf } from "./problems.ts";
import { orgTokenSchema } from "./values.ts";

/** The organization token, and the file of its own it came from or would; or what is wrong with it. */
export type TokenReading = { readonly file: string | null } & (
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "none"; readonly problem: ConfigProblem }
);

/**
 * Finds the token: in the configuration, in the file it names by an absolute path, else among the credentials of a
 * systemd unit.
 */
export function readOrgToken(orgToken: string | null, orgTokenFile: string | null, env: Environment): TokenReading {
  if (orgToken !== null && orgTokenFile !== null)
    return none("orgTokenFile", "must not be given beside orgToken", null);
  if (orgToken !== null) return { kind: "token", token: orgToken, file: null };
  if (orgTokenFile !== null) return readTokenFile(orgTokenFile);
  const credentials = env.CREDENTIALS_DIRECTORY;
  const credential = credentials ? join(credentials, "org-token") : null;
  if (credential !== null && existsSync(credential)) return readTokenFile(credential);
  return none("orgToken", "is missing, and so is orgTokenFile", credential);
}

function readTokenFile(file: string): TokenReading {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return none("orgTokenFile", `names ${file}, which cannot be read (${code})`, file);
  }
  const read = orgTokenSchema.safeParse(text);
  if (read.success) return { kind: "token", token: text, file };
  return none("orgTokenFile", `names ${file}, and the token there ${problemsOf(read.error, text)[0]?.message}`, file);
}

/** Whether others on this machine than the file's owner can read it. Windows keeps that elsewhere, and is not asked. */
export function readableByOthers(file: string, platform: NodeJS.Platform): boolean {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  return platform !== "win32" && (mode & OTHERS_MAY_READ) !== 0;
}

const OTHERS_MAY_READ = 0o044;

function none(path: string, message: string, file: string | null): TokenReading {
  return { kind: "none", problem: { path, message }, file };
}
