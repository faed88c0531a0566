import { existsSync } from "node:fs";
import type { Logger } from "pino";
import { type DataDecision, type DataLimits, ruleDownload } from "../../core/media/data-budget.ts";
import type { Instant } from "../../core/spot.ts";
import type { IndexFile } from "../media/media-index.ts";
import type { ClockReading } from "../service-clock.ts";
import { codeOf, openReadOnly } from "../stores/database.ts";

export interface DataMeterParts {
  readonly book: Pick<DataBook, "find" | "write" | "latest">;
  readonly limits: DataLimits;
  /** The service's time where that is known: a wrong clock would count in a wrong month. */
  readonly clocks: () => Pick<ClockReading, "service" | "wall">;
  readonly log: Logger;
}

/** How far the book is ahead of what has come: a crash counts a little too much, never too little. */
export const AHEAD_BYTES = 4 * 1024 * 1024;

/** Counts what media take of a line that is paid by the byte, month by month, and says what may be downloaded. */
export class DataMeter {
  readonly #parts: DataMeterParts;
  #month: DataMonth;
  /** What the book has, which may be more than has come. */
  #writtenBytes: number;
  #isTold = false;

  constructor(parts: DataMeterParts) {
    this.#parts = parts;
    this.#month = this.#read(this.#monthFrom(parts.book.latest() ?? ""));
    this.#writtenBytes = this.#month.usedBytes;
  }

  /** What media took in the month so far. */
  month(): DataMonth {
    const month = this.#monthFrom(this.#month.month);
    if (month !== this.#month.month) this.#turnTo(month);
    return this.#month;
  }

  /**
   * Until the service tells its time no month begins: a machine whose clock starts in 1970, or decades ahead, would have another
   * month's data at each boot.
   */
  #monthFrom(last: string): string {
    const { service, wall } = this.#parts.clocks();
    return service === null && last !== "" ? last : monthOf(service ?? wall);
  }

  /** Whether something may be downloaded now. */
  rule(sizeBytes: number, missingBytes: number): DataDecision {
    const { usedBytes } = this.month();
    const { service, wall } = this.#parts.clocks();
    const minuteOfDay = minuteOf(service ?? wall);
    return ruleDownload({ sizeBytes, missingBytes, usedBytes, minuteOfDay }, this.#parts.limits);
  }

  /** Counts what has come. */
  count(bytes: number): void {
    const { usedBytes, ...month } = this.month();
    this.#month = { ...month, usedBytes: usedBytes + bytes };
    if (this.#month.usedBytes > this.#writtenBytes) this.#write(this.#month.usedBytes + AHEAD_BYTES);
  }

  /** Writes down what has really come: a download has ended. */
  settle(): void {
    if (this.#writtenBytes !== this.#month.usedBytes) this.#write(this.#month.usedBytes);
  }

  /** Counts a download that the month's data did not suffice for, and says so in the log, once a month. */
  noteRefused(): void {
    const { refused, ...month } = this.month();
    this.#month = { ...month, refused: refused + 1 };
    this.#write(this.#month.usedBytes);
    if (this.#isTold) return;
    this.#isTold = true;
    const { month: name, usedBytes, monthlyBytes } = this.#month;
    this.#parts.log.warn({ month: name, usedBytes, monthlyBytes }, "the month's data do not suffice: media stay away");
  }

  #turnTo(month: string): void {
    this.settle();
    this.#month = this.#read(month);
    this.#writtenBytes = this.#month.usedBytes;
    if (this.#isTold) this.#parts.log.info({ month }, "another month: media are downloaded again");
    this.#isTold = false;
  }

  #read(month: string): DataMonth {
    const { book, limits } = this.#parts;
    const { monthlyBytes } = limits;
    return { ...(book.find(month) ?? { month, usedBytes: 0, refused: 0 }), monthlyBytes };
  }

  #write(usedBytes: number): void {
    this.#parts.book.write({ ...this.#month, usedBytes });
    this.#writtenBytes = usedBytes;
  }
}

/** By local time, as bills are made. */
function monthOf(wall: Instant): string {
  const at = new Date(wall);
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}`;
}

function minuteOf(wall: Instant): number {
  const at = new Date(wall);
  return at.getHours() * 60 + at.getMinutes();
}

/** What media took in one month. */
export interface DataMonth {
  /** `2026-11`, by local time. */
  readonly month: string;
  readonly usedBytes: number;
  /** The limit of that month, or null. */
  readonly monthlyBytes: number | null;
  /** Downloads that were not begun, or broken off, for want of data. */
  readonly refused: number;
}

/**
 * Remembers, across restarts, what media took in each month. It is kept beside the media index. What a full disk does not
 * take goes on being counted in memory: no download may end because of it.
 */
export class DataBook {
  readonly #file: IndexFile;

  constructor(file: IndexFile) {
    this.#file = file;
  }

  find(month: string): DataMonth | null {
    return this.#file.use((db) => db.prepare<[string], DataMonth>(FIND_MONTH).get(month) ?? null);
  }

  /** The month that was written last, or null. */
  latest(): string | null {
    return this.#file.use((db) => db.prepare<[], { month: string }>(LATEST_MONTH).get())?.month ?? null;
  }

  write({ month, usedBytes, monthlyBytes, refused }: DataMonth): void {
    this.#file.writeIfTaken((db) => {
      db.prepare(WRITE).run(month, usedBytes, monthlyBytes, refused);
      db.prepare(PRUNE).run(MOST_MONTHS);
    });
  }
}

/** A year, and the month that has begun. */
const MOST_MONTHS = 13;

/** One month, by its name. */
const FIND_MONTH = `
  select month, used_bytes as usedBytes, monthly_bytes as monthlyBytes, refused from data_month where month = ?`;

const LATEST_MONTH = "select month from data_month order by rowid desc limit 1";

/** As a new row: the months lie in the order in which they were written last. */
const WRITE = "replace into data_month (month, used_bytes, monthly_bytes, refused) values (?, ?, ?, ?)";

const PRUNE =
  "delete from data_month where month in (select month from data_month order by month desc limit -1 offset ?)";

/**
 * What media took of the line in a month such as `2026-11`, read while a player may be writing there; null where that was
 * not counted, or cannot be read.
 */
export function readDataMonth(path: string, month: string): DataMonth | null {
  if (!existsSync(path)) return null;
  try {
    const database = openReadOnly(path);
    try {
      return database.prepare<[string], DataMonth>(FIND_MONTH).get(month) ?? null;
    } finally {
      database.close();
    }
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return null;
  }
}
