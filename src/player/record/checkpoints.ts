import type { Logger } from "pino";
import { discard, type Reply, succeeded, USER_AGENT, within } from "../../client/http.ts";
import { reasonOf } from "../../client/reply.ts";
import { type Backoff, backoffMs } from "../../core/backoff.ts";
import type { Instant } from "../../core/spot.ts";
import { type Clock, NEVER, Timer } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { ServiceClock } from "../service-clock.ts";
import { codeOf, isTaken } from "../stores/database.ts";
import { finishRotation, openRecordKey, type RecordKey } from "./record-key.ts";
import type { RecordLimits, RecordStore } from "./record-store.ts";

interface CheckpointParts {
  readonly store: RecordStore;
  /** Where the key is. */
  readonly dataDir: string;
  readonly limits: RecordLimits;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Logger;
  /** Hears that all there is to sign is signed. */
  readonly onSigned: () => void;
}

const HOUR_MS = 3_600_000;

/** When a run signs what those before it left unsigned: a start has better things to do. */
const FIRST_AFTER_MS = 60_000;
/** The wait between two steps of removing what is old. */
const REMOVE_ON_MS = 1_000;

/**
 * Signs the record at each full hour by the service's clock, and so at the end of each day, and when the player stops; an
 * hour without a row needs no checkpoint. Removes what need not be kept any more.
 */
export class Checkpoints {
  readonly #parts: CheckpointParts;
  readonly #timer: Timer;
  #state: "new" | "running" | "stopped" = "new";
  #making: Promise<void> = Promise.resolve();
  #trouble: string | null = null;

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
    this.#timer = new Timer(parts.clock, () => this.#turn());
  }

  /** Once. */
  start(): void {
    if (this.#state !== "new") return;
    this.#state = "running";
    this.#timer.set(this.#parts.clock.now() + FIRST_AFTER_MS);
  }

  /** What keeps checkpoints from being made, in words, or null. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Signs what is there, and resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    this.#timer.set(Number.POSITIVE_INFINITY);
    await this.#making;
    await this.#make();
  }

  #turn(): void {
    this.#making = this.#make().then(() => {
      if (this.#state !== "running") return;
      const more = this.#removeOld();
      const { clock } = this.#parts;
      this.#timer.set(more ? clock.now() + REMOVE_ON_MS : this.#nextHour());
    });
  }

  /** The monotonic instant of the next full hour. */
  #nextHour(): Instant {
    const { now, wall, service } = this.#parts.serviceClock.read();
    const time = service ?? wall;
    return now + HOUR_MS - (((time % HOUR_MS) + HOUR_MS) % HOUR_MS);
  }

  async #make(): Promise<void> {
    const { store, onSigned, serviceClock } = this.#parts;
    try {
      const key = this.#key();
      if (key === null) return;
      let fold = store.fold();
      for (let more = store.foldMore(fold); more !== fold; more = store.foldMore(fold)) {
        fold = more;
        await new Promise(setImmediate);
      }
      store.seal(fold, key, serviceClock.read());
      this.#note(null);
      onSigned();
    } catch (error) {
      // Evidence is not worth a player that ends: what fails now is told, and tried again in an hour.
      this.#note(codeOf(error) ?? String(error));
    }
  }

  #key(): RecordKey | null {
    const { store, dataDir, log } = this.#parts;
    const { origin, key } = store.identity();
    if (origin === null) return null;
    finishRotation(dataDir, origin, key);
    const opening = openRecordKey(dataDir);
    if (opening.kind === "open") {
      if (opening.setAside !== null)
        log.error({ kept: opening.setAside }, "record.key held no key: another signs from now on");
      return opening.key;
    }
    this.#note(opening.problem);
    return null;
  }

  /** Whether there is more to be removed. */
  #removeOld(): boolean {
    const { store, limits, serviceClock } = this.#parts;
    const { service } = serviceClock.read();
    if (service === null) return false;
    try {
      return store.removeOld(limits, service);
    } catch (error) {
      this.#note(codeOf(error) ?? String(error));
      return false;
    }
  }

  /** Only when it begins and when it ends. */
  #note(trouble: string | null): void {
    const { log } = this.#parts;
    if (trouble !== null && this.#trouble === null) log.error({ trouble }, "the playout record cannot be signed");
    if (trouble === null && this.#trouble !== null) log.info("the playout record is signed again");
    this.#trouble = trouble;
  }
}

interface WitnessParts {
  readonly store: Pick<RecordStore, "unwitnessed" | "noteWitness" | "whenFlushed">;
  readonly clock: Clock;
  /** One POST of one checkpoint, with a time limit of its own. */
  readonly post: (note: string, signal: AbortSignal) => Promise<Posting>;
  /** Chance in [0, 1), for jitter only. */
  readonly random: () => number;
  readonly log: Logger;
}

/** Between two tries to reach the witness: nothing waits for it but evidence. */
const WITNESS_BACKOFF: Backoff = { firstMs: 60_000, longestMs: 3_600_000, exactWaits: 1 };

/** The witness that the configuration names, or null. */
export function openWitness({ config, fetch, ...parts }: Omit<WitnessParts, "post"> & WitnessAccess): Witness | null {
  const { witnessUrl } = config.record;
  if (witnessUrl === null) return null;
  const timeoutMs = config.proof.timeoutSeconds * 1000;
  const { store, clock, random, log } = parts;
  const post: WitnessParts["post"] = (note, signal) => postNote(fetch, witnessUrl, note, timeoutMs, signal);
  return new Witness({ store, clock, random, log, post });
}

interface WitnessAccess {
  readonly config: Pick<Config, "record" | "proof">;
  readonly fetch: typeof globalThis.fetch;
}

/** Hands each checkpoint to the witness that keeps it elsewhere, oldest first, until stopped. */
export class Witness {
  readonly #parts: WitnessParts;
  readonly #timer: Timer;
  readonly #control = new AbortController();
  #failures = 0;
  #posting: Promise<void> | null = null;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
    this.#timer = new Timer(parts.clock, () => this.#turn());
  }

  /** Tries in a row that led to nothing. */
  get failures(): number {
    return this.#failures;
  }

  /** Tells that there may be a checkpoint that the witness has not seen. */
  notify(): void {
    if (this.#failures === 0) this.#turn();
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#control.abort(new Error("the player stops"));
    this.#timer.set(NEVER);
    await this.#posting;
  }

  #turn(): void {
    if (this.#posting !== null || this.#control.signal.aborted) return;
    this.#posting = this.#postAll().finally(() => {
      this.#posting = null;
    });
  }

  async #postAll(): Promise<void> {
    const { store, post, log, clock, random } = this.#parts;
    for (let next = this.#next(); next !== null; next = this.#next()) {
      // What the witness has seen must be in the record after a power cut, too.
      await new Promise<void>((resolve) => store.whenFlushed(resolve));
      const posting = await post(next.note, this.#control.signal);
      if (this.#control.signal.aborted) return;
      if (posting.kind === "unreachable") {
        if (this.#failures === 0) log.warn({ reason: posting.reason }, "the record's witness cannot be reached");
        this.#failures++;
        this.#timer.set(clock.now() + backoffMs(WITNESS_BACKOFF, this.#failures, random()));
        return;
      }
      if (this.#failures > 0) log.info("the record's witness can be reached again");
      this.#failures = 0;
      if (posting.kind === "refused") {
        log.warn({ status: posting.status, size: next.size }, "the record's witness refuses a checkpoint");
      }
      // A store that fails now is asked again with the next checkpoint: the witness may see one twice.
      if (!isTaken(() => store.noteWitness(next.size, posting.kind))) return;
    }
  }

  #next(): ReturnType<RecordStore["unwitnessed"]> {
    let next: ReturnType<RecordStore["unwitnessed"]> = null;
    isTaken(() => {
      next = this.#parts.store.unwitnessed();
    });
    return next;
  }
}

/** What came of handing a text to somebody. */
type Posting =
  | { readonly kind: "taken" }
  /** Sending the same again would not change it. */
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "unreachable"; readonly reason: string };

/** POSTs a text once, whole and as it is. Redirects are not followed: they could lead anywhere. */
export async function postNote(
  fetch: typeof globalThis.fetch,
  url: string,
  text: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Posting> {
  const headers = { ...USER_AGENT, "content-type": "text/plain; charset=utf-8" };
  let reply: Reply;
  try {
    reply = await within(timeoutMs, signal, (raised) =>
      fetch(url, { method: "POST", headers, body: text, redirect: "manual", signal: raised }),
    );
  } catch (error) {
    return { kind: "unreachable", reason: signal.aborted ? "called off" : reasonOf(error) };
  }
  await discard(reply);
  const { status } = reply;
  if (succeeded(status)) return { kind: "taken" };
  const isFinal = status >= 400 && status < 500 && ![401, 403, 407, 408, 425, 429].includes(status);
  return isFinal ? { kind: "refused", status } : { kind: "unreachable", reason: `HTTP ${status}` };
}
