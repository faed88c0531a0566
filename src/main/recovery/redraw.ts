import { app, webContents } from "electron";
import { MEDIA_PAGE } from "../decks/media-face.ts";

/**
 * Has pictures drawn anew once Chromium's GPU process was lost and has come again: they were lost with it, and would stay
 * black until they are taken down. Clips and pages draw themselves.
 */
export function redrawAfterGpuLoss(): void {
  app.on("child-process-gone", (_event, { type }) => {
    if (type !== "GPU") return;
    redraw();
    // Its successor is there: what was drawn in between may be lost as well.
    app.once("gpu-info-update", redraw);
  });
}

function redraw(): void {
  for (const contents of webContents.getAllWebContents()) {
    // A page that cannot is on its way out.
    if (contents.getURL() === MEDIA_PAGE) contents.executeJavaScript("deck.redraw()").catch(() => {});
  }
}
