import { fileURLToPath } from "node:url";

/** The checkout: the folder with package.json. Every script works on it, wherever it was called from. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/** What setup fetched or built and wants to keep: survives our own `npm ci`, may be deleted at any time. */
export const CACHE = `${ROOT}/node_modules/.cache/spotloop`;

/** The folder that a command was called from, which npm tells: relative files of its arguments are meant from there. */
export const CALLED_FROM = process.env.INIT_CWD ?? process.cwd();
