/**
 * A setup step that cannot go on: which one, why, and what to do about it. Shown without a stack trace, exit code 1.
 * Plain JavaScript, because it is needed before Node 24 is there.
 */
export class Stop extends Error {
  /**
   * @param {string} step what was being done, as the step called itself
   * @param {string} why one sentence, or the last lines of the tool that failed
   * @param {string} remedy what the person at the keyboard can do
   */
  constructor(step, why, remedy) {
    super(`${step} did not work.\n  Why: ${indent(why)}\n  What to do: ${indent(remedy)}`);
    this.name = "Stop";
  }
}

/** @param {string} text */
function indent(text) {
  return text.trim().replaceAll("\n", "\n    ");
}
