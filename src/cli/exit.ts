/**
 * What the process ends with: asked to stop or done, something went wrong, and from sysexits: a command line that makes
 * no sense, input that breaks a rule, a service that cannot be reached or is busy, a token that is not accepted, a
 * configuration that cannot be used.
 */
export const exitCodes = {
  stopped: 0,
  failed: 1,
  usage: 64,
  data: 65,
  unavailable: 69,
  permission: 77,
  configuration: 78,
} as const;

/** Ends a command with a message for the user, which goes to stderr as it is; an empty one has been told. */
export class CommandFailure extends Error {
  override name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
