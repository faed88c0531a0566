import { type BaseWindow, type Session, session, WebContentsView } from "electron";
import { serveAppPages } from "./app-pages.ts";
import { NEXT_PAINT } from "./face.ts";
import { confine } from "./guards/contents.ts";
import { denyDownloads } from "./guards/downloads.ts";
import { sealNetwork } from "./guards/network.ts";
import { denyPermissions } from "./guards/permissions.ts";
import { APP_SCHEME, appUrl } from "./schemes.ts";
import { fill } from "./window.ts";

/** A page of ours that lies under the decks and shows whenever nothing is above it. */
export interface Slate {
  readonly view: WebContentsView;
  /** Loads the page, once; resolves when it is painted. */
  load(): Promise<void>;
}

/** A first paint that takes longer than this is not waited for. */
const PAINTED_WITHIN_MS = 1_000;
/** A crashed slate is loaded again after this long, so that a slate that always crashes does not spin. */
const RELOAD_AFTER_MS = 1_000;

/**
 * Lays a page of `renderer/` at the bottom of the window, and keeps it there; it is black until loaded. Each `number` of
 * a page has a session of its own.
 */
export function laySlate(window: BaseWindow, page: string, number = 0): Slate {
  const own = session.fromPartition(`${page}-${number}`, { cache: false });
  const view = new WebContentsView({
    webPreferences: { session: own, sandbox: true, contextIsolation: true, disableDialogs: true, devTools: false },
  });
  // Until its first paint a view is white otherwise.
  view.setBackgroundColor("#000000");
  const url = appUrl(page);
  confine(view.webContents, (target) => target === url);
  window.contentView.addChildView(view, 0);
  fill(window, view);
  window.on("resize", () => fill(window, view));
  const load = () => view.webContents.loadURL(url).catch(() => {});
  view.webContents.on("render-process-gone", () => setTimeout(load, RELOAD_AFTER_MS));
  let loaded: Promise<void> | null = null;
  return {
    view,
    load() {
      loaded ??= seal(own)
        .then(load)
        .then(() => painted(view));
      return loaded;
    },
  };
}

async function seal(own: Session): Promise<void> {
  denyPermissions(own);
  denyDownloads(own);
  serveAppPages(own);
  await sealNetwork(own, [`${APP_SCHEME}:`]);
}

async function painted({ webContents }: WebContentsView): Promise<void> {
  await Promise.race([
    webContents.executeJavaScript(NEXT_PAINT).catch(() => {}),
    new Promise((resolve) => setTimeout(resolve, PAINTED_WITHIN_MS)),
  ]);
}
