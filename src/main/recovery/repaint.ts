import { app, BaseWindow, WebContentsView } from "electron";

/**
 * Draws everything anew once Chromium's GPU process was lost and has come again. What moves draws itself; a picture, a page
 * at rest and the slate would stay black until they are taken down.
 */
export function repaintAfterGpuLoss(): void {
  app.on("child-process-gone", (_event, { type }) => {
    if (type !== "GPU") return;
    repaint();
    // Its successor is there: what was drawn in between may be lost with the surfaces.
    app.once("gpu-info-update", repaint);
  });
}

function repaint(): void {
  for (const window of BaseWindow.getAllWindows()) {
    for (const view of window.contentView.children) {
      if (view instanceof WebContentsView && !view.webContents.isDestroyed()) view.webContents.invalidate();
    }
  }
}
