import { type BaseWindow, type Session, session, type WebContents, WebContentsView } from "electron";
import type { HouseFolder } from "../../player/house/house-folder.ts";
import { presented, settledWithin } from "../decks/deck-content.ts";
import { confine, denyDownloads, denyPermissions, sealNetwork, stayingAt } from "../guards.ts";
import { fileResponse } from "../protocol/file-response.ts";
import { APP_SCHEME, appUrl, HOUSE_SCHEME, serveAppPages } from "../protocol/schemes.ts";
import { fill } from "../window/window.ts";

/** A page of ours that lies under the decks and shows whenever nothing is above it. */
export interface Slate {
  readonly view: WebContentsView;
  /** Loads the page, once; resolves when it is painted. */
  load(): Promise<void>;
  /** Loads the page anew, in another process; resolves when it is there. */
  renew(): Promise<void>;
  /** What is visible of the slate, once it was loaded, while its page is not there. */
  setColour(colour: string): void;
  /** Takes the page away for good. */
  close(): void;
}

/** What a slate is besides its page. */
interface SlateParts {
  /** Each number of a page has a session of its own. */
  readonly number?: number;
  /** Where its house content comes from. */
  readonly house?: ServedHouse;
  /** Hears each time the page is there: the first time, and after each crash and renewal. */
  readonly onLoaded?: () => void;
  /** Hears that the page is gone, or could not be loaded; it is loaded again. */
  readonly onGone?: () => void;
}

/** A first paint that takes longer than this is not waited for. */
const PAINTED_WITHIN_MS = 1_000;
/** A slate that has crashed or was not loaded is loaded again at once, and where that goes on this much later each time. */
const RELOAD_STEP_MS = 500;
const LONGEST_RELOAD_MS = 10_000;
/** A slate that has stood this long does not fail again and again. */
const SOUND_AFTER_MS = 60_000;

/** The slate's own colour, in the middle: what is left of it while it is loaded again after a crash. */
export const SLATE_COLOUR = "#173049";

/** Pages whose process was ended to be renewed. */
const renewed = new WeakSet<WebContents>();

/** Whether a page that is gone is so because it is renewed. */
export function isRenewed(contents: WebContents): boolean {
  return renewed.has(contents);
}

/** Lays a page of `renderer/` at the bottom of the window, and keeps it there; it is black until loaded. */
export function createSlate(window: BaseWindow, page: string, parts: SlateParts = {}): Slate {
  const { number = 0, house, onLoaded, onGone } = parts;
  const own = session.fromPartition(`${page}-${number}`, { cache: false });
  const view = new WebContentsView({
    webPreferences: {
      session: own,
      sandbox: true,
      contextIsolation: true,
      disableDialogs: true,
      devTools: false,
      autoplayPolicy: "no-user-gesture-required",
    },
  });
  // Until its first paint a view is white otherwise.
  view.setBackgroundColor("#000000");
  const url = appUrl(page);
  confine(view.webContents, stayingAt(url));
  keepFramesHere(view.webContents);
  window.contentView.addChildView(view, 0);
  fill(window, view);
  const refill = () => fill(window, view);
  window.on("resize", refill);
  let colour = SLATE_COLOUR;
  const { webContents } = view;
  let loads = 0;
  const load = async () => {
    if (webContents.isDestroyed()) return;
    const number = ++loads;
    const failed = () => {
      if (number !== loads || webContents.isDestroyed()) return;
      onGone?.();
      loadAgain();
    };
    await webContents.loadURL(url).then(onLoaded, failed);
  };
  // Only once the whole page is drawn: before that its colour would be seen alone.
  const paint = async () => {
    if (!webContents.isDestroyed()) await presented(webContents);
    if (!webContents.isDestroyed()) setColour(colour);
  };
  let loaded: Promise<void> | null = null;
  let onRenewed = () => {};
  const reload = async () => {
    if (webContents.isDestroyed()) return;
    // A page's new process begins with none.
    view.setBackgroundColor(colour);
    await load();
    renewed.delete(webContents);
    onRenewed();
  };
  const loadAgain = laterEachTime(reload);
  if (onGone !== undefined) webContents.on("render-process-gone", onGone);
  webContents.on("render-process-gone", () => (isRenewed(webContents) ? void reload() : loadAgain()));
  const setColour = (chosen: string) => {
    colour = chosen;
    view.setBackgroundColor(colour);
  };
  return {
    view,
    load() {
      loaded ??= seal(own, house)
        .then(load)
        .then(() => settledWithin(paint(), PAINTED_WITHIN_MS));
      return loaded;
    },
    renew() {
      if (loaded === null) return Promise.resolve();
      renewed.add(view.webContents);
      view.webContents.forcefullyCrashRenderer();
      return new Promise((resolve) => {
        onRenewed = resolve;
      });
    },
    setColour,
    close() {
      window.off("resize", refill);
      window.contentView.removeChildView(view);
      webContents.close({ waitForBeforeUnload: false });
    },
  };
}

/** Reloads when called, later the more often that was lately. Once where a crash and the load that it broke both call. */
function laterEachTime(reload: () => Promise<void>): () => void {
  let lately = 0;
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    const begin = () => {
      isAsked = false;
      void reload();
    };
    setTimeout(begin, Math.min(lately * RELOAD_STEP_MS, LONGEST_RELOAD_MS));
    lately++;
    setTimeout(() => lately--, SOUND_AFTER_MS);
  };
}

async function seal(own: Session, house: ServedHouse | undefined): Promise<void> {
  denyPermissions(own);
  denyDownloads(own);
  serveAppPages(own);
  if (house !== undefined) serveHouse(own, house);
  await sealNetwork(own, [`${APP_SCHEME}:`, ...(house === undefined ? [] : HOUSE_SCHEMES)]);
}

/** Where all that an operator's page is made of comes from. */
const HOUSE_SCHEMES = [`${HOUSE_SCHEME}:`, "data:", "blob:"];
const FRAME_SCHEMES = [...HOUSE_SCHEMES, "about:"];

/** An operator's page goes on among its own files; of what is elsewhere there would only be Chromium's page of an error. */
function keepFramesHere(contents: WebContents): void {
  contents.on("will-frame-navigate", (event) => {
    if (!event.isMainFrame && !FRAME_SCHEMES.includes(new URL(event.url).protocol)) event.preventDefault();
  });
}

/** The folder that a slate shows from; `null` until it is known, and where there is none. */
export interface ServedHouse {
  folder: HouseFolder | null;
}

/**
 * The operator's pages run their own scripts, with nothing but the files beside them: no network, no powers. Each has an
 * origin of its own, since storage, workers and frames are of no use to one that has none.
 */
const HEADERS = {
  "content-security-policy": [
    `default-src ${HOUSE_SCHEME}: data: blob: 'unsafe-inline' 'unsafe-eval'`,
    `base-uri ${HOUSE_SCHEME}:`,
    "form-action 'none'",
    "sandbox allow-scripts allow-same-origin",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** Serves house content to a session: files of items by their ids, ranges of clips included, and nothing else. */
function serveHouse(session: Session, served: ServedHouse): void {
  session.protocol.handle(HOUSE_SCHEME, async (request) => {
    const { method, url, headers } = request;
    if (method !== "GET" && method !== "HEAD") return new Response(null, { status: 405 });
    const { host, pathname } = new URL(url);
    const name = decoded(pathname.slice(1));
    const file = name === null ? null : await served.folder?.file(host, name);
    if (!file) return new Response(null, { status: 404, headers: HEADERS });
    const { bytes, sizeBytes, contentType } = file;
    const sent = { from: bytes, sizeBytes, headers: { ...HEADERS, "content-type": contentType } };
    return fileResponse(sent, { method, range: headers.get("range") });
  });
}

/** As in a browser that reads from a disk: a % that begins no byte stands for itself, as in "5 % off.png". */
function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name.replace(/%(?![0-9a-f]{2})/gi, "%25"));
  } catch {
    return null;
  }
}
