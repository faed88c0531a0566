import type { BaseWindow, WebContents } from "electron";
import { z } from "zod";
import type { Media } from "../../player/media/media.ts";
import { stayingAt } from "../guards/contents.ts";
import { denyDownloads, denyPermissions, sealNetwork } from "../guards/session.ts";
import { fileResponse } from "../protocol/file-response.ts";
import { APP_SCHEME, appUrl, MEDIA_SCHEME, mediaUrl, serveAppPages } from "../protocol/schemes.ts";
import { type Deck, type OnFailed, openDeck } from "./deck.ts";
import { type Face, presented } from "./face.ts";
import type { SessionPool, SessionReset } from "./session-pool.ts";

/** A deck and what is on it. */
export interface FacedDeck {
  readonly deck: Deck;
  readonly face: Face;
}

/** What a media page shows. */
export interface MediaSource {
  readonly digest: string;
  readonly form: "video" | "image";
  /** Base type in lower case. */
  readonly mimeType: string;
  readonly muted: boolean;
}

/** A file as a media deck plays it. */
export interface MediaFile {
  readonly media: Media;
  /** The base type promised with the item. */
  readonly mimeType: string;
}

/** The one file that a media deck may read; `null` until it is known. */
export interface ServedMedia {
  file: MediaFile | null;
}

/** A deck whose page is on its way before it is known what it will show. */
interface Blank {
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
  #ahead: Promise<Blank> | null = null;

  constructor(window: BaseWindow, sessions: SessionPool<ServedMedia>) {
    this.#window = window;
    this.#sessions = sessions;
  }

  /** Opens a deck for whatever comes first, so that at start the first item need not wait for a renderer and a page. */
  openAhead(): void {
    this.#ahead = this.#open();
    // Whoever takes it hears of a failure.
    this.#ahead.catch(() => {});
  }

  /** Opens a deck for a file, to be shown in a form. */
  async open(file: MediaFile, source: MediaSource, onFailed: OnFailed): Promise<FacedDeck> {
    const blank = (await this.#takeAhead()) ?? (await this.#open());
    blank.served.file = file;
    blank.onFailed = onFailed;
    const { deck, page } = blank;
    return { deck, face: mediaFace(deck.contents, page, source) };
  }

  async #takeAhead(): Promise<Blank | null> {
    const ahead = this.#ahead;
    this.#ahead = null;
    const blank = await ahead;
    if (!blank?.broken) return blank;
    blank.deck.close();
    return null;
  }

  async #open(): Promise<Blank> {
    const served: ServedMedia = { file: null };
    const lease = await this.#sessions.lease(served);
    const ours = { ...lease, rule: stayingAt(MEDIA_PAGE) };
    const deck = openDeck(this.#window, ours, (reason, detail) => blank.onFailed(reason, detail));
    const page = deck.contents.loadURL(MEDIA_PAGE);
    const breaks = () => {
      blank.broken = true;
    };
    const blank: Blank = { deck, served, page, broken: false, onFailed: breaks };
    // Whoever waits for the page hears of its failure; nobody may be waiting yet.
    page.catch(breaks);
    return blank;
  }
}

/** The player's own page (`renderer/media`), on which videos and images are shown. */
const MEDIA_PAGE = appUrl("media/media.html");

const progressSchema = z.object({ framesPresented: z.number(), still: z.boolean() });

/** A video or image by its digest, on our page, which `page` resolves to have been loaded. */
function mediaFace(contents: WebContents, page: Promise<void>, { digest, ...how }: MediaSource): Face {
  const source = JSON.stringify({ ...how, url: mediaUrl(digest) });
  return {
    async load() {
      await page;
      await contents.executeJavaScript(`deck.cue(${source})`);
    },
    async drawn() {
      await contents.executeJavaScript("deck.drawn()");
      await presented(contents);
    },
    start: async () => ({ at: z.number().parse(await contents.executeJavaScript("deck.take()")), ageMs: null }),
    progress: async () => progressSchema.parse(await contents.executeJavaScript("deck.progress()")),
  };
}

/** Sessions for media decks: our own page and the one file that is cued, by its digest; no network at all. */
export const mediaHousekeeping: SessionReset<ServedMedia> = {
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
  return fileResponse({ path, sizeBytes, headers }, { method: request.method, range });
}
