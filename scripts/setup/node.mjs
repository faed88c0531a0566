// Run by every npm script after the packages: finds the Node 24 that came with them.
import { realpathSync } from "node:fs";
import { ROOT } from "./paths.mjs";
import { Stop } from "./stop.mjs";

/** The first Node that runs TypeScript files as they are, without a flag. */
const OLDEST = [22, 18];

/**
 * Node 24 from the package for this platform; where there is none, the Node at hand if it is new enough.
 * @param {{ platform: string, arch: string, execPath: string, version: string }} machine
 */
export function nodeToUse(machine = { ...process, version: process.versions.node }) {
  const { platform, arch, execPath, version } = machine;
  const name = `node-${platform === "win32" ? "win" : platform}-${arch}`;
  try {
    return realpathSync(`${ROOT}/node_modules/${name}/bin/node${platform === "win32" ? ".exe" : ""}`);
  } catch {
    if (isNewEnough(version)) return execPath;
    const why = `There is no Node 24 package for ${platform} ${arch}, or npm left it out, and this Node is ${version}.`;
    throw new Stop("Finding Node 24", why, "Install Node 24 and say the same command again.");
  }
}

/** @param {string} version */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
