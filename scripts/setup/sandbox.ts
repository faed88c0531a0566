// Run before Electron is started by an ordinary user: some systems forbid what Chromium's sandbox is made of.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Runtime } from "./electron.ts";
import { Stop } from "./stop.mjs";

const SETUID = 0o4000;

/** Stops, with the way out, where user namespaces are closed to programs and the setuid sandbox is not set up either. */
export function ensureSandbox({ executable }: Runtime): void {
  if (process.platform !== "linux" || process.getuid?.() === 0) return;
  if (spawnSync("unshare", ["--user", "--map-root-user", "true"]).status === 0) return;
  const sandbox = `${dirname(executable)}/chrome-sandbox`;
  const { uid, mode } = statSync(sandbox);
  if (uid === 0 && (mode & SETUID) !== 0) return;
  const why = "This system does not let programs make user namespaces, and the setuid sandbox is not set up.";
  throw new Stop("Starting Electron with its sandbox", why, `sudo chown root ${sandbox} && sudo chmod 4755 ${sandbox}`);
}
