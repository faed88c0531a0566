import { globalShortcut, type Session, screen, session, WebContentsView } from "electron";
import type { Logger } from "pino";
import { confine, stayingAt } from "../guards/contents.ts";
import { denyDownloads, denyPermissions, sealNetwork } from "../guards/session.ts";
import type { RaisedStage } from "../stage/create-stage.ts";
import { fill } from "../window/window.ts";

/** What an operator needs to look at a player on its own display. */
export interface DiagnosisParts {
  /** As Electron writes accelerators: `Control+Alt+Shift+D`. */
  readonly chord: string;
  /** The loopback port of the health pages. */
  readonly port: number;
  readonly stages: readonly RaisedStage[];
  readonly log: Logger;
}

/** Long enough to read it; a page that was left open costs no more of the screen's time. */
const CLOSED_AFTER_MS = 120_000;

/**
 * Shows the health page on the display under the pointer when the operator strikes the chord, and closes it when it is
 * struck again or after two minutes. What is behind it meanwhile cannot be seen. The chord is taken from the system's
 * keyboard before any page hears of it, so that no page can read it, and no page has keys to strike.
 */
export function offerDiagnosis({ chord, port, stages, log }: DiagnosisParts): () => void {
  let close: (() => void) | null = null;
  const toggle = () => {
    if (close !== null) return close();
    const stage = stageUnderPointer(stages);
    if (stage === null) return;
    log.info({ screen: stage.screenId }, "diagnosis opened");
    const shut = openPage(stage, port, () => close?.());
    close = () => {
      close = null;
      shut();
      log.info({ screen: stage.screenId }, "diagnosis closed");
    };
  };
  if (!globalShortcut.register(chord, toggle)) log.error({ chord }, "the operator's chord cannot be had");
  return () => {
    globalShortcut.unregister(chord);
    close?.();
  };
}

/** Lays the page over everything in a window; `onOver` hears when it should be closed. */
function openPage({ window, sight }: RaisedStage, port: number, onOver: () => void): () => void {
  const origin = `http://127.0.0.1:${port}`;
  const own = session.fromPartition("diagnosis", { cache: false });
  const view = new WebContentsView({
    webPreferences: { session: own, sandbox: true, contextIsolation: true, disableDialogs: true, devTools: false },
  });
  const { webContents } = view;
  confine(webContents, stayingAt(`${origin}/`));
  webContents.on("render-process-gone", onOver);
  sight.note("diagnosis", true);
  fill(window, view);
  window.contentView.addChildView(view);
  // A page that cannot be loaded says so by itself; the chord or the timer closes it all the same.
  confineTo(own, origin)
    .then(() => webContents.loadURL(`${origin}/`))
    .catch(() => {});
  const timer = setTimeout(onOver, CLOSED_AFTER_MS);
  return () => {
    clearTimeout(timer);
    window.contentView.removeChildView(view);
    webContents.close({ waitForBeforeUnload: false });
    sight.note("diagnosis", false);
  };
}

/** Its session reaches the health pages and nothing else, and those by us: Chromium itself has no way to any network. */
async function confineTo(own: Session, origin: string): Promise<void> {
  denyPermissions(own);
  denyDownloads(own);
  const isOurs = (url: string) => new URL(url).origin === origin;
  if (!own.protocol.isProtocolHandled("http")) {
    own.protocol.handle("http", async ({ url }) => (isOurs(url) ? fetch(url) : new Response(null, { status: 403 })));
  }
  await sealNetwork(own, ["http:", "data:"]);
}

function stageUnderPointer(stages: readonly RaisedStage[]): RaisedStage | null {
  const { x, y } = screen.getCursorScreenPoint();
  const seen = stages.filter(({ sight }) => sight.clear);
  const under = seen.find(({ window }) => {
    const bounds = window.getContentBounds();
    return x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height;
  });
  return under ?? seen[0] ?? null;
}
