import { type BaseWindow, session, WebContentsView } from "electron";
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
}

/** A first paint that takes longer than this is not waited for. */
const PAINTED_WITHIN_MS = 1_000;
/** A crashed slate is loaded again after this long, so that a slate that always crashes does not spin. */
const RELOAD_AFTER_MS = 1_000;

/** Lays a page of `renderer/` at the bottom of the window, and keeps it there. Resolves when it is painted. */
export async function laySlate(window: BaseWindow, page: string): Promise<Slate> {
  const own = session.fromPartition(page, { cache: false });
  denyPermissions(own);
  denyDownloads(own);
  serveAppPages(own);
  await sealNetwork(own, [`${APP_SCHEME}:`]);
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
  await load();
  await Promise.race([
    view.webContents.executeJavaScript(NEXT_PAINT).catch(() => {}),
    new Promise((resolve) => setTimeout(resolve, PAINTED_WITHIN_MS)),
  ]);
  return { view };
}
