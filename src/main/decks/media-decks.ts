import type { BaseWindow } from "electron";
import { type Deck, type OnFailed, openDeck } from "./deck.ts";
import type { Face } from "./face.ts";
import { MEDIA_PAGE, type MediaSource, mediaFace } from "./media-face.ts";
import type { MediaFile, MediaTray } from "./media-session.ts";
import type { SessionPool } from "./session-pool.ts";

/** A deck and what is on it. */
export interface FacedDeck {
  readonly deck: Deck;
  readonly face: Face;
}

/** A deck whose page is on its way before it is known what it will show. */
interface Blank {
  readonly deck: Deck;
  readonly tray: MediaTray;
  readonly page: Promise<void>;
  onFailed: OnFailed;
  broken: boolean;
}

/** Opens decks for videos and images, all with our own page. */
export class MediaDecks {
  readonly #window: BaseWindow;
  readonly #sessions: SessionPool<MediaTray>;
  #ahead: Promise<Blank> | null = null;

  constructor(window: BaseWindow, sessions: SessionPool<MediaTray>) {
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
    blank.tray.file = file;
    blank.onFailed = onFailed;
    const { deck, page } = blank;
    return { deck, face: mediaFace(deck.view.webContents, page, source) };
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
    const tray: MediaTray = { file: null };
    const lease = await this.#sessions.lease(tray);
    const deck = openDeck(this.#window, { ...lease, stay: (url) => url === MEDIA_PAGE }, (reason, detail) =>
      blank.onFailed(reason, detail),
    );
    const page = deck.view.webContents.loadURL(MEDIA_PAGE);
    const breaks = () => {
      blank.broken = true;
    };
    const blank: Blank = { deck, tray, page, broken: false, onFailed: breaks };
    // Whoever waits for the page hears of its failure; nobody may be waiting yet.
    page.catch(breaks);
    return blank;
  }
}
