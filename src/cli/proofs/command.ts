import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, Option } from "commander";
import { pino } from "pino";
import { SpotClient } from "../../client/spot-client.ts";
import type { ItemKind } from "../../core/spot.ts";
import { systemClock } from "../../player/clock.ts";
import { type Config, readConfig } from "../../player/config/config.ts";
import { configFileSchema } from "../../player/config/schema.ts";
import { ExclusiveLock } from "../../player/exclusive-lock.ts";
import { requestsBy, uplinkIn } from "../../player/network/uplink.ts";
import { Courier, LOOK_EVERY_MS } from "../../player/proofs/courier.ts";
import { askForRetry, ProofArchive, type ProofFilter } from "../../player/proofs/proof-archive.ts";
import { ProofFile } from "../../player/proofs/proof-file.ts";
import { type ProofState, refuseAbsent } from "../../player/proofs/proof-records.ts";
import { ProofStore } from "../../player/proofs/proof-store.ts";
import { ServiceClock } from "../../player/service-clock.ts";
import { wholeNumber } from "../command-line.ts";
import {
  dataDirOf,
  dayOf,
  eachOrFailure,
  type FolderFlags,
  folderOptions,
  goodConfig,
  orFailure,
  proofsPath,
  withArchive,
} from "./flags.ts";
import { type ExportFormat, proofTable, writeProofs } from "./write.ts";

interface FilterFlags extends FolderFlags {
  readonly state?: ProofState;
  readonly kind?: ItemKind;
  readonly day?: string;
  readonly screen?: string;
}

/** How many are listed by default: a screen's last minutes. */
const LISTED = 50;

/** `spotloop proofs`: what became of the proofs of play, read while the player runs. */
export function proofsCommand(): Command {
  const command = new Command("proofs")
    .description("the proofs of play of a player on this machine: list them, export them, send what is owed now")
    .addHelpText("after", EXAMPLES);
  command.addCommand(listCommand()).addCommand(exportCommand()).addCommand(retryCommand());
  for (const sub of command.commands) sub.exitOverride();
  return command;
}

const EXAMPLES = `
Examples:
  spotloop proofs list                             the last ${LISTED}, newest first
  spotloop proofs list --state refused --day 2026-01-31
  spotloop proofs export --format csv > proofs.csv
  spotloop proofs retry                            what is owed is sent now, not at its next turn
`;

function listCommand(): Command {
  return withFilters(new Command("list"))
    .description("list proofs, newest first")
    .option("--limit <n>", "at most so many", wholeNumber(1, 9_999_999), LISTED)
    .option("--json", "print them as JSON")
    .action((flags: FilterFlags & { limit: number; json?: true }) => {
      const proofs = withArchive(proofsPath(flags), ProofArchive, (archive) =>
        first(flags.limit, archive.list(filterOf(flags))),
      );
      process.stdout.write(flags.json ? `${JSON.stringify(proofs, null, 2)}\n` : proofTable(proofs));
    });
}

function exportCommand(): Command {
  return withFilters(new Command("export"))
    .description("write all proofs to standard output, newest first")
    .addOption(new Option("--format <format>", "of the lines").choices(["csv", "jsonl"]).default("csv"))
    .action(async (flags: FilterFlags & { format: ExportFormat }) => {
      const path = proofsPath(flags);
      const archive = orFailure(path, () => new ProofArchive(path));
      const proofs = eachOrFailure(path, archive.list(filterOf(flags)));
      await writeProofs(proofs, flags.format).finally(() => archive.close());
    });
}

function retryCommand(): Command {
  const command = new Command("retry").description(
    "send what is owed now: by the player where one is running, else by this command",
  );
  for (const option of folderOptions()) command.addOption(option);
  return command
    .option("--json", "print what was done as JSON")
    .action(async (flags: FolderFlags & { json?: true }) => {
      const outcome = await retryNow(flags);
      process.stdout.write(flags.json ? `${JSON.stringify(outcome)}\n` : `${outcome.told}\n`);
    });
}

function withFilters(command: Command): Command {
  for (const option of folderOptions()) command.addOption(option);
  return command
    .addOption(new Option("--state <state>", "only these").choices(["owed", "delivered", "refused", "expired"]))
    .addOption(new Option("--kind <kind>", "only these").choices(["news", "ad"]))
    .option("--screen <id>", "only of one of several screens")
    .option("--day <day>", "only of items shown on this day, UTC: YYYY-MM-DD, today or yesterday");
}

function filterOf({ state, kind, day, screen }: FilterFlags): ProofFilter {
  const span = day === undefined ? null : dayOf(day, "UTC");
  return { state: state ?? null, kind: kind ?? null, day: span, screenId: screen ?? null };
}

function first<T>(count: number, values: Iterable<T>): readonly T[] {
  const taken: T[] = [];
  for (const value of values) {
    taken.push(value);
    if (taken.length === count) break;
  }
  return taken;
}

/** What a retry led to. */
export interface Retried {
  /** Who sends: a player that is running, this command, or nobody, where nothing is owed. */
  readonly by: "player" | "command" | "nobody";
  readonly owed: number;
  /** Known only where this command sent. */
  readonly delivered: number | null;
  readonly refused: number | null;
  /** The same for people. */
  readonly told: string;
}

/**
 * Makes everything that is owed due now. Only one may send from a data folder (G10): a player that runs there does so
 * within seconds; where none does, this command tries each proof once. What is still owed then is sent by the next player.
 */
async function retryNow(flags: FolderFlags): Promise<Retried> {
  const dataDir = dataDirOf(flags);
  const path = join(dataDir, "proofs.db");
  orFailure(path, () => refuseAbsent(path, "there are no proofs"));
  const locked = join(dataDir, "sender.lock");
  const lock = new ExclusiveLock(locked);
  if (!orFailure(locked, () => lock.take())) {
    const owed = orFailure(path, () => askForRetry(path));
    const told = `${owed} owed: the player that is running sends them within ${LOOK_EVERY_MS / 1_000} s`;
    return owed === 0 ? nothing : { by: "player", owed, delivered: null, refused: null, told };
  }
  const store = new ProofStore(
    orFailure(path, () => ProofFile.open({ path, log: silent })),
    randomUUID(),
  );
  try {
    const owed = store.retryAll();
    return owed === 0 ? nothing : await sendAll(store, lock, flags, owed);
  } finally {
    lock.release();
    store.close();
  }
}

const nothing: Retried = { by: "nobody", owed: 0, delivered: null, refused: null, told: "nothing is owed" };
const silent = pino({ level: "silent" });

async function sendAll(store: ProofStore, lock: ExclusiveLock, flags: FolderFlags, owed: number): Promise<Retried> {
  const { proof, uplink } = sendSettings(flags);
  const clock = systemClock(dataDirOf(flags));
  const timeouts = { spotTimeoutMs: proof.timeoutSeconds * 1_000, proofTimeoutMs: proof.timeoutSeconds * 1_000 };
  // A proof goes to its own URL: neither the service's address nor the token has a part in it.
  const service = new SpotClient({ baseUrl: "", orgToken: "", ...requestsBy(uplink), ...timeouts });
  const before = store.counts();
  const courier = new Courier({
    ...{ store, lock, clock, serviceClock: new ServiceClock(clock), random: Math.random, log: silent },
    send: (pop, signal) => service.sendProof(pop, signal),
  });
  courier.start();
  while (!courier.idle) await sleep(LOOK_AGAIN_MS);
  await courier.stop();
  const after = store.counts();
  const [delivered, refused] = [after.delivered - before.delivered, after.refused - before.refused];
  const left = after.owed === 0 ? "" : `, ${after.owed} left to the next player`;
  const told = `${owed} were owed: ${delivered} delivered, ${refused} refused${left}`;
  return { by: "command", owed, delivered, refused, told };
}

const LOOK_AGAIN_MS = 50;

/** A data folder that is named needs no configuration; one that lies where the player looks is followed all the same. */
function sendSettings({ config, dataDir }: FolderFlags): Pick<Config, "proof"> & Pick<Config["network"], "uplink"> {
  const reading = dataDir === undefined ? null : readConfig({ path: null, env: process.env });
  if (reading?.kind === "bad") {
    return { proof: configFileSchema.shape.proof.parse(undefined), uplink: uplinkIn(process.env) };
  }
  const { proof, network } = reading?.config ?? goodConfig(config);
  return { proof, uplink: network.uplink };
}
