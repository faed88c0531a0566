import { absentAgain, HELD_BACK_TIMES, isFont, isLongAgo, isPagesOwn } from "../../core/media/cache-policy.ts";
import type { Instant } from "../../core/spot.ts";
import type { Miss } from "./media.ts";
import type { AbsenceBook } from "./page-books.ts";
import { type AskedWith, addressOf, isPlain, isSamePage } from "./page-request.ts";

/** One thing that a page asks for. */
export interface PagePart {
  /** As `addressOf` writes it. */
  readonly url: string;
  readonly font: boolean;
  /** What is shown, rather than something on it. */
  readonly document: boolean;
  readonly asked: AskedWith;
}

export interface PageAbsencesParts {
  /** The URL of the page. */
  readonly document: string;
  readonly book: Pick<AbsenceBook, keyof AbsenceBook>;
  readonly wall: () => Instant;
  /** Hears, once for each page and part, that from the next time on the page is shown without it. */
  readonly onOwn: (part: string) => void;
}

/**
 * Decides what a page may lack (F23). The document and what comes from its own host: nothing, unless its server refuses
 * it. Fonts: all. What comes from another host or port, or is asked in the page's own way, holds the page back twice, ten
 * minutes or more apart; after that its absence is the page's own. What a page lacks for good is answered from memory, as
 * what it has is answered from the cache: a load neither waits for a dead host nor turns out differently offline. It is
 * asked after again later.
 */
export class PageAbsences {
  readonly #parts: PageAbsencesParts;
  readonly #ownHosts: Set<string>;
  /** By the names of absences: whether all of that name that was asked for in this load was had. */
  readonly #complete = new Map<string, boolean>();
  readonly #askAgain = new Map<string, PagePart>();
  #lacking: string | null = null;

  constructor(parts: PageAbsencesParts) {
    this.#parts = parts;
    this.#ownHosts = new Set([hostOf(parts.document)]);
  }

  /** A part as a request names it. `destination`: what it is for (`Request.destination`), or empty where unknown. */
  part(url: string, destination: string, asked: AskedWith): PagePart {
    const isDocuments = destination === "document" || isSamePage(url, this.#parts.document);
    const document = isDocuments && isPlain(asked);
    return { url: addressOf(url, asked), font: isFont(url, destination), document, asked };
  }

  /** Where the page came from after redirects is its own host, too. */
  redirected(finalUrl: string): void {
    this.#ownHosts.add(hostOf(finalUrl));
  }

  /** Why a part that is not in the cache is not asked for now; `null` where it is to be asked for. */
  known(part: PagePart): Miss | null {
    const { book, document, wall } = this.#parts;
    const refusal = book.refusal(part.url);
    if (refusal !== null) {
      if (isLongAgo({ count: 1, countedAt: refusal.askedAt }, wall())) this.#askAgain.set(part.url, part);
      const { status, response } = refusal;
      return { reason: `status ${status}`, transient: false, status, response };
    }
    const absence = this.#mayLack(part) ? book.absence(document, nameOf(part)) : null;
    if (absence === null || !isPagesOwn(absence)) return null;
    if (isLongAgo(absence, wall())) this.#askAgain.set(part.url, part);
    this.#complete.set(nameOf(part), false);
    return { reason: "absent for good", transient: false, status: null };
  }

  had(part: PagePart): void {
    const name = nameOf(part);
    if (!part.font && !this.#complete.has(name)) this.#complete.set(name, true);
  }

  /** Nobody knows whether a part could have been had: it was called off. */
  calledOff(part: PagePart): void {
    if (!part.font) this.#complete.set(nameOf(part), false);
  }

  /** It was not asked for, or could not be read, which says nothing about its host: the page waits for it, but for a font. */
  deferred(part: PagePart, { reason }: Miss): void {
    if (part.font) return;
    this.#complete.set(nameOf(part), false);
    this.#holdBack(part, reason);
  }

  /** It does not fit beside what the page has: without it the page is shown, but there is no page without a document. */
  unfit(part: PagePart, reason: string): void {
    if (part.document) this.#holdBack(part, reason);
  }

  missed(part: PagePart, { reason, transient, status, response = null }: Miss): void {
    const { book, wall } = this.#parts;
    if (status !== null && !transient) book.noteRefusal(part.url, { status, askedAt: wall(), response });
    if (!transient) return;
    const mayBeShown = part.font ? this.#lackFont(part) : this.#mayLack(part) && this.#lackFrom(part);
    if (!mayBeShown) this.#holdBack(part, reason);
  }

  /** What the page lacks that holds it back, for people; `null` when it may be shown. */
  lacking(): string | null {
    return this.#lacking;
  }

  /** The load is over: from hosts that gave all that was asked of them, nothing is absent any more. */
  close(): void {
    const { book, document } = this.#parts;
    for (const [name, complete] of this.#complete) {
      if (complete && !this.#ownHosts.has(name)) book.clearAbsence(document, name);
    }
  }

  /** What was answered from memory, or not waited for, and is to be asked for now that nobody waits. */
  *toAskAgain(): Iterable<PagePart> {
    yield* this.#askAgain.values();
  }

  /** What came of asking again: where a miss, it is not asked for again for a while. */
  askedAgain(asked: readonly { readonly part: PagePart; readonly miss: Miss | null }[]): void {
    const { book, document, wall } = this.#parts;
    const absent = new Map<string, boolean>();
    for (const { part, miss } of asked) {
      const refused = miss === null || miss.transient ? null : miss.status;
      const before = book.refusal(part.url);
      if (miss === null) book.clearRefusal(part.url);
      else if (refused !== null)
        book.noteRefusal(part.url, { status: refused, askedAt: wall(), response: miss?.response ?? null });
      else if (before !== null) book.noteRefusal(part.url, { ...before, askedAt: wall() });
      absent.set(nameOf(part), absent.get(nameOf(part)) === true || miss?.transient === true);
    }
    for (const [name, still] of absent) {
      const before = book.absence(document, name);
      if (before === null) continue;
      if (still) book.noteAbsence(document, name, absentAgain(before, wall()));
      else book.clearAbsence(document, name);
    }
  }

  #holdBack({ url }: PagePart, reason: string): void {
    this.#lacking ??= `${url.slice(0, LONGEST_URL)}: ${reason}`;
  }

  #mayLack(part: PagePart): boolean {
    return part.font || !isPlain(part.asked) || !this.#ownHosts.has(hostOf(part.url));
  }

  /** The text is shown in another font from now on, and the load that is to be seen does not wait for it. */
  #lackFont(part: PagePart): true {
    const { book, document, wall } = this.#parts;
    this.#askAgain.set(part.url, part);
    const name = nameOf(part);
    if (!isPagesOwn(book.absence(document, name))) this.#parts.onOwn(name);
    book.noteAbsence(document, name, { count: HELD_BACK_TIMES, countedAt: wall() });
    return true;
  }

  /** Counts the absence of a host, or of what is asked there in the page's own way, once in a load. Whether the page is shown without it. */
  #lackFrom(part: PagePart): boolean {
    const { book, document, wall } = this.#parts;
    const name = nameOf(part);
    const before = book.absence(document, name);
    this.#complete.set(name, false);
    if (isPagesOwn(before)) return true;
    const absence = absentAgain(before, wall());
    if (absence === before) return false;
    book.noteAbsence(document, name, absence);
    if (isPagesOwn(absence)) this.#parts.onOwn(name);
    return false;
  }
}

/** How many characters of a URL go into a log. */
const LONGEST_URL = 200;

/** An absence is remembered by this: a font by its file, else the host, since paths, keys and queries may differ with every load. */
function nameOf({ url, font, asked }: PagePart): string {
  const { origin, pathname, host } = new URL(url);
  if (font) return `${origin}${pathname}`.slice(0, LONGEST_URL);
  return isPlain(asked) ? host : `${host} (asked in its own way)`;
}

/** With its port: on another one there may be a tool of the maker's that a page still names, and that nobody has here. */
function hostOf(url: string): string {
  return new URL(url).host;
}
