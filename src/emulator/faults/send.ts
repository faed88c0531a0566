import type { ServerResponse } from "node:http";
import type { Altered } from "./altered.ts";

/** Writes an answer as it stands, whatever its head promises, and then ends it or breaks the connection off. */
export async function send({ status, headers, pieces, cut }: Altered, outgoing: ServerResponse): Promise<void> {
  try {
    outgoing.writeHead(status, Object.fromEntries(headers));
    outgoing.flushHeaders();
    for await (const piece of pieces ?? []) {
      if (!(await written(outgoing, piece))) return;
    }
  } catch (error) {
    // The file cannot be read to its end. The head is out, so all that is left is to break off.
    console.error(error);
    outgoing.destroy();
    return;
  }
  if (cut) outgoing.destroy();
  else outgoing.end();
}

/** Whether the piece left; it does not when the other side has gone. */
function written(outgoing: ServerResponse, piece: Uint8Array): Promise<boolean> {
  if (outgoing.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    outgoing.once("close", gone);
    outgoing.write(piece, (error) => {
      outgoing.off("close", gone);
      resolve(error === null || error === undefined);
    });
  });
}
