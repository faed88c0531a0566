import { join } from "node:path";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import type { Delivery } from "../../../src/core/proofs/proof.ts";
import { Courier, type CourierParts } from "../../../src/player/proofs/courier.ts";
import { ProofFile, type ProofFileParts } from "../../../src/player/proofs/proof-file.ts";
import type { NewProof } from "../../../src/player/proofs/proof-records.ts";
import { ProofStore } from "../../../src/player/proofs/proof-store.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import type { ManualClock } from "../../support/player/manual-clock.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

const silent = pino({ level: "silent" });

/** The proofs' file in a folder. */
export function proofFileIn(folder: string, parts: Partial<ProofFileParts> = {}): ProofFile {
  return ProofFile.open({ path: join(folder, "proofs.db"), log: silent, ...parts });
}

/** The store in a folder, as a run of the player opens it; leaving it open and opening another is a crash. */
export function proofStoreIn(folder: string, runId = "run-1", parts: Partial<ProofFileParts> = {}): ProofStore {
  return new ProofStore(proofFileIn(folder, parts), runId);
}

/** A lock for those who are alone. */
export const alone = { take: () => true, release: () => {} };

/** A proof that is owed for a spot asked for, and shown, just now. */
export function proofOf(playoutId: string, requestedAt: number, changes: Partial<NewProof> = {}): NewProof {
  return {
    playoutId,
    screenId: "screen-1",
    requestId: `request-${playoutId}`,
    itemId: "item-1",
    kind: "ad",
    pop: `https://pop.example/${playoutId}`,
    requestedAt,
    shownAt: requestedAt,
    ...changes,
  };
}

export const accepted: Delivery = { kind: "accepted" };
export const unreachable: Delivery = { kind: "unreachable", reason: "timeout", retryAfterMs: null };

/** What a courier sent, by the last part of the URL, and when on the monotonic clock. */
export type Sent = [playoutId: string, at: number];

/** A run of the courier on a folder, against a network made of answers. */
export function courierRun(
  folder: string,
  clock: ManualClock,
  answer: (playoutId: string, signal: AbortSignal) => Delivery | Promise<Delivery>,
  changes: Partial<CourierParts> & { readonly runId?: string } = {},
) {
  const store = changes.store ?? proofStoreIn(folder, changes.runId);
  const serviceClock = new ServiceClock(clock);
  const sent: Sent[] = [];
  const settled: string[] = [];
  const courier = new Courier({
    store,
    lock: alone,
    clock,
    serviceClock,
    random: () => 0,
    log: silent,
    send: async (pop, signal) => {
      const playoutId = pop.slice(pop.lastIndexOf("/") + 1);
      sent.push([playoutId, clock.now()]);
      return answer(playoutId, signal);
    },
    onSettled: (proof, verdict) => settled.push(`${proof.playoutId} ${verdict.kind}`),
    ...changes,
  });
  const owe = (playoutId: string, more: Partial<NewProof> = {}) => {
    const owing = store.owe(proofOf(playoutId, clock.now(), more), serviceClock.read());
    courier.notify();
    return owing;
  };
  // Else it opens its file again in a folder that is gone by then.
  onTestFinished(() => void courier.stop(AbortSignal.abort()));
  return { store, serviceClock, courier, sent, settled, owe };
}

/** A try that goes on until its signal is raised. */
export function hang(signal: AbortSignal): Promise<Delivery> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(unreachable), { once: true }));
}
