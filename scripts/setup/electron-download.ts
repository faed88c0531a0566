// Run when no Electron is there: downloads the release that package.json pins.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { run } from "./run.mjs";
import { megabytes, type Steps } from "./steps.mjs";

/** The part of @electron/get that is used; the electron package brings it along, not we. */
interface ElectronGet {
  downloadArtifact(details: {
    readonly version: string;
    readonly artifactName: string;
    readonly platform: string;
    readonly arch: string;
    /** As the package's own installer has it, so that it finds what was downloaded. */
    readonly cacheRoot: string | undefined;
    readonly checksums: Readonly<Record<string, string>>;
    readonly downloadOptions: {
      readonly quiet: boolean;
      readonly signal: AbortSignal;
      getProgressCallback(progress: { transferred: number; total: number | null }): Promise<void>;
    };
  }): Promise<string>;
}

/** A blocked host often swallows packets instead of refusing them: this long without a byte means that it will not come. */
const STALLED_MS = 8_000;

/**
 * Downloads Electron into Electron's own cache, checked against the checksums in the package, and has the package unpack
 * it. Answers `null`, or why it could not be had.
 */
export async function downloadElectron(folder: string, say: Steps, signal: AbortSignal): Promise<string | null> {
  const version: string = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")).version;
  const step = say.begin(`Downloading Electron ${version}`);
  const watch = watchdog(STALLED_MS);
  try {
    const get = await electronGet(folder);
    await get.downloadArtifact({
      version,
      artifactName: "electron",
      platform: process.platform,
      arch: process.arch,
      cacheRoot: process.env.electron_config_cache,
      checksums: JSON.parse(readFileSync(`${folder}/checksums.json`, "utf8")),
      downloadOptions: {
        quiet: true,
        signal: AbortSignal.any([signal, watch.signal]),
        async getProgressCallback({ transferred, total }) {
          watch.feed();
          step.progress(total === null ? megabytes(transferred) : `${megabytes(transferred)} of ${megabytes(total)}`);
        },
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    step.done("cannot be had here");
    return `Electron ${version} cannot be downloaded (${reason(error)})`;
  } finally {
    watch.stop();
  }
  step.progress("unpacking");
  const { ok, said } = await run(process.execPath, [`${folder}/install.js`], { signal });
  step.done(ok ? "ready" : "cannot be unpacked");
  return ok ? null : `Electron ${version} cannot be unpacked (${said})`;
}

async function electronGet(folder: string): Promise<ElectronGet> {
  return import(pathToFileURL(createRequire(`${folder}/package.json`).resolve("@electron/get")).href);
}

function watchdog(limitMs: number): { signal: AbortSignal; feed(): void; stop(): void } {
  const controller = new AbortController();
  const bark = () => controller.abort(new Error(`nothing arrived for ${limitMs / 1000} s`));
  let timer = setTimeout(bark, limitMs);
  return {
    signal: controller.signal,
    feed() {
      clearTimeout(timer);
      timer = setTimeout(bark, limitMs);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Node's fetch says only "fetch failed"; what happened is in the cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
