import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { readUplink, type Uplink } from "../network/uplink.ts";
import { type BadConfig, type ConfigSource, explained, type GoodConfig, readConfig, surroundingsOf } from "./config.ts";
import { type Environment, overlaid, overridesFrom, textAt } from "./environment.ts";
import { configPlaces, firstThere, readJsonFile, readOrgToken, tokenProblems } from "./file.ts";
import { problemsOf } from "./problems.ts";
import { configFileSchema } from "./schema.ts";
import { warningsAbout } from "./warnings.ts";

/** What it takes to talk to the service. */
export interface Access {
  readonly baseUrl: string;
  readonly orgToken: string;
  readonly uplink: Uplink;
  /** The configuration file, or null where the environment says everything. */
  readonly path: string | null;
  /** In words for people; the token is in none of them. */
  readonly warnings: readonly string[];
}

export type AccessReading = { readonly kind: "ok"; readonly access: Access } | Omit<BadConfig, "watch">;

/**
 * Reads where the service is, the organization token and the way out, from where the player has them. What else a
 * configuration says or lacks does not matter: a vendor's desk need not be a screen. A file that is named must be there,
 * unless it `mayBeNew`.
 */
export function readAccess(source: ConfigSource, mayBeNew = false): AccessReading {
  const surroundings = surroundingsOf(source);
  const places = configPlaces(source.path, surroundings);
  const path = firstThere(places);
  const shownPath = path ?? places[0] ?? "";
  if (path === null && source.path !== null && !mayBeNew) {
    const problems = [{ path: "", message: "The file is not there." }];
    return { kind: "bad", path: shownPath, absentFrom: places, problems };
  }
  const file = readJsonFile(path);
  if (file.kind === "unreadable") return { kind: "bad", path: shownPath, absentFrom: [], problems: [file.problem] };
  const written = overlaid(file.value, overridesFrom(source.env), dirname(shownPath));
  const read = accessSchema.safeParse(written);
  const token = readOrgToken(textAt(written, "orgToken"), textAt(written, "orgTokenFile"), source.env);
  const { uplink, ...about } = readUplink(written, source.env, surroundings.platform);
  if (read.success && token.kind === "token" && about.problems.length === 0) {
    const { baseUrl } = read.data;
    const unwise = warningsAbout(baseUrl, path, token, surroundings);
    const warnings = [...file.warnings, ...unwise, ...about.warnings];
    return { kind: "ok", access: { baseUrl, orgToken: token.token, uplink, path, warnings } };
  }
  const found = read.success ? [] : problemsOf(read.error, written);
  const wrong = [...found, ...tokenProblems(token, found), ...about.problems];
  const absentFrom = path === null ? places : [];
  return { kind: "bad", path: shownPath, absentFrom, problems: explained(wrong, source.env) };
}

const accessSchema = z.object({
  baseUrl: configFileSchema.shape.baseUrl,
  orgToken: z.string().optional(),
  orgTokenFile: configFileSchema.shape.orgTokenFile,
  network: z.object({ proxy: configFileSchema.shape.network.unwrap().shape.proxy }).optional(),
});

/**
 * What tells whether a player that began now would talk to the service otherwise than one that began as `good` says, with this
 * call: by another good configuration, with the token, login and certificates that it names, or because this machine trusts
 * others by now. It tells what its last look found and looks again meanwhile: nobody waits for a share that does not answer.
 */
export function accessChanges({ config, watch }: GoodConfig, source: ConfigSource): () => boolean {
  const trusted = trustedIn(source.env);
  let isOther = false;
  let isLooking = false;
  const look = async () => {
    isLooking = true;
    await reach(watch);
    const now = readConfig(source);
    isOther = now.kind === "ok" && (!isDeepStrictEqual(now.config, config) || trustedIn(source.env) !== trusted);
    isLooking = false;
  };
  return () => {
    if (!isLooking) void look();
    return isOther;
  };
}

/** Resolves once what there is of these files answers. One after the other: each may hold a thread for days. */
async function reach(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const opened = await open(file).catch(() => null);
    await opened?.close();
  }
}

/** Where Debian and Fedora keep the certificates that a machine trusts. */
const TRUSTED = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/** A digest of the certificates that this machine trusts, as far as they are in files; OpenSSL has a variable for another one. */
function trustedIn({ SSL_CERT_FILE }: Environment): string {
  const digest = createHash("sha256");
  for (const path of SSL_CERT_FILE ? [SSL_CERT_FILE] : TRUSTED) {
    try {
      digest.update(readFileSync(path));
    } catch {
      // There is none.
    }
  }
  return digest.digest("hex");
}
