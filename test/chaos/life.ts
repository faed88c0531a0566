import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Told, toldSchema } from "./told.ts";

/** One run of the player, from its start to its end. */
export interface Life {
  /** What it has told so far. */
  readonly told: readonly Told[];
  /** Resolves when it tells the like, or after a while without. */
  until(what: Told["what"], withinMs: number): Promise<Told | null>;
  /** The machine's power goes, as far as a process can tell. */
  kill(): Promise<void>;
  /** It is asked to stop. */
  stop(): Promise<number | null>;
}

export function beginLife(config: string): Life {
  const child = spawn(process.execPath, [`${import.meta.dirname}/player.ts`, config], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const told: Told[] = [];
  const listeners = new Set<(told: Told) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const entry = toldSchema.parse(JSON.parse(line));
    told.push(entry);
    for (const listener of listeners) listener(entry);
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-MOST_SAID);
  });
  const ended = endOf(child);
  return {
    told,
    until: (what, withinMs) =>
      new Promise((resolve, reject) => {
        const end = (entry: Told | null) => {
          clearTimeout(timer);
          listeners.delete(listen);
          resolve(entry);
        };
        const listen = (entry: Told) => entry.what === what && end(entry);
        const timer = setTimeout(() => end(null), withinMs);
        listeners.add(listen);
        void ended.then(() => reject(new Error(`the player ended by itself: ${said}`)));
      }),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      return (await ended) ?? null;
    },
  };
}

/** Enough of what a player said last to see why it ended. */
const MOST_SAID = 4_000;

/** The exit code, once all it told has come in. */
async function endOf(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, "close");
  return code;
}
