import { app } from "electron";
import type { FailureReason, PlayoutOutcome } from "../../core/spot.ts";
import { isRenewed } from "../house/slate.ts";
import { appUrl } from "../protocol/schemes.ts";
import type { Recovery } from "./recovery.ts";

/** Reports crashes of Chromium's own processes and of the slate's page, for as long as the process lives. */
export function watchChromium(recovery: Recovery): void {
  app.on("child-process-gone", (_event, { name, serviceName, reason }) => {
    if (reason === "clean-exit") return;
    if (name === "Network Service" || serviceName === "network.mojom.NetworkService") recovery.reportFault("network");
  });
  onGraphicsLost(({ isMachineFault }) => {
    if (isMachineFault) recovery.reportFault("gpu");
  });
  // A machine without graphics is nobody's failure: Chromium gives up its GPU process at each start and says nothing.
  const noteGraphics = () => {
    if (recovery.plan.rendering === "hardware" && !hasGraphics()) recovery.noteWithoutGraphics();
  };
  app.once("gpu-info-update", () => setTimeout(noteGraphics, SETTLED_AFTER_MS));
  app.on("render-process-gone", (_event, contents) => {
    if (contents.getURL().startsWith(appUrl("slate/")) && !isRenewed(contents)) recovery.reportFault("slate");
  });
}

/** Chromium's report on its graphics is only final after it has tried all ways. */
const SETTLED_AFTER_MS = 3_000;

/** Whether Chromium draws with the graphics processor; known once its GPU process has come up or failed to. */
function hasGraphics(): boolean {
  return app.getGPUFeatureStatus().gpu_compositing.startsWith("enabled");
}

/** How decks fail on a machine whose graphics are broken, whatever their content. */
const GRAPHICS_FAILURES: ReadonlySet<FailureReason> = new Set<FailureReason>([
  "not-ready",
  "not-painted",
  "stalled",
  "crashed",
  "hung",
]);
/** The most failed decks in succession: creatives that fail by their own fault are blocked after three times each. */
const MOST_FAILED_IN_A_ROW = 12;

/** Takes the outcome of each playout; `onNothingShown` is called when too many decks in a row have failed. */
export function watchStage(onNothingShown: () => void): (outcome: PlayoutOutcome) => void {
  let inARow = 0;
  return (outcome) => {
    if (outcome.kind === "shown") inARow = 0;
    else if (GRAPHICS_FAILURES.has(outcome.reason)) inARow++;
    if (inARow < MOST_FAILED_IN_A_ROW) return;
    inARow = 0;
    onNothingShown();
  };
}

/** A loss of the graphics. */
interface GraphicsLoss {
  /** Whether it is the machine's fault: the process did not end in good order, and no visible page is to blame. */
  readonly isMachineFault: boolean;
}

/** Listeners, of any number of screens. */
const lost = new Set<(loss: GraphicsLoss) => void>();
const back = new Set<() => unknown>();
const restored = new Set<() => void>();
const suspects = new Set<() => boolean>();
let losses = 0;
let isBackAwaited = false;

app.on("child-process-gone", (_event, { type, reason }) => {
  if (type !== "GPU") return;
  losses++;
  const isMachineFault = reason !== "clean-exit" && ![...suspects].map((isToBlame) => isToBlame()).some(Boolean);
  for (const hear of lost) hear({ isMachineFault });
  if (isBackAwaited) return;
  isBackAwaited = true;
  app.once("gpu-info-update", () => {
    isBackAwaited = false;
    const survived = losses;
    void Promise.allSettled([...back].map((hear) => hear())).then(() => {
      if (losses === survived) for (const hear of restored) hear();
    });
  });
});

/** Adds a function that is asked at each loss whether a page of its screen is to blame. */
export function onGraphicsSuspected(isToBlame: () => boolean): void {
  suspects.add(isToBlame);
}

/** Calls `hear` when Chromium's GPU process is gone. */
export function onGraphicsLost(hear: (loss: GraphicsLoss) => void): void {
  lost.add(hear);
}

/** Calls `hear` when another GPU process has taken over; a promise that it returns is waited for (`onGraphicsRestored`). */
export function onGraphicsBack(hear: () => unknown): void {
  back.add(hear);
}

/** Calls `hear` when everything is restored, unless the graphics were lost again meanwhile. */
export function onGraphicsRestored(hear: () => void): void {
  restored.add(hear);
}
