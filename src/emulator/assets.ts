import { fileURLToPath } from "node:url";

/**
 * The folder of the packaged creatives. Two levels up from here in the sources, in the build and inside an app archive
 * alike; the path is never resolved on disk, since inside an archive only opening and reading work.
 */
export function creativesDir(): string {
  return fileURLToPath(new URL("../../assets/creatives/", import.meta.url));
}
