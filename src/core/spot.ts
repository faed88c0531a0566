/** A point in time in milliseconds. On the monotonic clock inside a run, on the wall clock (UTC epoch) where said so. */
export type Instant = number;

/** The two kinds of item that a spot can hold (contract, "Spot"). */
export type ItemKind = "news" | "ad";

/** How an item's media is put on screen. */
export type MediaForm = "video" | "image" | "html";

/** One piece of content to be shown once, full screen, for exactly `durationMs` (contract, "Spot"; answers F14-F20). */
export interface Item {
  readonly kind: ItemKind;
  readonly id: string;
  readonly title: string;
  readonly form: MediaForm;
  /** Base type in lower case, without parameters (F19). */
  readonly mimeType: string;
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** Whole or fractional milliseconds, above 0 and at most `LONGEST_ITEM_MS` (F18). */
  readonly durationMs: number;
  readonly url: string;
  /** Opaque proof-of-play URL: called byte for byte as received, never logged whole (F11). */
  readonly pop: string;
  /** Only on news. */
  readonly newsType: string | null;
  /** Checked against the downloaded bytes when present (F16). */
  readonly sizeBytes: number | null;
  /** 32 lower-case hexadecimal digits; checked when present (F16). */
  readonly md5: string | null;
}

/** One answer of the service: what to show once, right away (contract, "Spot"). */
export interface Spot {
  readonly requestId: string;
  readonly billable: boolean;
  readonly newsFirst: boolean;
  readonly news: Item | null;
  readonly ad: Item | null;
}

/** A longer duration than this is taken for a mistake and the item for malformed (F18). */
export const LONGEST_ITEM_MS = 10 * 60_000;

/** The items of a spot in the order in which they are shown: as `newsFirst` says, absent ones left out. */
export function runningOrder(spot: Spot): readonly Item[] {
  const order = spot.newsFirst ? [spot.news, spot.ad] : [spot.ad, spot.news];
  return order.filter((item) => item !== null);
}

/** Pictures are the types of F24. */
const FORMS: ReadonlyMap<string, MediaForm> = new Map([
  ["video/mp4", "video"],
  ["video/webm", "video"],
  ["image/jpeg", "image"],
  ["image/png", "image"],
  ["image/apng", "image"],
  ["image/webp", "image"],
  ["image/gif", "image"],
  ["image/avif", "image"],
  ["image/svg+xml", "image"],
  ["text/html", "html"],
]);

/**
 * `video/MP4; codecs="avc1"` becomes `video/mp4`: types are compared by base type, case-insensitively (F19). `image/jpg`
 * is a common misspelling of `image/jpeg`.
 */
export function baseType(mimeType: string): string {
  const type = (mimeType.split(";", 1)[0] ?? "").trim().toLowerCase();
  return type === "image/jpg" ? "image/jpeg" : type;
}

/** How media of a type is shown, or `null` for a type that the stage does not play (F18). */
export function formOf(mimeType: string): MediaForm | null {
  return FORMS.get(baseType(mimeType)) ?? null;
}

/** Names one playout within a run. */
export type PlayoutId = string;

/** One showing of one item of a spot: it ends shown or failed, once, and is never repeated (G3). */
export interface Playout {
  readonly id: PlayoutId;
  readonly requestId: string;
  /** Counts the spots of a run; playouts of one spot share it. */
  readonly spotNumber: number;
  readonly billable: boolean;
  /** Just before the spot request was sent, on the monotonic clock: the hour of the proof runs from here (F7). */
  readonly requestedAt: Instant;
  readonly item: Item;
}

/** Why a playout was not shown in full. None of these is ever proved (G2). */
export type FailureReason =
  | "unfetchable"
  | "stale"
  | "not-ready"
  | "not-painted"
  | "load-failed"
  | "undecodable"
  | "stalled"
  | "crashed"
  | "hung"
  | "forbidden"
  | "memory"
  | "stopped"
  | "closed"
  | "hidden"
  /** The operator's message or test card took its place. */
  | "overridden";

/** How a playout ended. */
export type PlayoutOutcome =
  | { readonly kind: "shown"; readonly paintedAt: Instant; readonly endedAt: Instant }
  | { readonly kind: "failed"; readonly reason: FailureReason };

/** The playouts of a spot, in running order. */
export function playoutsOf(
  spot: Spot,
  order: readonly Item[],
  spotNumber: number,
  requestedAt: Instant,
): readonly Playout[] {
  return order.map((item) => ({
    id: `${spotNumber}-${item.kind}`,
    requestId: spot.requestId,
    spotNumber,
    billable: spot.billable,
    requestedAt,
    item,
  }));
}
