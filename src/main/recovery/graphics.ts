import { EventEmitter } from "node:events";
import { app } from "electron";

/** Any number of screens hear of it. */
const graphics = new EventEmitter().setMaxListeners(0);
let isBackAwaited = false;

app.on("child-process-gone", (_event, { type }) => {
  if (type !== "GPU") return;
  graphics.emit("lost");
  if (isBackAwaited) return;
  isBackAwaited = true;
  app.once("gpu-info-update", () => {
    isBackAwaited = false;
    graphics.emit("back");
  });
});

/** Hears that Chromium's GPU process is gone. */
export function onGraphicsLost(hear: () => void): void {
  graphics.on("lost", hear);
}

/** Hears that another GPU process has taken over from one that was lost. */
export function onGraphicsBack(hear: () => void): void {
  graphics.on("back", hear);
}
