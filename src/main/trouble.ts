import { app, screen } from "electron";
import { type BadConfig, type GoodConfig, watchConfig } from "../player/config/config.ts";
import { laySlate } from "./house/slate.ts";
import { openWindow } from "./window.ts";

/** The page stays this long after the player began, so that the desktop behind is never in sight. */
const STAYS_MS = 5_000;

/** What is wrong with a configuration, a line each, for stderr. The token is never among it. */
export function describeProblems({ path, problems }: BadConfig): string {
  const lines = problems.map((problem) => `  ${problem.path === "" ? "" : `${problem.path}: `}${problem.message}\n`);
  return `spotloop: the configuration ${path} cannot be used:\n${lines.join("")}`;
}

/** Shows on the display what is wrong and where, until the file has been mended; resolves with the good one. */
export async function awaitGoodConfig(bad: BadConfig, given: string | null): Promise<GoodConfig> {
  await app.whenReady();
  const plan = { match: null, fullscreen: true, width: null, height: null };
  const { window, reveal } = openWindow(plan, screen.getPrimaryDisplay());
  let shown = bad;
  const show = (): void => {
    const trouble = JSON.stringify({ file: shown.path, problems: shown.problems });
    view.webContents.executeJavaScript(`show(${trouble})`).catch(() => {});
  };
  const { view, load } = laySlate(window, "trouble/trouble.html", { onLoaded: show });
  await load();
  let said = describeProblems(bad);
  reveal();
  const good = await new Promise<GoodConfig>((resolve) => {
    const stop = watchConfig({ path: given, env: process.env }, (reading) => {
      if (reading.kind === "bad") {
        said = sayOnce(said, describeProblems(reading));
        shown = reading;
        return show();
      }
      stop();
      resolve(reading);
    });
  });
  setTimeout(() => {
    view.webContents.close();
    window.destroy();
  }, STAYS_MS);
  return good;
}

function sayOnce(said: string, now: string): string {
  if (now !== said) process.stderr.write(now);
  return now;
}
