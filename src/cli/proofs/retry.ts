import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { Service } from "../../client/service.ts";
import { systemClock } from "../../player/clock.ts";
import { ExclusiveLock } from "../../player/exclusive-lock.ts";
import { Courier, LOOK_EVERY_MS } from "../../player/proofs/courier.ts";
import { askForRetry } from "../../player/proofs/proof-archive.ts";
import { ProofFile } from "../../player/proofs/proof-file.ts";
import { ProofStore } from "../../player/proofs/proof-store.ts";
import { ServiceClock } from "../../player/service-clock.ts";
import { CommandFailure } from "../exit.ts";
import { dataDirOf, type FolderFlags, goodConfig, orFailure } from "./folder.ts";

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
  const { baseUrl, orgToken, proof } = goodConfig(flags.config);
  const clock = systemClock();
  const timeouts = { spotTimeoutMs: proof.timeoutSeconds * 1_000, proofTimeoutMs: proof.timeoutSeconds * 1_000 };
  const service = new Service({ baseUrl, orgToken, fetch, ...timeouts });
  const before = store.counts();
  const courier = new Courier({
    ...{ store, lock, clock, serviceClock: new ServiceClock(clock), dice: Math.random, log: silent },
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
