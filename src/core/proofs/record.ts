import type { PanelState } from "../displays/panel.ts";
import type { FailureReason, Instant, ItemKind, Playout, PlayoutOutcome } from "../spot.ts";

/**
 * What the player knows of its display: `on` where it said so itself for as long as the item was visible, `hidden` where
 * nobody could see it, `blanked` where the screen was black, else `unknown`.
 */
export type DisplayState = "on" | "blanked" | "hidden" | "unknown";

/** What was seen of a playout, beside how it ended. */
export interface Sighting {
  /** Of the creative's file, in hexadecimal; of a page, of its document; null where it never was on the disk. */
  readonly digest: string | null;
  /** When its first frame was presented, monotonic; null where it never was. */
  readonly startedAt: Instant | null;
  /** How long before its first frame a page was begun; null for media, and where there was no frame. */
  readonly firstFrameAgeMs: number | null;
  readonly display: DisplayState;
}

/** A playout that is over, as it goes into the playout record. Instants are monotonic, of the present boot. */
export interface EndedPlayout {
  readonly screenId: string;
  readonly playout: Playout;
  readonly outcome: PlayoutOutcome;
  readonly endedAt: Instant;
  readonly sighting: Sighting;
  /** Of the player. */
  readonly version: string;
}

/** One item that was shown or failed, as the playout record keeps it. */
export interface PlayoutEntry {
  readonly type: "playout";
  readonly screenId: string;
  readonly requestId: string;
  readonly itemId: string;
  readonly kind: ItemKind;
  readonly title: string | null;
  readonly digest: string | null;
  /** By the service's clock, this machine's where that is not known; whole epoch milliseconds. */
  readonly startedAt: Instant | null;
  readonly endedAt: Instant;
  /** How far the service's clock was ahead of this machine's; null where it was not known. */
  readonly clockOffsetMs: number | null;
  readonly bootId: string;
  readonly startedMonotonicMs: Instant | null;
  readonly endedMonotonicMs: Instant;
  readonly durationMs: number;
  readonly firstFrameAgeMs: number | null;
  readonly outcome: PlayoutOutcome["kind"];
  readonly reason: FailureReason | null;
  readonly display: DisplayState;
  /** SHA-256 of the proof-of-play URL, in hexadecimal: the URL itself is a secret (F11). */
  readonly popHash: string;
  readonly version: string;
}

/** What happened to the record itself, or to the player from afar. */
export type RecordNotice =
  /** Always the first row of all. `origin` names this record and no other. */
  | { readonly type: "begun"; readonly origin: string }
  /** Checkpoints after the next one are signed by this key. */
  | { readonly type: "key"; readonly key: string }
  /** The rows before `size` were removed for their age or for their size; `key` signed the checkpoint that covers them. */
  | { readonly type: "pruned"; readonly size: number; readonly key: string }
  /** How many rows could not be written; nothing else is known of them. */
  | { readonly type: "lost"; readonly rows: number }
  | RemoteEntry
  | DisplayEntry;

/** A display that did not become what it was switched to. */
export interface DisplayEntry {
  readonly type: "display";
  readonly screenId: string;
  readonly switched: "on" | "off";
  /** What was read back. */
  readonly state: PanelState;
}

/** A command that came from afar, and what came of it; `command` and `id` are null where they could not be read. */
export interface RemoteEntry {
  readonly type: "remote";
  readonly command: string | null;
  readonly id: string | null;
  readonly way: "socket" | "mqtt";
  readonly outcome: "done" | "failed" | "refused";
  readonly reason: string | null;
}

/** One row of the record, but for its place in it. */
export type RecordEntry = PlayoutEntry | (RecordNotice & { readonly endedAt: Instant });

/** The clocks at one instant. */
interface ClockReading {
  readonly bootId: string;
  readonly now: Instant;
  readonly wall: Instant;
  readonly service: Instant | null;
}

/** Identifiers and titles are the network's, and unbounded there: more of one is not kept. */
export const LONGEST_TEXT = 300;

/** The record's row of a playout that is over; `popHash` is given, since the core hashes nothing. */
export function playoutEntry(ended: EndedPlayout, clocks: ClockReading, popHash: string): PlayoutEntry {
  const { screenId, playout, outcome, endedAt, sighting, version } = ended;
  const { item, requestId } = playout;
  const startedAt = outcome.kind === "shown" ? outcome.paintedAt : sighting.startedAt;
  return {
    type: "playout",
    screenId: text(screenId),
    requestId: text(requestId),
    itemId: text(item.id),
    kind: item.kind,
    title: item.title === "" ? null : text(item.title),
    digest: sighting.digest,
    startedAt: startedAt === null ? null : serviceTime(startedAt, clocks),
    endedAt: serviceTime(endedAt, clocks),
    clockOffsetMs: clocks.service === null ? null : Math.round(clocks.service - clocks.wall),
    bootId: clocks.bootId,
    startedMonotonicMs: startedAt === null ? null : microseconds(startedAt),
    endedMonotonicMs: microseconds(endedAt),
    durationMs: item.durationMs,
    firstFrameAgeMs: sighting.firstFrameAgeMs === null ? null : microseconds(sighting.firstFrameAgeMs),
    outcome: outcome.kind,
    reason: outcome.kind === "failed" ? outcome.reason : null,
    display: outcome.kind === "failed" && outcome.reason === "hidden" ? "hidden" : sighting.display,
    popHash,
    version,
  };
}

/** A monotonic instant by the service's clock, by this machine's where that is not known. */
function serviceTime(at: Instant, { now, wall, service }: ClockReading): Instant {
  return Math.round(at + (service ?? wall) - now);
}

/** Finer is noise, and makes for long numbers. */
function microseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** Half of a surrogate pair has no place in canonical JSON (RFC 8785, 3.2.2.2). */
function text(from: string): string {
  return from.slice(0, LONGEST_TEXT).replace(/\p{Cs}/gu, "\ufffd");
}
