import { setTimeout as sleep } from "node:timers/promises";
import { WebContentsView, webContents } from "electron";
import { inIsolation, NEXT_PAINT } from "../decks/face.ts";
import { MEDIA_PAGE } from "../decks/media-face.ts";
import type { RaisedStage } from "../raise-stage.ts";
import { onGraphicsBack, onGraphicsLost, onGraphicsRestored } from "./graphics.ts";

/** The picture is kept still for so long at most: a GPU process that is not back by then may not come back at all. */
const MOST_STILL_MS = 2_000;
/** From a page having drawn to that being in sight. */
const IN_SIGHT_AFTER_MS = 100;

/**
 * Keeps what is in sight while Chromium's GPU process is gone, and has it drawn anew once there is another: the window
 * would be black in between. Still pictures were lost with the process; clips draw themselves, and stages load their pages
 * anew.
 */
export function redrawAfterGpuLoss(stages: readonly RaisedStage[]): void {
  let losses = 0;
  const thaw = (loss: number) => {
    // Lost once more meanwhile, it is the later loss that has something to wait for.
    if (loss === losses) for (const { outside } of stages) outside?.thaw();
  };
  onGraphicsLost(() => {
    const loss = ++losses;
    for (const { outside } of stages) outside?.freeze();
    setTimeout(() => thaw(loss), MOST_STILL_MS);
    redrawPictures();
  });
  // What was drawn before it was back may be lost as well.
  onGraphicsBack(redrawPictures);
  onGraphicsRestored(() => {
    const loss = losses;
    drawnInSight(stages)
      .catch(() => {})
      .then(() => thaw(loss));
  });
}

async function drawnInSight(stages: readonly RaisedStage[]): Promise<void> {
  const uppermost = stages.map(({ window }) => window.contentView.children.at(-1));
  await Promise.all(
    uppermost.map((view) => (view instanceof WebContentsView ? inIsolation(view.webContents, NEXT_PAINT) : undefined)),
  );
  await sleep(IN_SIGHT_AFTER_MS);
}

function redrawPictures(): void {
  for (const contents of webContents.getAllWebContents()) {
    // A page that cannot is on its way out.
    if (contents.getURL() === MEDIA_PAGE) contents.executeJavaScript("deck.redraw()").catch(() => {});
  }
}
