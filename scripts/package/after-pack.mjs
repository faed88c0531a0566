// Run by electron-builder when a package's files are together and not yet signed or wrapped up.
import { rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Electron's default app starts any folder that it is given: it has no place beside ours.
 * @param {{ appOutDir: string, packager: { getResourcesDir(appOutDir: string): string } }} context
 */
export async function afterPack({ appOutDir, packager }) {
  await rm(join(packager.getResourcesDir(appOutDir), "default_app.asar"), { force: true });
}
