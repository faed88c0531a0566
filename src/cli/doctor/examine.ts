import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { reasonOf } from "../../client/reply.ts";
import { type Access, readAccess } from "../../player/config/access.ts";
import { type Config, type ConfigReading, surroundingsOf, WRITE_ONE } from "../../player/config/config.ts";
import type { Environment } from "../../player/config/environment.ts";
import { defaultDataDir } from "../../player/config/file.ts";
import type { ConfigProblem } from "../../player/config/problems.ts";
import { configFileSchema } from "../../player/config/schema.ts";
import { readUpgrade, type Upgrade } from "../../player/health/upgrade.ts";
import { DIRECT, requestsBy } from "../../player/network/uplink.ts";
import { socketPath } from "../../player/remote/remote.ts";
import { exitCodes } from "../command-line.ts";
import { namedConfig } from "../proofs/flags.ts";
import { brokerFindings, type PlayerAtBroker } from "./broker-check.ts";
import { diskFindings, houseFinding } from "./disk-checks.ts";
import { type Finding, failure, fine, warning } from "./finding.ts";
import { machineFindings, panelFindings, versionsFinding } from "./machine-checks.ts";
import { screenFindings } from "./screen-checks.ts";
import { offsetText, serviceFindings } from "./service-checks.ts";

/** What a whole examination came to, and what it was about. */
export interface Examination {
  readonly findings: readonly Finding[];
  /** The configuration, or null where it cannot be used. */
  readonly config: Config | null;
  /** Where it is, or was looked for. */
  readonly path: string | null;
  readonly dataDir: string;
}

/** Looks at everything that a player needs, from the configuration to the outbox; changes nothing. */
export async function examine(
  path: string | null,
  env: Environment,
  upgrade: Upgrade | null = readUpgrade(),
): Promise<Examination> {
  const source = { path, env };
  const reading = namedConfig(path, env);
  const access = readAccess(source);
  const config = reading.kind === "ok" ? reading.config : null;
  const service = access.kind === "ok" ? access.access : null;
  const way = service === null ? [] : await serviceFindings(service, env);
  const isReached = way.every(({ verdict }) => verdict !== "failed");
  const screens = service === null || config === null || !isReached ? [] : await findingsOfScreens(service, config);
  const { dataDir, cache } = config ?? { dataDir: defaultDataDir(surroundingsOf(source)), cache: CACHE };
  const player = await askPlayer(dataDir);
  const findings = [
    ...configFindings(reading),
    ...way,
    ...screens,
    ...(await machineFindings(config)),
    ...(await panelFindings(env)),
    ...(config === null ? [] : [await houseFinding(config.house.dir)]),
    ...(await diskFindings({ dataDir, cache })),
    ...(config === null ? [] : await brokerFindings(config, playerAtBroker(player, dataDir))),
    playerFinding(player),
    ...upgradeFindings(upgrade),
    versionsFinding(),
  ];
  return { findings, config, path: reading.path, dataDir };
}

/** One after the other: each asks for a spot, and they may share a limit. */
async function findingsOfScreens(access: Access, config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { screenId } of config.screens) {
    findings.push(...(await screenFindings(access, config, screenId)));
  }
  return findings;
}

const CACHE = configFileSchema.shape.cache.parse(undefined);

function configFindings(reading: ConfigReading): Finding[] {
  if (reading.kind === "ok") {
    const warnings = reading.warnings.map((text) => warning("configuration", text));
    return [fine("configuration", reading.path ?? "all from the environment"), ...warnings];
  }
  const isAbsent = reading.absentFrom.length > 0;
  return reading.problems.map((problem) => {
    const { path, message } = problem;
    const mend = `Mend ${reading.path}${isAskedFor(problem) ? ", or write it: spotloop provision" : ""}`;
    const text = path === "" ? message.replace(/\.$/, "") : `${path} ${message}`;
    const name = path.startsWith("orgToken") ? "token" : "configuration";
    const none = isAbsent && path === "" ? "there is none yet. " : "";
    return failure(name, `${none}${text}`, isAbsent ? WRITE_ONE : mend, exitCodes.configuration);
  });
}

/** Whether `provision` asks for what is wrong; at any other mistake in a file it stops too, or leaves it there. */
function isAskedFor({ path, message }: ConfigProblem): boolean {
  return ["baseUrl", "orgToken", "screenId"].includes(path) && message.startsWith("is missing");
}

const healthSchema = z.object({
  ...{ status: z.string(), restarts: z.number(), lastError: z.string().nullable() },
  panel: z.object({ state: z.string(), by: z.array(z.string()) }).optional(),
  clock: z.object({ offsetMs: z.number().nullable(), uncertaintyMs: z.number().nullable().default(null) }).optional(),
  remote: z.object({ broker: z.boolean().nullable() }).optional(),
});

/** What a player on this machine tells about itself; `absent`: nobody is where it would answer; `silent`: it may run all the same. */
type PlayerReply =
  | { readonly kind: "running"; readonly health: z.output<typeof healthSchema> }
  | { readonly kind: "absent" | "silent" | "without-pages" };

async function askPlayer(dataDir: string): Promise<PlayerReply> {
  const port = healthPort(dataDir);
  if (port === null) return { kind: "without-pages" };
  try {
    const reply = await requestsBy(DIRECT).fetch(`http://127.0.0.1:${port}/health`, {
      signal: AbortSignal.timeout(2_000),
    });
    return { kind: "running", health: healthSchema.parse(await reply.json()) };
  } catch (error) {
    return { kind: reasonOf(error) === "ECONNREFUSED" ? "absent" : "silent" };
  }
}

/** A player whose health pages are off, or not to be had, is known by its socket; on Windows there is none. */
function playerAtBroker(reply: PlayerReply, dataDir: string): PlayerAtBroker {
  switch (reply.kind) {
    case "running":
      return reply.health.remote?.broker === true ? "connected" : "apart";
    case "absent":
      return "apart";
    case "silent":
      return "unknown";
    case "without-pages":
      return existsSync(socketPath(dataDir)) ? "unknown" : "apart";
  }
}

function playerFinding(reply: PlayerReply): Finding {
  if (reply.kind === "without-pages") return fine("player", "not running, or its health pages are off");
  if (reply.kind !== "running") return fine("player", "not running");
  const { status, restarts, lastError, panel, clock } = reply.health;
  const parts = [`running: ${status}`, `${restarts} restarts`];
  if (panel) parts.push(`its display ${[panel.state, ...panel.by].join(", ")}`);
  if (clock && clock.offsetMs !== null && clock.uncertaintyMs !== null) {
    parts.push(`its clock ${offsetText(clock.offsetMs, clock.uncertaintyMs)}`);
  }
  if (lastError !== null) parts.push(`last error: ${lastError}`);
  const text = parts.join(", ");
  if (status === "failing") return failure("player", text, "Look at the log.");
  return lastError === null ? fine("player", text) : warning("player", text, "Look at the log.");
}

/** What became of the last upgrade; nothing where none was watched over. */
export function upgradeFindings(upgrade: Upgrade | null): Finding[] {
  if (upgrade === null) return [];
  const { phase, from, to } = upgrade;
  const advice = "See why: journalctl -u spotloop-update-guard. A newer version is installed when it comes.";
  switch (phase) {
    case "trial":
      return [fine("upgrade", `${from} to ${to} is on trial until it has proved`)];
    case "proved":
    case "by-hand":
    case "undecided":
      return [fine("upgrade", `${from} to ${to}: ${phase}`)];
    case "rolling-back":
      return [warning("upgrade", `${to} did not prove, and is being taken back to ${from}`, advice)];
    case "rolled-back":
      return [warning("upgrade", `${to} did not prove, and was taken back to ${from}`, advice)];
    case "stuck":
      return [failure("upgrade", `${to} did not prove, and ${from} cannot be installed again`, REINSTALL)];
  }
}

const REINSTALL = "Install a package by hand: apt install --allow-downgrades ./spotloop_….deb ./spotloop-kiosk_….deb";

/** Where a running player answers, as it noted it down. */
function healthPort(dataDir: string): number | null {
  try {
    return z.object({ port: z.int() }).parse(JSON.parse(readFileSync(join(dataDir, "health.json"), "utf8"))).port;
  } catch {
    return null;
  }
}
