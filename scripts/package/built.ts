import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../setup/paths.mjs";
import { run } from "../setup/run.mjs";
import { Stop } from "../setup/stop.mjs";

/** Both packages in a folder, the player's first; they are built where they are not there yet. */
export async function packagesIn(
  folder: string,
  version: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = await debsIn(folder);
  if (found.length > 0) return found;
  const settings = [`-c.directories.output=${folder}`, ...(version ? [`-c.extraMetadata.version=${version}`] : [])];
  // Packed more tightly it would take minutes.
  const args = ["scripts/ready.mjs", "package", "--deb", "-c.deb.compression=gz", ...settings];
  const { ok, said } = await run(process.execPath, args, { cwd: ROOT, signal });
  if (!ok) throw new Stop("Building the packages", said, "See what `npm run package -- --deb` says.");
  return debsIn(folder);
}

async function debsIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".deb"));
  return names.sort((one) => (one.startsWith("spotloop-kiosk") ? 1 : -1)).map((name) => join(folder, name));
}
