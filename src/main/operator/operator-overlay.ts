import { globalShortcut, type Session, screen, session, WebContentsView } from "electron";
import type { Logger } from "pino";
import { confine, denyDownloads, denyPermissions, sealNetwork } from "../guards.ts";
import type { StageWindow } from "../stage/stage-window.ts";
import { fill } from "../window/window.ts";
import { oncePerPress } from "./held-keys.ts";

/** What the operator overlay is opened with. */
export interface OperatorOverlayParts {
  /** As Electron writes accelerators: `Control+Alt+Shift+D`. */
  readonly hotkey: string;
  /** The loopback port of the health pages. */
  readonly port: number;
  readonly stages: readonly StageWindow[];
  readonly log: Logger;
}

/** Long enough to read it; an overlay that was left open costs no more of the screen's time. */
const CLOSED_AFTER_MS = 120_000;

/** The room that all lines of the page take, in CSS pixels: it cannot be scrolled by keys, and is read from afar. */
const LINES = { width: 768, height: 840 };
/** Its pictures would be of the page itself. */
const WITHOUT_PICTURES = "img { display: none !important }";

/**
 * Shows the health page on the display under the pointer when the operator presses the hotkey, and closes it at the next
 * press or after two minutes. What it covers counts as hidden. The hotkey is registered with the system: no page can see
 * it, and pages get no keys at all. The function it returns ends that.
 */
export function offerOperatorOverlay({ hotkey, port, stages, log }: OperatorOverlayParts): () => void {
  let close: (() => void) | null = null;
  const toggle = () => {
    if (close !== null) return close();
    const stage = stageUnderPointer(stages);
    if (stage === null) return;
    log.info({ screen: stage.screenId }, "operator overlay opened");
    const shut = openPage(stage, port, () => close?.());
    close = () => {
      close = null;
      shut();
      log.info({ screen: stage.screenId }, "operator overlay closed");
    };
  };
  const press = oncePerPress(toggle);
  if (!globalShortcut.register(hotkey, press)) log.error({ hotkey }, "the operator's hotkey cannot be registered");
  return () => {
    globalShortcut.unregister(hotkey);
    close?.();
  };
}

/** Shows the page over everything in a window; `onOver` is called when it should be closed. */
function openPage({ window, visibility }: StageWindow, port: number, onOver: () => void): () => void {
  const origin = `http://127.0.0.1:${port}`;
  const own = session.fromPartition("operator-overlay", { cache: false });
  const view = new WebContentsView({
    webPreferences: { session: own, sandbox: true, contextIsolation: true, disableDialogs: true, devTools: false },
  });
  const { webContents } = view;
  // The page asks for itself again every few seconds, and goes nowhere else.
  confine(webContents, (target) => (target === `${origin}/` ? "allow" : "refuse"));
  webContents.on("render-process-gone", onOver);
  // Of each refresh, before it is drawn.
  webContents.on("did-navigate", () => {
    const { width, height } = view.getBounds();
    webContents.setZoomFactor(Math.min(width / LINES.width, height / LINES.height));
    webContents.insertCSS(WITHOUT_PICTURES).catch(() => {});
  });
  visibility.note("operator overlay", true);
  fill(window, view);
  window.contentView.addChildView(view);
  // A page that cannot be loaded shows Chromium's own error; the hotkey or the timer closes it all the same.
  confineTo(own, origin)
    .then(() => webContents.loadURL(`${origin}/`))
    .catch(() => {});
  const timer = setTimeout(onOver, CLOSED_AFTER_MS);
  return () => {
    clearTimeout(timer);
    window.contentView.removeChildView(view);
    webContents.close({ waitForBeforeUnload: false });
    visibility.note("operator overlay", false);
  };
}

/** Its session gets the health pages, fetched by this process, and nothing else: Chromium itself has no network. */
async function confineTo(own: Session, origin: string): Promise<void> {
  denyPermissions(own);
  denyDownloads(own);
  const isOurs = (url: string) => new URL(url).origin === origin;
  if (!own.protocol.isProtocolHandled("http")) {
    own.protocol.handle("http", async ({ url }) => (isOurs(url) ? fetch(url) : new Response(null, { status: 403 })));
  }
  await sealNetwork(own, ["http:", "data:"]);
}

function stageUnderPointer(stages: readonly StageWindow[]): StageWindow | null {
  const { x, y } = screen.getCursorScreenPoint();
  const visible = stages.filter(({ visibility }) => visibility.isVisible);
  const under = visible.find(({ window }) => {
    const bounds = window.getContentBounds();
    return x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height;
  });
  return under ?? visible[0] ?? null;
}
