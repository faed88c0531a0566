import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";

/** Root's shell in a virtual PC, which comes up with each boot and asks for no password. */
export interface Shell {
  /** Runs a command and answers with what it wrote; throws where it fails, or is not done within the time. */
  run(command: string, withinMs: number): Promise<string>;
  /** Has a command run whose end nobody hears of: a reboot. */
  tell(command: string): void;
}

/** Enough for what a command here writes; what is older is forgotten. */
const MOST_SAID = 256 * 1024;

/** A shell that reads commands off a socket and writes to it whatever they write; a marker tells where each ends. */
export function openShell(socket: Socket): Shell {
  let said = "";
  socket.on("error", () => {});
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    said = (said + chunk).slice(-MOST_SAID);
  });
  return {
    async run(command, withinMs) {
      const marker = randomUUID();
      const signal = AbortSignal.timeout(withinMs);
      // The marker is not in what is sent as it is in the answer: whatever repeats its input does not end the wait.
      socket.write(`( ${command}\n) </dev/null 2>&1; echo ${marker}" $?"\n`);
      for (;;) {
        const answer = answerIn(said, marker);
        if (answer === null) {
          await data(socket, signal, command);
          continue;
        }
        said = "";
        if (answer.code !== 0) throw new Error(`${command} ended with ${answer.code}: ${answer.text}`);
        return answer.text;
      }
    },
    tell: (command) => void socket.write(`${command}\n`),
  };
}

/** What a command wrote before its marker, and its exit code; null as long as the marker has not come. */
export function answerIn(said: string, marker: string): { readonly text: string; readonly code: number } | null {
  const at = said.indexOf(`${marker} `);
  const end = said.indexOf("\n", at);
  if (at === -1 || end === -1) return null;
  return { text: said.slice(0, at).trim(), code: Number(said.slice(at + marker.length + 1, end)) };
}

async function data(socket: Socket, signal: AbortSignal, command: string): Promise<void> {
  if (socket.destroyed) throw new Error(`the virtual PC is off, and ${command} was not done`);
  const gone = new AbortController();
  const close = () => gone.abort(new Error("closed"));
  socket.once("close", close);
  try {
    await once(socket, "data", { signal: AbortSignal.any([signal, gone.signal]) });
  } catch {
    throw new Error(`${command} was not done ${signal.aborted ? "in time" : "when the virtual PC went off"}`);
  } finally {
    socket.off("close", close);
  }
}
