import { eventually, type Running } from "./processes.ts";

/** The main process of a player that was started with `INSPECTED`. */
export interface Inside {
  /** Runs the body of an async function in it, with `electron` to hand, and resolves with what it returns as JSON. */
  ask<T>(body: string): Promise<T>;
  /** Resolves when the player's side has closed, too: a process that somebody looks into does not end. */
  close(): Promise<void>;
}

/** The argument that lets a test in; a packaged player refuses to run with it. */
export const INSPECTED = "--inspect=127.0.0.1:0";

/** To be asked for: the id of Chromium's GPU process, undefined while there is none. */
export const GPU_PID = 'electron.app.getAppMetrics().find(({ type }) => type === "GPU")?.pid';

/** Connects to a player's main process by Node's inspector. */
export async function lookInside(player: Running): Promise<Inside> {
  const line = () => player.stderr.map((one) => /Debugger listening on (ws:\S+)/.exec(one)?.[1]).find(Boolean);
  const address = await eventually("the inspector", line);
  // Before that a question could come amid Electron's own beginnings, and spoil them.
  await eventually(
    "the player's start",
    () => player.stderr.some((one) => one.includes("player started")) || undefined,
  );
  const socket = new WebSocket(address);
  const waiting = new Map<number, (answer: Answer) => void>();
  let calls = 0;
  socket.onmessage = ({ data }) => {
    const { id, ...answer } = JSON.parse(String(data)) as Answer & { readonly id?: number };
    if (id !== undefined) waiting.get(id)?.(answer);
  };
  const closed = new Promise<void>((resolve) => {
    socket.onclose = () => resolve();
  });
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  return {
    async ask<T>(body: string) {
      // Kept: what nobody refers to may be collected before it is answered.
      const expression = `globalThis.asked = (async () => { ${ELECTRON}; ${body} })()`;
      const params = { expression, awaitPromise: true, returnByValue: true };
      const id = ++calls;
      const answer = await new Promise<Answer>((resolve) => {
        waiting.set(id, resolve);
        socket.send(JSON.stringify({ id, method: "Runtime.evaluate", params }));
      });
      waiting.delete(id);
      const { result, error } = answer;
      if (result === undefined) throw new Error(error?.message ?? "no answer");
      if (result.exceptionDetails) throw new Error(result.exceptionDetails.exception?.description ?? "it threw");
      return result.result.value as T;
    },
    close() {
      socket.close();
      return closed;
    },
  };
}

/**
 * Has all clips of a player stand still, as where a decoder hangs; those that are cued do so anyway. Nothing is waited for:
 * a page that goes meanwhile never answers.
 */
export async function stallClips({ ask }: Inside): Promise<void> {
  await ask(`for (const one of electron.webContents.getAllWebContents())
    if (one.getURL().includes("media.html")) void one.executeJavaScript('document.querySelector("video")?.pause()')`);
}

/** What the inspector's protocol has for `Runtime.evaluate`. */
interface Answer {
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly result: { readonly value?: unknown };
    readonly exceptionDetails?: { readonly exception?: { readonly description?: string } };
  };
}

const ELECTRON = 'const electron = process.getBuiltinModule("node:module").createRequire(process.execPath)("electron")';
