// Run by the npm scripts: `node scripts/ready.mjs NAME ARGS…` makes the packages and Node 24 ready, then runs
// scripts/NAME.ts under it. Plain JavaScript and nothing but Node's own modules: on a fresh clone there is nothing else.
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { oneAtATime } from "./setup/lock.mjs";
import { nodeToUse } from "./setup/node.mjs";
import { ensurePackages } from "./setup/packages.mjs";
import { passThrough } from "./setup/pass-through.mjs";
import { steps } from "./setup/steps.mjs";
import { Stop } from "./setup/stop.mjs";

/**
 * What every script gets: where to say what it does, and the signal that Ctrl-C, SIGTERM or a hang-up aborts.
 * A script is a file in this folder that exports `run(args, ready)` and resolves to the exit code.
 * @typedef {{ say: import("./setup/steps.mjs").Steps, signal: AbortSignal }} Ready
 */

/** How soon a script ends when npm has. */
const ORPHANED_WITHIN_MS = 500;

process.exit(await main(process.argv.slice(2)));

/** @param {string[]} argv @returns {Promise<number>} */
async function main([name = "", ...args]) {
  const stopping = new AbortController();
  let stoppedBy = 0;
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      stoppedBy ||= 128 + constants.signals[signal];
      stopping.abort(new Error(`stopped by ${signal}`));
    });
  }
  stopWithParent();
  try {
    return await ready(name, args, { say: steps(), signal: stopping.signal });
  } catch (error) {
    if (stopping.signal.aborted) return stoppedBy;
    process.stderr.write(`\n${complaint(error)}\n`);
    return 1;
  }
}

/**
 * The shell that npm runs scripts in ends at a SIGTERM without passing it on, and what it had started would live on, on
 * its ports. On Windows a process keeps its parent's number, so there this does nothing.
 */
function stopWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.emit("SIGTERM", "SIGTERM");
  }, ORPHANED_WITHIN_MS).unref();
}

/** @param {string} name @param {string[]} args @param {Ready} ready @returns {Promise<number>} */
async function ready(name, args, { say, signal }) {
  if (!/^[a-z][a-z-]*$/.test(name))
    throw new Stop("Starting", `"${name}" is no script's name.`, "node scripts/ready.mjs demo");
  await oneAtATime(say, signal, () => ensurePackages(say, signal));
  const node = nodeToUse();
  if (node !== process.execPath) return passThrough(node, [fileURLToPath(import.meta.url), name, ...args]);
  const script = await import(new URL(`./${name}.ts`, import.meta.url).href);
  return script.run(args, { say, signal });
}

/** @param {unknown} error */
function complaint(error) {
  if (error instanceof Stop || process.env.SPOTLOOP_DEBUG === undefined) return /** @type {Error} */ (error).message;
  return /** @type {Error} */ (error).stack;
}
