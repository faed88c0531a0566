// The default app of a runtime that came without one: `electron FOLDER ARGS…` runs the app in FOLDER, as Electron's own
// default app does. Packed into the runtime as resources/default_app.asar, where packagers know to leave it out.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { app } from "electron";

/** What Electron's default app uses and the documentation leaves out. */
/** @typedef {import("electron").App & { setVersion(version: string): void, setAppPath(folder: string): void }} OwnApp */

const given = process.argv.slice(1).find((argument) => !argument.startsWith("-"));
if (given === undefined) {
  process.stderr.write("usage: electron FOLDER [ARGUMENTS]\n");
  app.exit(1);
} else {
  const folder = resolve(given);
  const manifest = JSON.parse(readFileSync(resolve(folder, "package.json"), "utf8"));
  const own = /** @type {OwnApp} */ (app);
  if (manifest.version) own.setVersion(manifest.version);
  own.name = manifest.productName ?? manifest.name ?? app.name;
  own.setAppPath(folder);
  Object.assign(process, { defaultApp: true });
  // Awaited here, so that Electron holds `ready` back until the app's own module has been run.
  await import(pathToFileURL(resolve(folder, manifest.main ?? "index.js")).href);
}
