import { open } from "node:fs/promises";
import type { BaseWindow, WebContents } from "electron";
import { z } from "zod";
import { SNIFF_BYTES, typeOf } from "../../core/media/media-type.ts";
import type { Media } from "../../player/media/media.ts";
import { denyDownloads, denyPermissions, sealNetwork, stayingAt } from "../guards.ts";
import { fileResponse } from "../protocol/file-response.ts";
import { APP_SCHEME, appUrl, MEDIA_SCHEME, mediaUrl, serveAppPages } from "../protocol/schemes.ts";
import { type Deck, type OnFailed, openDeck } from "./deck.ts";
import { type DeckContent, drawnAt, pointSchema, presented, settledWithin } from "./deck-content.ts";
import type { SessionPool, SessionReset } from "./session-pool.ts";

/** A deck with its content. */
export interface OpenedDeck {
  readonly deck: Deck;
  readonly content: DeckContent;
}

/** How a file is shown. */
export interface MediaShowing {
  readonly form: "video" | "image";
  readonly muted: boolean;
}

/** A file as a media deck plays it. */
export interface MediaFile {
  readonly media: Media;
  /** Base type in lower case: the promised one, or once it is open that of its bytes. */
  readonly mimeType: string;
}

/** The one file that a media deck may read; `null` until it is known. */
export interface ServedMedia {
  file: MediaFile | null;
}

/** A deck whose page is loading before it has a file to show. */
interface EmptyDeck {
  readonly deck: Deck;
  readonly served: ServedMedia;
  readonly page: Promise<void>;
  onFailed: OnFailed;
  broken: boolean;
}

/** Opens decks for videos and images, all with our own page. */
export class MediaDecks {
  readonly #window: BaseWindow;
  readonly #sessions: SessionPool<ServedMedia>;
  #ahead: Promise<EmptyDeck> | null = null;

  constructor(window: BaseWindow, sessions: SessionPool<ServedMedia>) {
    this.#window = window;
    this.#sessions = sessions;
  }

  /** Opens an empty deck at start, so that the first item need not wait for a renderer and a page. */
  openAhead(): void {
    this.#ahead = this.#open();
    // `#takeAhead` sees the failure.
    this.#ahead.catch(() => {});
  }

  /** Opens a deck that shows a file. */
  async open({ media, mimeType: promised }: MediaFile, showing: MediaShowing, onFailed: OnFailed): Promise<OpenedDeck> {
    const mimeType = typeOf(promised, await headOf(media.path)) ?? promised;
    const empty = (await this.#takeAhead()) ?? (await this.#open());
    empty.served.file = { media, mimeType };
    empty.onFailed = onFailed;
    const { deck, page } = empty;
    return { deck, content: mediaContent(deck.contents, page, { ...showing, mimeType, url: mediaUrl(media.digest) }) };
  }

  async #takeAhead(): Promise<EmptyDeck | null> {
    const ahead = this.#ahead;
    this.#ahead = null;
    const empty = await ahead;
    if (!empty?.broken) return empty;
    empty.deck.close();
    return null;
  }

  async #open(): Promise<EmptyDeck> {
    const served: ServedMedia = { file: null };
    const lease = await this.#sessions.lease(served);
    const ours = { ...lease, rule: stayingAt(MEDIA_PAGE) };
    const deck = openDeck(this.#window, ours, (reason, detail) => empty.onFailed(reason, detail));
    const page = deck.contents.loadURL(MEDIA_PAGE);
    const breaks = () => {
      empty.broken = true;
    };
    const empty: EmptyDeck = { deck, served, page, broken: false, onFailed: breaks };
    // `load` rejects with the same failure; nothing may be waiting for it yet.
    page.catch(breaks);
    return empty;
  }
}

/** The player's own page (`renderer/media`), on which videos and images are shown. */
const MEDIA_PAGE = appUrl("media/media.html");

const progressSchema = z.object({ framesPresented: z.number(), still: z.boolean() });

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: new Uint8Array(SNIFF_BYTES) });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** What the media page is to show. */
type MediaSource = MediaShowing & Pick<MediaFile, "mimeType"> & { readonly url: string };

/** A video or image on our page; `page` resolves when that is loaded. */
function mediaContent(contents: WebContents, page: Promise<void>, source: MediaSource): DeckContent {
  return {
    async load() {
      await page;
      await contents.executeJavaScript(`deck.cue(${JSON.stringify(source)})`);
    },
    async drawn() {
      const middle = pointSchema.parse(await contents.executeJavaScript("deck.drawn()"));
      await drawnAt(contents, middle);
      await contents.executeJavaScript("deck.surround()");
      await presented(contents);
    },
    start: async () => ({ at: z.number().parse(await contents.executeJavaScript("deck.take()")), ageMs: null }),
    progress: async () => progressSchema.parse(await contents.executeJavaScript("deck.progress()")),
  };
}

/** Sessions for media decks: our own page and the one file that is cued, by its digest; no network at all. */
export const mediaSessionReset: SessionReset<ServedMedia> = {
  async prepare(session, served) {
    denyPermissions(session);
    denyDownloads(session);
    serveAppPages(session);
    session.protocol.handle(MEDIA_SCHEME, (request) => serve(request, served()?.file ?? null));
    await sealNetwork(session, [`${APP_SCHEME}:`, `${MEDIA_SCHEME}:`]);
  },
  // Our page stores nothing, and nothing it loads may be stored.
  empty: () => Promise.resolve(),
};

function serve(request: Request, file: MediaFile | null): Response {
  if (file === null || new URL(request.url).pathname !== `/${file.media.digest}`) {
    return new Response(null, { status: 404 });
  }
  if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 });
  const { path, sizeBytes } = file.media;
  const headers = { "content-type": file.mimeType, "x-content-type-options": "nosniff" };
  const range = request.headers.get("range");
  return fileResponse({ from: path, sizeBytes, headers }, { method: request.method, range });
}

/** The deck of one item: loaded and drawn below, then raised. A new deck replaces one whose drawing was lost. */
export class CuedDeck {
  readonly #open: () => Promise<OpenedDeck>;
  readonly #canDrawBelow: () => boolean;
  /** `null` until it is open. */
  #opened: OpenedDeck | null = null;
  #loaded: Promise<boolean> = Promise.resolve(false);
  /** How many decks were opened for it, or are being opened. */
  #attempts = 0;
  #drawn = false;
  #closed = false;

  /** `canDrawBelow` says whether a view below others is drawn at all. */
  constructor(open: () => Promise<OpenedDeck>, canDrawBelow: () => boolean) {
    this.#open = open;
    this.#canDrawBelow = canDrawBelow;
  }

  /** Loads and draws it on a new deck. Resolves with false when it was closed or loaded again meanwhile. */
  load(): Promise<boolean> {
    this.#opened?.deck.close();
    this.#opened = null;
    this.#drawn = false;
    this.#loaded = this.#load(++this.#attempts);
    return this.#loaded;
  }

  /** What the last `load` resolves with. */
  get loaded(): Promise<boolean> {
    return this.#loaded;
  }

  /** The deck once its first picture is drawn; `null` until then. */
  get drawn(): OpenedDeck | null {
    return this.#drawn ? this.#opened : null;
  }

  /** Adapts to a new window size. */
  adapt(): void {
    this.#opened?.deck.adapt();
  }

  close(): void {
    this.#closed = true;
    this.#opened?.deck.close();
  }

  async #load(number: number): Promise<boolean> {
    const isWanted = () => !this.#closed && this.#attempts === number;
    try {
      const opened = await this.#open();
      if (!isWanted()) {
        opened.deck.close();
        return false;
      }
      this.#opened = opened;
      await loadAndDraw(opened, this.#canDrawBelow);
    } catch (error) {
      if (isWanted()) throw error;
    }
    if (isWanted()) this.#drawn = true;
    return isWanted();
  }
}

/** Where views below others are not drawn, a deck is raised at most this long after it has loaded. */
const UNDRAWN_AFTER_MS = 300;

/**
 * Loads a deck below everything visible; resolves when its whole first picture is drawn there. Whether it can be is asked only
 * then: a window that was just brought back to its place is told of its size a little later.
 */
export async function loadAndDraw({ deck, content }: OpenedDeck, canDrawBelow: () => boolean): Promise<void> {
  deck.hangOut();
  await content.load();
  if (canDrawBelow()) await content.drawn();
  else await settledWithin(content.drawn(), UNDRAWN_AFTER_MS);
}
