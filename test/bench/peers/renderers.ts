import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { npm } from "../../../scripts/setup/packages.mjs";
import { CACHE } from "../../../scripts/setup/paths.mjs";
import { run } from "../../../scripts/setup/run.mjs";
import { Stop } from "../../../scripts/setup/stop.mjs";

/** A renderer of an open player, and the page that gives it a layout to play. */
export interface Renderer {
  readonly name: string;
  /** Of the registry: fixed, so that figures of two runs are of the same. */
  readonly version: string;
  /** In `pages`. */
  readonly page: string;
  /** The stylesheet that it brings, if any. */
  readonly styles?: string;
}

export const RENDERERS: readonly Renderer[] = [
  { name: "@xiboplayer/renderer", version: "0.5.20", page: "xiboplayer.js" },
  {
    ...{ name: "@xibosignage/xibo-layout-renderer", version: "1.0.17", page: "xibo.js" },
    styles: "dist/styles.css",
  },
];

/** Loaded by a renderer only for what no sample creative is. */
const OUTSIDE = ["hls.js"];

/** What a browser is given to play with a renderer. */
export interface Page {
  /** With `page.js`, and what that loads. */
  readonly scripts: string;
  readonly styles: string | null;
}

/** Fetches a renderer from the registry, once on this machine and without its install scripts, and makes it one script with its page. */
export async function fetchRenderer({ name, version, page, styles }: Renderer, signal: AbortSignal): Promise<Page> {
  const folder = join(CACHE, `peer-${name.replace(/\W+/g, "-")}-${version}`);
  if (!existsSync(folder)) await install(folder, `${name}@${version}`, signal);
  const modules = join(folder, "node_modules");
  const bundle = await rolldown({
    input: { page: join(import.meta.dirname, "pages", page) },
    ...{ platform: "browser", external: OUTSIDE, logLevel: "silent" },
    resolve: { modules: [modules] },
  });
  const scripts = join(folder, "scripts");
  try {
    await bundle.write({ dir: scripts, chunkFileNames: "[name].js" });
  } finally {
    await bundle.close();
  }
  return { scripts, styles: styles === undefined ? null : join(modules, name, styles) };
}

async function install(folder: string, what: string, signal: AbortSignal): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const making = await mkdtemp(join(CACHE, "peer-"));
  try {
    await writeFile(join(making, "package.json"), "{}");
    const [command, ...first] = npm();
    const args = [...first, "install", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", what];
    const { ok, said } = await run(command, args, { cwd: making, signal });
    if (!ok) throw new Stop(`Fetching ${what}`, said, "See that the npm registry can be reached (`npm ping`).");
    await rename(making, folder);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw error;
  }
}
