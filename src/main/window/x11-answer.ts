import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { localDisplay, socketOf } from "../../player/display.ts";
import { authorityFor } from "./x11-connection.ts";
import { setupLength, setupRequest } from "./x11-protocol.ts";

/** As long as the unit waits for a display before it starts the player. */
const ANSWERS_WITHIN_MS = 60_000;
/** A server that is being started, or does not let this user in yet, is asked again. */
const AGAIN_MS = 500;

/**
 * Whether this machine's X server lets clients in, as soon as it does, or after a minute in which it did not. Chromium ends
 * the process where it does not, which would look like a crash. Another machine's display, and Wayland, are not waited for.
 */
export async function displayAnswers(
  env: Readonly<Record<string, string | undefined>>,
  withinMs = ANSWERS_WITHIN_MS,
): Promise<boolean> {
  const display = localDisplay(env.DISPLAY ?? "");
  if (process.platform !== "linux" || env.WAYLAND_DISPLAY || typeof display !== "number") return true;
  const until = performance.now() + withinMs;
  for (;;) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    // A socket lies in a folder or, abstract, nowhere but in the kernel.
    for (const path of [socketOf(display), `\0${socketOf(display)}`]) {
      if (await letsIn(path, setupRequest(authorityFor(display, env)), leftMs)) return true;
    }
    await sleep(Math.min(AGAIN_MS, leftMs));
  }
}

/** Asks once, and waits for the answer for so long. */
function letsIn(path: string, request: Buffer, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect(path, () => socket.write(request));
    const end = (isIn: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isIn);
    };
    const timer = setTimeout(end, withinMs, false);
    socket.on("error", () => end(false));
    socket.on("close", () => end(false));
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const sizeBytes = setupLength(received);
      if (sizeBytes !== "awaited") end(sizeBytes !== "refused");
    });
  });
}
