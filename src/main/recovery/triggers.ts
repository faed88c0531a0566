import { app } from "electron";
import type { FailureReason, PlayoutOutcome } from "../../core/playout.ts";
import { isRenewed } from "../house/slate.ts";
import { appUrl } from "../schemes.ts";
import type { Recovery } from "./recovery.ts";

/** Tells of the troubles of Chromium's own processes, and of the slate's page, for as long as the process lives. */
export function watchChromium(recovery: Recovery): void {
  app.on("child-process-gone", (_event, { type, name, serviceName, reason }) => {
    if (reason === "clean-exit") return;
    if (type === "GPU") recovery.meet("gpu");
    if (name === "Network Service" || serviceName === "network.mojom.NetworkService") recovery.meet("network");
  });
  // A machine without graphics is nobody's failure: Chromium gives up its GPU process at each start and says nothing.
  const noteGraphics = () => {
    if (recovery.plan.rendering === "hardware" && !hasGraphics()) recovery.noteWithoutGraphics();
  };
  app.once("gpu-info-update", () => setTimeout(noteGraphics, SETTLED_AFTER_MS));
  app.on("render-process-gone", (_event, contents) => {
    if (contents.getURL().startsWith(appUrl("slate/")) && !isRenewed(contents)) recovery.meet("slate");
  });
}

/** What Chromium tells of its graphics is not to be trusted before it has tried everything. */
const SETTLED_AFTER_MS = 3_000;

/** Whether Chromium draws with the graphics processor; known once its GPU process has come up or failed to. */
function hasGraphics(): boolean {
  return app.getGPUFeatureStatus().gpu_compositing.startsWith("enabled");
}

/** What a machine whose graphics are broken makes of decks, whatever is on them. */
const DARK: ReadonlySet<FailureReason> = new Set<FailureReason>([
  "not-ready",
  "not-painted",
  "stalled",
  "crashed",
  "hung",
]);
/** So many decks in a row: creatives that fail by their own fault are quarantined after three times each. */
export const MOST_DARK_IN_A_ROW = 12;

/** Takes in how playouts end, and says so when the stage shows nothing for long though it should. */
export function watchStage(onDark: () => void): (outcome: PlayoutOutcome) => void {
  let inARow = 0;
  return (outcome) => {
    if (outcome.kind === "shown") inARow = 0;
    else if (DARK.has(outcome.reason)) inARow++;
    if (inARow < MOST_DARK_IN_A_ROW) return;
    inARow = 0;
    onDark();
  };
}
