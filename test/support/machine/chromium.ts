import { spawnSync } from "node:child_process";

/** The browser of the system: the first of those that the scripts' setup looks for. */
export function installedChromium(): string {
  const found = spawnSync("which", ["chromium", "chromium-browser", "google-chrome"], { encoding: "utf8" });
  return found.stdout.split("\n", 1)[0] ?? "";
}
