import { connect } from "node:net";

/** What came over one connection until the other side ended it. */
export interface Exchange {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** How the connection ended: orderly, or broken off (a TCP reset). */
  readonly end: "closed" | "reset";
}

/** Sends a request on a connection of its own and reads every byte until the other side ends it. */
export async function exchange(origin: string, path: string, method = "GET"): Promise<Exchange> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  let end: Exchange["end"] = "closed";
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => {
    end = "reset";
  });
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`);
  // Not `once`, which would reject with what is an answer here: that the connection was broken off.
  await new Promise((resolve) => socket.on("close", resolve));
  return { ...parted(Buffer.concat(chunks)), end };
}

function parted(bytes: Buffer): Omit<Exchange, "end"> {
  const headEnd = bytes.indexOf("\r\n\r\n");
  const [first = "", ...lines] = bytes.subarray(0, Math.max(0, headEnd)).toString("latin1").split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const body = headEnd < 0 ? Buffer.alloc(0) : bytes.subarray(headEnd + 4);
  return { status: Number(first.split(" ")[1] ?? 0), headers: Object.fromEntries(headers), body };
}
