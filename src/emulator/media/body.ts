import type { Readable } from "node:stream";

/**
 * Streams a piece of a file, reading on only as the other side takes it, and tells `sent` of every chunk handed on. The
 * file is closed when the other side goes away.
 */
export function bodyOf(file: Readable, sent: (bytes: number) => void): ReadableStream<Uint8Array> {
  const chunks = file[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) return controller.close();
        sent(value.length);
        controller.enqueue(value);
      },
      cancel: () => void file.destroy(),
    },
    // No chunk ahead of the one that is being taken: what counts as sent has left.
    { highWaterMark: 0 },
  );
}
