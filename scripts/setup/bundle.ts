import { rm } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** What Electron starts, as the compiler leaves it. */
const ENTRY = "main/main.js";
/** Stays as it is: what has native code, libraries that are loaded after the first picture or never, and commands. */
const OUTSIDE = [/^(?:electron|better-sqlite3|mqtt|pino-roll|undici)(?:\/|$)/, /\/cli\/main\.js$/];

/**
 * Puts the modules of the player's main process together in some 30 files, with the libraries that they use: to find and
 * open hundreds of them took an eighth of the time to the first item. They lie in `app`, as deep below the root as the modules
 * that look for package.json from their own place.
 */
export async function bundlePlayer(dist: string): Promise<void> {
  const folder = join(dist, "app");
  await rm(folder, { recursive: true, force: true });
  const bundle = await rolldown({ input: { main: join(dist, ENTRY) }, platform: "node", external: OUTSIDE });
  try {
    await bundle.write({ dir: folder, format: "esm", chunkFileNames: "[name].js", sourcemap: true });
  } finally {
    await bundle.close();
  }
}
