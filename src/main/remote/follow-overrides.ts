import type { LoopEvent } from "../../core/loop/loop.ts";
import type { SuspendReason } from "../../core/loop/suspension.ts";
import type { Overrides } from "../../player/remote/overrides.ts";
import type { PlayingScreen } from "../../player/screen/playing-screen.ts";
import type { Supervision } from "../recovery/supervisor.ts";
import type { StageWindow } from "../stage/stage-window.ts";
import { OverridePage } from "./override-page.ts";

/** What follows what the operator has put in place of spots. */
export interface Followers {
  readonly overrides: Overrides;
  readonly stages: readonly StageWindow[];
  /** Those that play by now. */
  readonly screens: () => readonly PlayingScreen[];
  readonly supervision: Supervision;
  /** What systemd is told while spots are played. */
  readonly status: string;
}

const OVERRIDES: readonly SuspendReason[] = ["overridden", "switched-off"];

/**
 * Shows on every screen what the operator put in place of spots, from now on: the page becomes visible at the moment in which
 * the item on air is ended, unproved.
 */
export function followOverrides(followers: Followers): void {
  const { overrides, stages } = followers;
  const pages = stages.map(({ window, slate, screenId }, index) => new OverridePage(window, slate, screenId, index));
  let changing: Promise<void> = Promise.resolve();
  const follow = () => {
    changing = changing.then(() => change(pages, followers));
    return changing;
  };
  overrides.listen(follow);
  if (overrides.reasons.length > 0) void Promise.all(stages.map(({ windowShown }) => windowShown)).then(follow);
}

async function change(pages: readonly OverridePage[], followers: Followers): Promise<void> {
  const { overrides, screens, supervision, status } = followers;
  const { shown } = overrides;
  if (shown !== null) await Promise.all(pages.map((page) => page.prepare(shown)));
  const { reasons } = overrides;
  for (const { loop } of screens()) {
    for (const event of differences(loop.state().suspendReasons, reasons)) loop.dispatch(event);
  }
  if (shown === null) for (const page of pages) page.lower();
  else await Promise.all(pages.map((page) => page.raise()));
  if (reasons.length === 0) return supervision.shows(status);
  const isAlive = () => Promise.all(pages.map((page) => page.isAlive()));
  supervision.shows(shown === null ? "displays off by the operator" : `shows the operator's ${shown.kind}`, isAlive);
}

/** What tells a loop how it is suspended by the operator now, where that is otherwise than before. */
function differences(before: readonly SuspendReason[], now: readonly SuspendReason[]): LoopEvent[] {
  return OVERRIDES.filter((because) => before.includes(because) !== now.includes(because)).map((because) => {
    return { kind: now.includes(because) ? "suspend" : "resume", because };
  });
}
