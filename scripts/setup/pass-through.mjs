import { spawn } from "node:child_process";
import { constants } from "node:os";

/** @type {readonly NodeJS.Signals[]} */
const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a command in this process's place: its streams, its signals, its exit code (128 + n when a signal ended it).
 * A Ctrl-C in a terminal reaches the command without us; sending it again would count as a second one.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<number>}
 */
export function passThrough(command, args, options = {}) {
  const child = spawn(command, args, { stdio: "inherit", ...options });
  const pass = (/** @type {NodeJS.Signals} */ signal) => {
    if (signal !== "SIGINT" || process.stdin.isTTY !== true) child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  }).finally(() => {
    for (const signal of PASSED_ON) process.off(signal, pass);
  });
}
