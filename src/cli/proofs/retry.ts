import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { SpotClient } from "../../client/spot-client.ts";
import { systemClock } from "../../player/clock.ts";
import { type Config, readConfig } from "../../player/config/config.ts";
import { configFileSchema } from "../../player/config/schema.ts";
import { uplinkIn } from "../../player/config/uplink.ts";
import { ExclusiveLock } from "../../player/exclusive-lock.ts";
import { requestsBy } from "../../player/network/requests.ts";
import { Courier, LOOK_EVERY_MS } from "../../player/proofs/courier/courier.ts";
import { askForRetry } from "../../player/proofs/proof-archive.ts";
import { ProofFile } from "../../player/proofs/proof-file.ts";
import { ProofStore } from "../../player/proofs/proof-store.ts";
import { ServiceClock } from "../../player/service-clock.ts";
import { CommandFailure } from "../exit.ts";
import { dataDirOf, type FolderFlags, goodConfig, orFailure } from "./flags.ts";

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
export async function retryNow(flags: FolderFlags): Promise<Retried> {
  const dataDir = dataDirOf(flags);
  const path = join(dataDir, "proofs.db");
  if (!existsSync(path)) throw new CommandFailure(`there are no proofs at ${path}: no player has run with this folder`);
  const lock = new ExclusiveLock(join(dataDir, "sender.lock"));
  if (!lock.take()) {
    const owed = orFailure(() => askForRetry(path));
    const told = `${owed} owed: the player that is running sends them within ${LOOK_EVERY_MS / 1_000} s`;
    return owed === 0 ? nothing : { by: "player", owed, delivered: null, refused: null, told };
  }
  const store = new ProofStore(
    orFailure(() => ProofFile.open({ path, log: silent })),
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
