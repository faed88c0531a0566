import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { npm } from "./packages.mjs";
import { ROOT } from "./paths.mjs";
import { run } from "./run.mjs";
import { megabytes, type Step } from "./steps.mjs";
import { Stop } from "./stop.mjs";

/** A package that is fetched only where it is needed, and then exactly these bytes. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  readonly sizeBytes: number;
  /** As in a lockfile: `sha512-` and base64. */
  readonly integrity: string;
}

const LOOK_MS = 250;

/**
 * Downloads a package's archive into `folder` and resolves to its path. npm itself fetches it, so that registry, proxy,
 * certificates and tokens are the user's own, and a second checkout on this machine finds it in npm's cache.
 */
export async function fetchPackage(
  pinned: PinnedPackage,
  folder: string,
  step: Step,
  signal: AbortSignal,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const [command, ...first] = npm();
  const watch = await watchDownload((bytes) => step.progress(`${megabytes(bytes)} of ${megabytes(pinned.sizeBytes)}`));
  const pack = ["pack", `${pinned.name}@${pinned.version}`, "--json", "--pack-destination", folder];
  const { ok, said } = await run(command, [...first, ...pack], { cwd: ROOT, signal, shell: false }).finally(watch.stop);
  if (!ok)
    throw new Stop(
      `Fetching ${pinned.name}`,
      said,
      "See that the npm registry can be reached (`npm ping`), then say the same again.",
    );

  const [archive] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  const path = join(folder, archive ?? "");
  step.progress("checking its integrity");
  await check(path, pinned);
  return path;
}

/** Throws, and deletes the file, when it is not the pinned one byte for byte. */
export async function check(path: string, pinned: PinnedPackage): Promise<void> {
  const hash = createHash("sha512");
  await pipeline(createReadStream(path), hash);
  const found = `sha512-${hash.digest("base64")}`;
  if (found === pinned.integrity) return;
  await rm(path);
  const why = `Its bytes are not the expected ones.\nexpected ${pinned.integrity}\nfound    ${found}`;
  throw new Stop(
    `Fetching ${pinned.name}`,
    why,
    "Run `npm cache clean --force`, then say the same again. If it stays, the registry serves something else.",
  );
}

/** npm shows no progress of its own here; what it downloads grows in its cache's `tmp` folder meanwhile. */
async function watchDownload(progress: (bytes: number) => void): Promise<{ stop(): void }> {
  const [command, ...first] = npm();
  const { said } = await run(command, [...first, "config", "get", "cache"], {
    cwd: ROOT,
    signal: new AbortController().signal,
  });
  const folder = join(said.split("\n").at(-1) ?? "", "_cacache", "tmp");
  const startedAt = Date.now();
  const timer = setInterval(async () => {
    const bytes = await largestSince(folder, startedAt);
    if (bytes > 0) progress(bytes);
  }, LOOK_MS);
  return { stop: () => clearInterval(timer) };
}

async function largestSince(folder: string, startedAt: number): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = names.map(async (name) => {
    const file = await stat(join(folder, name)).catch(() => null);
    return file !== null && file.birthtimeMs >= startedAt - LOOK_MS ? file.size : 0;
  });
  return Math.max(0, ...(await Promise.all(sizes)));
}
