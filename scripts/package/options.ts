import { resolve } from "node:path";
import { ROOT } from "../setup/paths.mjs";

/** What `npm run package` is asked for. */
export interface PackageOptions {
  /** Debian's packages, by dpkg-deb. */
  readonly deb: boolean;
  /** Whether nothing is made that would be put on another machine by mistake: no installer but Debian's, nothing published. */
  readonly isTrial: boolean;
  /** Where the packages are written. */
  readonly folder: string;
  /** The version that the packages are to have; null for the one in package.json. */
  readonly version: string | null;
  /** What electron-builder is given. */
  readonly rest: readonly string[];
}

const OUTPUT = /^(?:-c|--config)\.directories\.output=/;
const VERSION = /^(?:-c|--config)\.extraMetadata\.version=/;
const PUBLISH = /^(?:-p|--publish|(?:-c|--config)\.publish)(?:$|[=.])/;

/** Reads the arguments: all but `--deb` are electron-builder's own. The version is taken out, since more is made of it. */
export function readPackageOptions(args: readonly string[]): PackageOptions {
  const deb = args.includes("--deb");
  const rest = args.filter((arg) => arg !== "--deb" && !VERSION.test(arg));
  const output = rest.findLast((arg) => OUTPUT.test(arg))?.replace(OUTPUT, "");
  return {
    deb,
    isTrial: (deb || rest.includes("--dir")) && !rest.some((arg) => PUBLISH.test(arg)),
    folder: resolve(ROOT, output ?? "release"),
    version: args.findLast((arg) => VERSION.test(arg))?.replace(VERSION, "") ?? null,
    rest,
  };
}
