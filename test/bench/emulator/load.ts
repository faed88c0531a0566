import { connection } from "./connection.ts";

/** Enough that the server always has something to do. */
const CONNECTIONS = 32;

/** Asks for a path as fast as it is answered, so many times in all, and returns the answers in a second. */
export async function load(origin: string, path: string, count: number, signal: AbortSignal): Promise<number> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => connection(origin)));
  let left = count;
  const startedAt = performance.now();
  const ask = async ({ get }: (typeof connections)[number]) => {
    while (left > 0) {
      left -= 1;
      const { status } = await get(path);
      if (status !== 200) throw new Error(`${origin}${path} was answered ${status}`);
      signal.throwIfAborted();
    }
  };
  // On a virtual machine it costs the server more to wake this process up than to answer it, so it never sleeps.
  let awake = true;
  const spin = () => void (awake && setImmediate(spin));
  spin();
  try {
    await Promise.all(connections.map(ask));
  } finally {
    awake = false;
    for (const one of connections) one.close();
  }
  return (count * 1000) / (performance.now() - startedAt);
}
