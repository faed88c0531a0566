/** Resolves when the user or the system asks the process to stop (SIGINT, SIGTERM). */
export function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of SIGNALS) process.off(signal, stop);
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
  });
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
