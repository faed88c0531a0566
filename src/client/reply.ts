/** The parts of an HTTP answer that are looked at; a `Response` is one. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
}

/** One GET without following redirects; rejects when there is no answer. */
export type Get = (url: string, signal: AbortSignal, headers?: Readonly<Record<string, string>>) => Promise<Reply>;

/** A body that nobody needs is read so far, to leave its connection usable; beyond it the connection is given up. */
const DISCARD_BYTES = 64 * 1024;
const DISCARD_MS = 500;

/** Reads a body as UTF-8 text, or gives up and returns null once it is longer than `limitBytes`. */
export async function readText(reply: Reply, limitBytes: number): Promise<string | null> {
  if (reply.body === null) return "";
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const reader = reply.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new TextDecoder().decode(Buffer.concat(chunks));
    sizeBytes += value.byteLength;
    if (sizeBytes > limitBytes) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
}

/** Gets rid of a body whose status said all (A2). Never rejects: however the body ends, the status stands. */
export async function discard(reply: Reply): Promise<void> {
  if (reply.body === null) return;
  const reader = reply.body.getReader();
  const giveUp = () => reader.cancel().catch(() => undefined);
  const timer = setTimeout(giveUp, DISCARD_MS);
  try {
    for (let leftBytes = DISCARD_BYTES; leftBytes > 0; ) {
      const { done, value } = await reader.read();
      if (done) return;
      leftBytes -= value.byteLength;
    }
    await giveUp();
  } catch {
    return;
  } finally {
    clearTimeout(timer);
  }
}
