import { app } from "electron";

/** Any number of screens hear of it. */
const lost = new Set<() => void>();
const back = new Set<() => unknown>();
const restored = new Set<() => void>();
let losses = 0;
let isBackAwaited = false;

app.on("child-process-gone", (_event, { type }) => {
  if (type !== "GPU") return;
  losses++;
  for (const hear of lost) hear();
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

/** Hears that Chromium's GPU process is gone. */
export function onGraphicsLost(hear: () => void): void {
  lost.add(hear);
}

/** Hears that another GPU process has taken over; what it returns may be a promise of what it restores then. */
export function onGraphicsBack(hear: () => unknown): void {
  back.add(hear);
}

/** Hears that all is restored, unless the graphics were lost again meanwhile. */
export function onGraphicsRestored(hear: () => void): void {
  restored.add(hear);
}
