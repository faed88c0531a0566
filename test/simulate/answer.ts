import type { Instant } from "../../src/core/spot.ts";
import type { SimulatedTime } from "./time.ts";

/** An answer as it is sent, which need not be what its head promises. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** How the body comes; all at once where there is nothing. */
  readonly pace?: Pace;
}

export interface Pace {
  readonly pieces: number;
  readonly everyMs: number;
  /** After so many pieces nothing comes any more, and the connection stays open. */
  readonly stallsAfter?: number;
}

/** The client's side of a connection. */
export interface Reception {
  readonly time: SimulatedTime;
  /** Raised when the client breaks the connection off. */
  readonly signal: AbortSignal;
  onPiece(): void;
  onEnd(): void;
}

/** The answer as a client has it: cut where it is longer than its head promised, broken off where it is shorter. */
export function received(sent: SentAnswer, reception: Reception): Response {
  const { status, headers } = sent;
  const body = hasBody(sent) ? bodyOf(sent, reception) : null;
  if (body === null) reception.onEnd();
  const reply = { status, headers, body };
  // What the player looks at of an answer; a whole `Response` costs ten times as much to make.
  return reply as unknown as Response;
}

function hasBody({ status, bytes, headers }: SentAnswer): boolean {
  return ![204, 304].includes(status) && (bytes.length > 0 || headers.has("content-length"));
}

function bodyOf(sent: SentAnswer, { time, signal, onPiece, onEnd }: Reception): ReadableStream<Uint8Array> {
  const promised = Number(sent.headers.get("content-length") ?? sent.bytes.length);
  const bytes = sent.bytes.subarray(0, promised);
  const { pieces = 1, everyMs = 0, stallsAfter = Number.POSITIVE_INFINITY } = sent.pace ?? {};
  const sizeBytes = Math.max(1, Math.ceil(bytes.length / pieces));
  let [at, count] = [0, 0];
  const wait = async () => {
    if (count >= stallsAfter) await reached(time, Number.POSITIVE_INFINITY, signal);
    if (count > 0 && everyMs > 0) await reached(time, time.now() + everyMs, signal);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await wait();
        signal.throwIfAborted();
        if (at >= bytes.length) {
          onEnd();
          if (bytes.length < promised) throw new TypeError("terminated");
          return controller.close();
        }
        onPiece();
        signal.throwIfAborted();
        controller.enqueue(bytes.subarray(at, at + sizeBytes));
        at += sizeBytes;
        count++;
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  );
}

/** Resolves at an instant, or rejects when the signal is raised before. */
export function reached(time: SimulatedTime, at: Instant, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const raised = () => {
      callOff();
      reject(signal.reason);
    };
    const callOff =
      at === Number.POSITIVE_INFINITY
        ? () => {}
        : time.alarm(at, () => {
            signal.removeEventListener("abort", raised);
            resolve();
          });
    signal.addEventListener("abort", raised, { once: true });
  });
}
