/** What the process ends with: asked to stop, something went wrong, a configuration that cannot be used. */
export const exitCodes = { stopped: 0, failed: 1, configuration: 78 } as const;

/** Ends a command with a message for the user, which goes to stderr as it is; an empty one has been told. */
export class CommandFailure extends Error {
  override name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
