/**
 * Tells what a setup step does and how far it is: one line that is rewritten on a terminal, a line now and then elsewhere.
 * Everything goes to stderr, so that stdout belongs to the command that is run in the end.
 *
 * @typedef {{ progress(text: string): void, done(text?: string): void }} Step
 * @typedef {{ begin(title: string): Step, note(text: string): void }} Steps
 */

/** Between two progress lines where there is no terminal: enough to see that it lives, few enough for a log. */
const QUIET_MS = 5_000;

/**
 * @param {{ isTTY?: boolean, write(text: string): unknown }} out
 * @param {NodeJS.ProcessEnv} env
 * @param {() => number} now monotonic milliseconds
 * @returns {Steps}
 */
export function steps(out = process.stderr, env = process.env, now = () => performance.now()) {
  const live = out.isTTY === true && env.TERM !== "dumb" && env.CI === undefined;
  const dim = live && env.NO_COLOR === undefined ? (/** @type {string} */ text) => `\x1b[2m${text}\x1b[22m` : String;

  return {
    begin(title) {
      const startedAt = now();
      let saidAt = startedAt;
      out.write(live ? `${title} …` : `${title} …\n`);
      return {
        progress(text) {
          if (live) return void out.write(`\r\x1b[2K${title} … ${dim(text)}`);
          if (now() - saidAt < QUIET_MS) return;
          saidAt = now();
          out.write(`${title} … ${text}\n`);
        },
        done(text = "done") {
          const took = `${text} (${seconds(now() - startedAt)})`;
          out.write(live ? `\r\x1b[2K${title}: ${dim(took)}\n` : `${title}: ${took}\n`);
        },
      };
    },
    note(text) {
      out.write(`${text}\n`);
    },
  };
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** `megabytes(12_400_000)` is "12 MB": how far a download is. @param {number} bytes */
export function megabytes(bytes) {
  return `${Math.round(bytes / 1e6)} MB`;
}
