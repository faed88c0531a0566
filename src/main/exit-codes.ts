/** What the player tells its supervisor when it ends. */
export const EXIT = {
  /** It was asked to stop. */
  stopped: 0,
  /** Please restart it. */
  restart: 75,
  /** Please restart it; it will render in software. */
  restartInSoftware: 76,
  /** The configuration is unusable: starting it again will not help until somebody mends the file. */
  configuration: 78,
} as const;
