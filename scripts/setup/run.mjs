import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What is kept of what a tool says, for when it fails: some say what is wrong first, some last. */
const FIRST_LINES = 10;
const LINES = 24;

/**
 * Runs a tool to its end without showing what it says: each line goes to `hear`, which answers `false` for a line that
 * is no use in a complaint. Resolves also when the tool could not be started; rejects only when `signal` was aborted.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ signal: AbortSignal, hear?: (line: string) => boolean | void } & import("node:child_process").SpawnOptions} options
 * @returns {Promise<{ ok: boolean, said: string }>}
 */
export async function run(command, args, { signal, hear = () => true, ...options }) {
  const child = spawn(command, args, { ...options, signal, stdio: ["ignore", "pipe", "pipe"] });
  /** @type {string[]} */
  const lines = [];
  const listen = (/** @type {string} */ line) => {
    if (hear(line) === false || line.trim() === "") return;
    lines.push(line);
    if (lines.length > LINES) lines.splice(FIRST_LINES, 2, "…");
  };
  if (child.stdout) createInterface(child.stdout).on("line", listen);
  if (child.stderr) createInterface(child.stderr).on("line", listen);

  const outcome = await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, by) => resolve(code ?? by));
  });
  signal.throwIfAborted();
  return { ok: outcome === 0, said: lines.join("\n") || `${command} ended with ${outcome}` };
}
