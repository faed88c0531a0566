import { connect, type Socket } from "node:net";

/** An answer, as far as a bench looks at it. `ms`: from writing the request to having read all of it. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

/** A connection that is kept, for one request after the other. */
export interface Connection {
  /** Asks with GET for a path as it is, once the one before has been answered. */
  get(path: string): Promise<Answer>;
  close(): void;
}

/**
 * Connects to an origin. Not `fetch`, which takes several times the processor that answering takes, so that it would be
 * measured and not the server. Understands what the servers of the bench send: bodies with a `Content-Length`.
 */
export async function connection(origin: string): Promise<Connection> {
  const { hostname, port, host } = new URL(origin);
  const socket = await connected(hostname, Number(port));
  let waiting: { readonly answered: (answer: Answer) => void; readonly failed: (error: Error) => void } | null = null;
  let startedAt = 0;
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
    const read = answerIn(received);
    if (read === null) return;
    received = received.slice(read.length);
    const asked = waiting;
    waiting = null;
    asked?.answered({ status: read.status, body: read.body, ms: performance.now() - startedAt });
  });
  const lost = (error: Error = new Error(`${origin} ended the connection`)) => waiting?.failed(error);
  socket.on("error", lost);
  socket.on("close", () => lost());
  return {
    get: (path) =>
      new Promise((answered, failed) => {
        waiting = { answered, failed };
        startedAt = performance.now();
        socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      }),
    close: () => socket.destroy(),
  };
}

function connected(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    socket.setEncoding("latin1");
    socket.once("error", reject);
  });
}

/** The answer at the beginning of what was received, when it is there as a whole. */
function answerIn(received: string): { status: number; body: string; length: number } | null {
  const head = received.indexOf("\r\n\r\n");
  if (head === -1) return null;
  const sizeBytes = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, head))?.[1] ?? Number.NaN);
  if (Number.isNaN(sizeBytes)) throw new Error(`an answer without a length: ${received.slice(0, head)}`);
  const length = head + 4 + sizeBytes;
  if (received.length < length) return null;
  return { status: Number(received.slice(9, 12)), body: received.slice(head + 4, length), length };
}
