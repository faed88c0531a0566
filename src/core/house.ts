import { type Backoff, backoffMs } from "./backoff.ts";
import type { Instant } from "./spot.ts";

/** How house content is put on screen. */
export type HouseForm = "image" | "video" | "page";

/** One thing in the operator's folder that can be shown. */
export interface HouseItem {
  /** Another one for another file, and for the same file once it has changed. */
  readonly id: string;
  readonly name: string;
  readonly form: HouseForm;
}

/** What became of house content. Instants are monotonic. */
export type HouseEvent =
  | { readonly kind: "began" }
  | { readonly kind: "looked"; readonly items: readonly HouseItem[] }
  /** It is visible and has replaced what was there. `lengthMs`: a clip's own length, else null. */
  | { readonly kind: "shown"; readonly id: string; readonly lengthMs: number | null }
  /** It cannot be shown, or no longer. */
  | { readonly kind: "failed"; readonly id: string }
  /** A clip has played through. */
  | { readonly kind: "ended"; readonly id: string }
  /** A deck lies above, or the screen is blanked: nobody sees house content. */
  | { readonly kind: "covered" }
  | { readonly kind: "uncovered" }
  /** The slate shows nothing: its page was loaded again. */
  | { readonly kind: "emptied" }
  | { readonly kind: "woke" };

/** What to do about it, in order. */
export type HouseEffect =
  /** Look what the folder holds now; leads to "looked". */
  | { readonly kind: "look" }
  /** Load an item and show it once it has a picture; leads to "shown" or "failed". */
  | { readonly kind: "show"; readonly item: HouseItem }
  /** Show the slate itself. */
  | { readonly kind: "clear" }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" };

/** A file that could not be shown is not tried again before an instant. */
interface Failure {
  readonly id: string;
  readonly count: number;
  readonly retryAt: Instant;
}

/** A visible item; `seenMs` does not count the time under a deck. */
interface Showing {
  readonly item: HouseItem;
  readonly staysMs: number;
  readonly seenMs: number;
  readonly since: Instant;
}

export interface HouseState {
  /** How long an image or a page stays. */
  readonly stayMs: number;
  readonly visible: boolean;
  readonly looking: boolean;
  /** When to look again while nothing can be shown, or nothing else. */
  readonly idleUntil: Instant;
  readonly items: readonly HouseItem[];
  readonly failures: readonly Failure[];
  /** The name of what was last begun: what follows is the next one by name. */
  readonly last: string | null;
  readonly loading: { readonly item: HouseItem; readonly since: Instant } | null;
  /** `null` while the slate itself is visible. */
  readonly showing: Showing | null;
}

export type HouseStep = readonly [HouseState, readonly HouseEffect[]];

/** An item that is not visible this long after its start has failed. */
export const SHOWN_WITHIN_MS = 20_000;
/** A clip that has not said that it ended this long after it should have is over all the same. */
const CLIP_SLACK_MS = 5_000;
/** How soon a folder with nothing to show is looked at again: somebody may have put a file there and be waiting. */
export const IDLE_MS = 10_000;
/** A broken file is tried again after a minute, then ever later, up to an hour. */
const RETRY: Backoff = { firstMs: 60_000, longestMs: 3_600_000, exactWaits: Number.POSITIVE_INFINITY };

const NEVER = Number.POSITIVE_INFINITY;

/** House content that has not begun, behind the slate. */
export function newHouse(stayMs: number): HouseState {
  return {
    stayMs,
    visible: true,
    looking: false,
    idleUntil: NEVER,
    items: [],
    failures: [],
    last: null,
    loading: null,
    showing: null,
  };
}

/** Takes in what happened at `now` and says what to do: pure, and quiet while nobody sees it. */
export function stepHouse(state: HouseState, event: HouseEvent, now: Instant): HouseStep {
  const [noted, effects] = note(state, event, now);
  const [next, more] = noted.visible ? goOn(noted, now) : [noted, []];
  return [next, [...effects, ...more]];
}

/** When "woke" is due if nothing else happens before, or `null` for never. */
export function houseWakeAt(state: HouseState): Instant | null {
  if (!state.visible) return null;
  const at = state.loading === null ? turnEndsAt(state) : state.loading.since + SHOWN_WITHIN_MS;
  return at === NEVER ? null : at;
}

function note(state: HouseState, event: HouseEvent, now: Instant): HouseStep {
  switch (event.kind) {
    case "began":
    case "emptied":
      return [{ ...state, loading: null, showing: null, idleUntil: now }, []];
    case "looked":
      return noteLooked(state, event.items, now);
    case "shown":
      return [noteShown(state, event.id, event.lengthMs, now), []];
    case "failed":
      return noteFailed(state, event.id, now);
    case "ended":
      return [state.showing?.item.id === event.id ? over(state, state.showing) : state, []];
    case "covered":
      return state.visible ? [covered(state, now), [{ kind: "pause" }]] : [state, []];
    case "uncovered":
      return state.visible ? [state, []] : [uncovered(state, now), [{ kind: "resume" }]];
    case "woke":
      return [state, []];
  }
}

function goOn(state: HouseState, now: Instant): HouseStep {
  const { loading } = state;
  if (loading !== null)
    return now < loading.since + SHOWN_WITHIN_MS ? [state, []] : noteFailed(state, loading.item.id, now);
  if (state.looking || now < turnEndsAt(state)) return [state, []];
  return [{ ...state, looking: true }, [{ kind: "look" }]];
}

function turnEndsAt({ looking, showing, idleUntil }: HouseState): Instant {
  if (looking) return NEVER;
  return showing === null ? idleUntil : showing.since + Math.max(0, showing.staysMs - showing.seenMs);
}

function noteLooked(state: HouseState, items: readonly HouseItem[], now: Instant): HouseStep {
  const failures = state.failures.filter(({ id }) => items.some((item) => item.id === id));
  const looked = { ...state, looking: false, items: [...items].sort(byName), failures };
  // Whatever is begun already has its turn; under a deck nothing is begun, and it looks again after it.
  return state.loading === null && state.visible ? next(looked, now) : [looked, []];
}

/** Begins the next one by name that is not known to be broken; without any it stays as it is, or becomes the slate. */
function next(state: HouseState, now: Instant): HouseStep {
  const { items, failures, last, showing } = state;
  const sound = items.filter(({ id }) => !failures.some((failure) => failure.id === id && now < failure.retryAt));
  const item = sound.find((one) => last !== null && compared(one.name, last) > 0) ?? sound[0];
  if (item === undefined) {
    const idle = { ...state, showing: null, idleUntil: now + IDLE_MS };
    return [idle, showing === null ? [] : [{ kind: "clear" }]];
  }
  // The only item, unbroken, and not a clip: showing it again would change nothing, or restart a page.
  const isWhole = !failures.some(({ id }) => id === item.id);
  if (showing !== null && item.id === showing.item.id && item.form !== "video" && isWhole) {
    return [{ ...state, showing: { item, staysMs: state.stayMs, seenMs: 0, since: now } }, []];
  }
  return [{ ...state, last: item.name, loading: { item, since: now } }, [{ kind: "show", item }]];
}

function noteShown(state: HouseState, id: string, lengthMs: number | null, now: Instant): HouseState {
  if (state.loading?.item.id !== id) return state;
  const { item } = state.loading;
  const staysMs = lengthMs === null ? state.stayMs : lengthMs + CLIP_SLACK_MS;
  const failures = state.failures.filter((failure) => failure.id !== id);
  return { ...state, failures, loading: null, showing: { item, staysMs, seenMs: 0, since: now } };
}

function noteFailed(state: HouseState, id: string, now: Instant): HouseStep {
  const isLoading = state.loading?.item.id === id;
  const isShowing = state.showing?.item.id === id;
  if (!isLoading && !isShowing) return [state, []];
  const count = (state.failures.find((failure) => failure.id === id)?.count ?? 0) + 1;
  const failure = { id, count, retryAt: now + backoffMs(RETRY, count, 0) };
  const failures = [...state.failures.filter((one) => one.id !== id), failure];
  const left = { ...state, failures, loading: isLoading ? null : state.loading };
  const failed = isShowing && state.showing !== null ? over(left, state.showing) : left;
  return failed.loading === null && !state.looking && state.visible ? next(failed, now) : [failed, []];
}

function over(state: HouseState, showing: Showing): HouseState {
  return { ...state, showing: { ...showing, staysMs: 0 } };
}

function covered(state: HouseState, now: Instant): HouseState {
  const { showing } = state;
  const seen = showing === null ? null : { ...showing, seenMs: showing.seenMs + now - showing.since };
  return { ...state, visible: false, showing: seen };
}

/** Time under a deck is nobody's fault: what was begun has its whole time from now. */
function uncovered(state: HouseState, now: Instant): HouseState {
  const { showing, loading } = state;
  return {
    ...state,
    visible: true,
    loading: loading === null ? null : { ...loading, since: now },
    showing: showing === null ? null : { ...showing, since: now },
  };
}

function byName(one: HouseItem, other: HouseItem): number {
  return compared(one.name, other.name);
}

/** As people count: 2 before 10. Names that differ are never equal. */
function compared(one: string, other: string): number {
  return COLLATOR.compare(one, other) || (one < other ? -1 : Number(one > other));
}

const COLLATOR = new Intl.Collator("en", { numeric: true });
