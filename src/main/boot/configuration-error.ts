import { app, screen } from "electron";
import { type BadConfig, complaintOf, type GoodConfig, watchConfig } from "../../player/config/config.ts";
import { createSlate } from "../house/slate.ts";
import type { Supervision } from "../recovery/supervisor.ts";
import { Visibility, watchVisibility } from "../window/visibility.ts";
import { onDisplayChange, openWindow } from "../window/window.ts";
import { sourceOf } from "./arguments.ts";
import { leaveWhenAsked } from "./shutdown.ts";

/** The page stays this long after the player has started, so that the desktop behind is never visible. */
const STAYS_MS = 5_000;

/** What is wrong with a configuration, a line each, for stderr. The token is never among it. */
export function describeProblems(bad: BadConfig): string {
  const lines = bad.problems.map(({ path, message }) => `  ${path === "" ? "" : `${path}: `}${message}\n`);
  const { heading, advice } = complaintOf(bad);
  return `spotloop: ${heading}:\n${lines.join("")}${advice === null ? "" : `${advice}\n`}`;
}

/**
 * Shows on the display what is wrong and where, until the file has been corrected; resolves with the good configuration.
 * The wait is not a failure of this process: the supervisor's watchdog is fed for as long as the page answers.
 */
export async function awaitGoodConfig(
  bad: BadConfig,
  given: string | null,
  supervision: Supervision,
): Promise<GoodConfig> {
  await app.whenReady();
  leaveWhenAsked();
  const plan = { match: null, fullscreen: true, width: null, height: null };
  const { window, reveal, place, own } = openWindow(plan, screen.getPrimaryDisplay());
  watchVisibility(window, new Visibility(), own);
  const stopFollowing = onDisplayChange(() => place(screen.getPrimaryDisplay(), () => {}));
  let shown = bad;
  const show = (): void => {
    const problems = JSON.stringify({ file: shown.path, problems: shown.problems });
    view.webContents.executeJavaScript(`show(${problems})`).catch(() => {});
  };
  const { view, load, close } = createSlate(window, "configuration-error/configuration-error.html", { onLoaded: show });
  await load();
  let said = describeProblems(bad);
  reveal();
  supervision.shows(`says on the screen: ${complaintOf(bad).heading}`, async () =>
    view.webContents.executeJavaScript("0"),
  );
  const good = await new Promise<GoodConfig>((resolve) => {
    const stop = watchConfig(sourceOf(given), (reading) => {
      if (reading.kind === "bad") {
        said = sayOnce(said, describeProblems(reading));
        shown = reading;
        return show();
      }
      stop();
      supervision.shows("the configuration is good now");
      resolve(reading);
    });
  });
  setTimeout(() => {
    stopFollowing();
    close();
    window.destroy();
  }, STAYS_MS);
  return good;
}

function sayOnce(said: string, now: string): string {
  if (now !== said) process.stderr.write(now);
  return now;
}
