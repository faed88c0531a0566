import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Served {
  readonly url: string;
  /** The request targets so far, exactly as they came over the wire. */
  readonly targets: readonly string[];
}

/** A server on a free loopback port that answers as told, gone when the test is. */
export async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Served> {
  const targets: string[] = [];
  const server = createServer((request, response) => {
    targets.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets };
}

/** Answers each request with the next of these, and with the last one from then on. */
export function inTurn(...answers: ((response: ServerResponse) => void)[]) {
  let turn = 0;
  return (_: IncomingMessage, response: ServerResponse) => answers[Math.min(turn++, answers.length - 1)]?.(response);
}

/** An answer with a status, headers and a body. */
export function answer(status: number, headers: Record<string, string> = {}, body = "") {
  return (response: ServerResponse) => response.writeHead(status, headers).end(body);
}

/** The address of a loopback port at which nobody listens. */
export async function nobody(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
