import type { BaseWindow } from "electron";
import type { Clock } from "../player/clock.ts";
import type { Wanted } from "../player/download.ts";
import type { PageCache } from "../player/page-cache.ts";
import type { Stage } from "../player/stage.ts";
import { prepareCreativeSession } from "./creative-session.ts";
import { type MediaGuest, prepareMediaSession } from "./media-session.ts";
import { SessionPool } from "./session-pool.ts";
import { laySlate } from "./slate.ts";
import { createStage, type StageParts } from "./stage.ts";
import { openWindow, type WindowPlan } from "./window.ts";

/** What a stage is raised with. */
export interface StagePlan extends Pick<StageParts, "muted" | "report" | "onTrouble"> {
  readonly clock: Clock;
  readonly display: WindowPlan;
  readonly openPage: (document: Wanted) => PageCache;
}

/** Opens the window with the slate in it, and builds the stage above. Electron must be ready. */
export async function raiseStage(plan: StagePlan): Promise<{ window: BaseWindow; stage: Stage }> {
  const { window, reveal } = openWindow(plan.display);
  const mediaSessions = new SessionPool<MediaGuest>(["media-a", "media-b"], prepareMediaSession);
  const creativeSessions = new SessionPool<PageCache>(["creative-a", "creative-b"], prepareCreativeSession);
  await laySlate(window, "slate/slate.html");
  reveal();
  return { window, stage: createStage({ ...plan, window, mediaSessions, creativeSessions }) };
}
