import type { Logger } from "pino";
import { within } from "../../client/http.ts";
import type { RemoteEntry } from "../../core/proofs/record.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { Metrics } from "../health/metrics.ts";
import { codeOf, type Database, type Migration, openStore, type Statement } from "../stores/database.ts";
import {
  type Answer,
  type Attachment,
  type Command,
  type CommandName,
  type CommandOf,
  type Refusal,
  readCommand,
} from "./commands.ts";

/** What came of doing a command. */
export type Performance =
  /** `afterwards` is for what ends the player: it is called once the answer is on its way. */
  | {
      readonly kind: "done";
      readonly text: string;
      readonly attachment?: Attachment;
      readonly afterwards?: () => void;
    }
  /** It cannot be done here, or not now; nothing was changed. */
  | { readonly kind: "unavailable"; readonly text: string };

/** What each command does. */
export type Hands = { readonly [Name in CommandName]: (command: CommandOf<Name>) => Promise<Performance> };

/** How a command came: from this machine's own socket, or from the broker. */
export type Way = "socket" | "mqtt";

export interface RemoteDeskParts {
  readonly allow: readonly CommandName[];
  readonly hands: Hands;
  readonly book: Pick<CommandBook, "note" | "settle">;
  readonly clock: Pick<Clock, "wall">;
  /** The service's clock where it is known, else this machine's, epoch milliseconds. */
  readonly time: () => Instant;
  readonly metrics: Pick<Metrics, "remoteCommands">;
  readonly log: Logger;
  /** Puts a line into the playout record. */
  readonly record: (entry: RemoteEntry) => void;
}

/** An answer, and what is to be done when it is on its way. */
export interface Taken {
  readonly answer: Answer;
  readonly afterwards: () => void;
}

/** A command that was sent longer ago, or later, is refused: so long a sender's clock may be off, and a message under way. */
export const FRESH_MS = 5 * 60_000;
/** How many are done at once. */
export const MOST_UNDER_WAY = 32;
/** What takes long and much of the machine is done once at a time; what is urgent goes past it. */
const ONE_AT_A_TIME: readonly CommandName[] = ["doctor", "screenshot"];
/** The doctor takes longest: it asks the service and downloads. */
const DONE_WITHIN_MS = 120_000;
/** So many refusals an hour go into log and record: whoever sends nonsense is not to fill them. All are counted. */
export const MOST_REFUSALS_TOLD = 100;
const HOUR_MS = 3_600_000;
const NEVER = new AbortController().signal;

/** Takes commands from wherever they come: judges each at once and in turn, does, records and answers it. */
export class RemoteDesk {
  readonly #parts: RemoteDeskParts;
  readonly #underWay: CommandName[] = [];
  #refusals = { hour: 0, count: 0 };
  #isClosed = false;

  constructor(parts: RemoteDeskParts) {
    this.#parts = parts;
  }

  /** Resolves with the answer to a command as it was sent. */
  async take(sent: Uint8Array, way: Way): Promise<Taken> {
    const reading = readCommand(sent);
    if (reading.kind === "refused") return this.#refuse(reading.reason, reading.text, reading, way);
    const { command } = reading;
    const { id, command: name } = command;
    const refusal = this.#judge(command, way);
    if (refusal !== null) return this.#refuse(refusal.reason, refusal.text, { id, name }, way);
    this.#underWay.push(name);
    return this.#perform(command, way).finally(() => this.#underWay.splice(this.#underWay.indexOf(name), 1));
  }

  /** What is under way is neither recorded nor noted any more when it ends: the stores close. */
  close(): void {
    this.#isClosed = true;
  }

  /** Refuses what came where no commands are to come. */
  refuseElsewhere(way: Way): Taken {
    return this.#refuse("topic", "came on a topic that is not this player's", { id: null, name: null }, way);
  }

  /** Why a command is not done, or null: then its id is noted, and the same one is not done again. */
  #judge({ id, at, command: name }: Command, way: Way): { readonly reason: Refusal; readonly text: string } | null {
    const { allow, book, clock, time } = this.#parts;
    if (!allow.includes(name)) return { reason: "not-allowed", text: `${name} is not in remote.allow` };
    // What comes from this machine was dated by its clock, right or wrong.
    const now = way === "socket" ? clock.wall() : time();
    if (Math.abs(now - Date.parse(at)) > FRESH_MS) {
      return { reason: "stale", text: `it was sent at ${at}, and here it is ${iso(now)}` };
    }
    const isBusy = this.#underWay.length >= MOST_UNDER_WAY;
    if (isBusy || (ONE_AT_A_TIME.includes(name) && this.#underWay.includes(name))) {
      return { reason: "busy", text: isBusy ? "too many commands are under way" : `another ${name} is under way` };
    }
    try {
      const noting = book.note(id, now, now - 2 * FRESH_MS);
      if (noting.kind === "new") return null;
      return noting.kind === "full"
        ? { reason: "busy", text: "too many commands came lately" }
        : { reason: "replayed", text: `this id came before: ${noting.outcome ?? "it was begun"}` };
    } catch (error) {
      const code = codeOf(error);
      if (code === null) throw error;
      return { reason: "storage", text: `it cannot be remembered (${code})` };
    }
  }

  async #perform(command: Command, way: Way): Promise<Taken> {
    const known = { id: command.id, name: command.command };
    try {
      const performance = await within(DONE_WITHIN_MS, NEVER, () => perform(this.#parts.hands, command));
      if (performance.kind === "unavailable") return this.#refuse("unavailable", performance.text, known, way);
      const { text, attachment = null, afterwards = () => {} } = performance;
      return { answer: this.#answer({ ...known, outcome: "done", reason: null, text, attachment }, way), afterwards };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const answer = this.#answer({ ...known, outcome: "failed", reason: null, text, attachment: null }, way);
      return { answer, afterwards: () => {} };
    }
  }

  #refuse(reason: Refusal, text: string, { id, name }: Known, way: Way): Taken {
    const answer = this.#answer({ id, name, outcome: "refused", reason, text, attachment: null }, way);
    return { answer, afterwards: () => {} };
  }

  /** Tells log, record and metrics what came of a command. */
  #answer({ id, name, outcome, reason, text, attachment }: Outcome, way: Way): Answer {
    const { book, time, metrics, log, record } = this.#parts;
    const came = reason ?? outcome;
    metrics.remoteCommands.inc({ command: name ?? "none", outcome: came });
    const isTold = outcome !== "refused" || this.#countRefusal();
    const fields = { command: name, id, way, ...(reason === null ? {} : { reason }), text };
    if (isTold && outcome === "done") log.info(fields, "remote command done");
    else if (isTold) log.warn(fields, `remote command ${outcome}`);
    if (isTold && !this.#isClosed) record({ type: "remote", command: name, id, way, outcome, reason });
    if (!this.#isClosed && id !== null && (outcome !== "refused" || reason === "unavailable"))
      this.#settle(book, id, `${came}: ${text}`);
    return { id, command: name, at: iso(time()), outcome, reason, text, attachment };
  }

  #settle(book: RemoteDeskParts["book"], id: string, outcome: string): void {
    try {
      book.settle(id, outcome.slice(0, LONGEST_OUTCOME));
    } catch (error) {
      // That it came is noted, and with that it is not done again.
      if (codeOf(error) === null) throw error;
    }
  }

  /** Whether another refusal of this hour is to be told. */
  #countRefusal(): boolean {
    const hour = Math.floor(this.#parts.clock.wall() / HOUR_MS);
    const count = hour === this.#refusals.hour ? this.#refusals.count + 1 : 1;
    this.#refusals = { hour, count };
    return count <= MOST_REFUSALS_TOLD;
  }
}

const LONGEST_OUTCOME = 200;

/** As far as it could be read. */
interface Known {
  readonly id: string | null;
  readonly name: CommandName | null;
}

type Outcome = Known & Omit<Answer, "at" | "command" | "id">;

function perform<Name extends CommandName>(hands: Hands, command: CommandOf<Name>): Promise<Performance> {
  // The compiler cannot tell that a command and its own name belong together.
  const act = hands[command.command] as (command: CommandOf<Name>) => Promise<Performance>;
  return act(command);
}

function iso(at: Instant): string {
  return new Date(at).toISOString();
}

const migrations: readonly Migration[] = [
  `create table command (
     number integer primary key autoincrement,
     id text not null unique,
     received real not null,
     outcome text
   ) strict;`,
];

/** So many ids are kept: more than anybody sends within the time for which a command is fresh. */
export const MOST_IDS = 20_000;

/** What a book says of an id: it is `new` and now noted, or was `seen`, and came to this; null where that is not known. */
export type Noting =
  | { readonly kind: "new" }
  | { readonly kind: "seen"; readonly outcome: string | null }
  /** As many as are kept came within the time for which they are fresh. */
  | { readonly kind: "full" };

/**
 * The ids of the commands that came, on the disk before any is done: a command that comes again is not done again, after a
 * crash or a power cut either.
 */
export class CommandBook {
  readonly #database: Database;
  readonly #find: Statement<[id: string], { readonly outcome: string | null }>;
  readonly #oldest: Statement<[], { readonly number: number; readonly received: Instant }>;
  readonly #last: Statement<[], { readonly number: number }>;
  readonly #add: Statement<[id: string, received: Instant]>;
  readonly #settle: Statement<[outcome: string, id: string]>;
  readonly #remove: Statement<[upTo: number]>;
  readonly #mostIds: number;

  /** Opens the file, made where need be. Throws `StoreUnusable`. */
  constructor(path: string, log: Logger, mostIds = MOST_IDS) {
    this.#database = openStore(path, "full", migrations, log);
    this.#mostIds = mostIds;
    this.#find = this.#database.prepare("select outcome from command where id = ?");
    this.#oldest = this.#database.prepare("select number, received from command order by number limit 1");
    this.#last = this.#database.prepare("select number from command order by number desc limit 1");
    this.#add = this.#database.prepare("insert into command (id, received) values (?, ?)");
    this.#settle = this.#database.prepare("update command set outcome = ? where id = ?");
    this.#remove = this.#database.prepare("delete from command where number <= ?");
  }

  /**
   * Commits that an id came; the oldest makes room, unless it came after `freshSince`. One that seems to come from as far in
   * the future was noted while the clock was ahead, and makes room too. Throws SQLite's errors.
   */
  note(id: string, received: Instant, freshSince: Instant): Noting {
    return this.#database
      .transaction((): Noting => {
        const seen = this.#find.get(id);
        if (seen !== undefined) return { kind: "seen", outcome: seen.outcome };
        const oldest = this.#oldest.get();
        const last = this.#last.get()?.number ?? 0;
        if (oldest !== undefined && last - oldest.number >= this.#mostIds - 1) {
          if (Math.abs(received - oldest.received) <= received - freshSince) return { kind: "full" };
          this.#remove.run(oldest.number);
        }
        this.#add.run(id, received);
        return { kind: "new" };
      })
      .immediate();
  }

  /** Commits what became of a command. Throws SQLite's errors. */
  settle(id: string, outcome: string): void {
    this.#settle.run(outcome, id);
  }

  close(): void {
    this.#database.close();
  }
}
