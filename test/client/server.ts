import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Certificates } from "../support/site/certificates.ts";

export interface Served {
  readonly url: string;
  /** The request targets so far, exactly as they came over the wire. */
  readonly targets: readonly string[];
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on a free loopback port that answers as told, gone when the test is. */
export function serve(answer: Answer): Promise<Served> {
  return served(createServer, "http://127.0.0.1", answer);
}

/** The same by TLS, for a certificate in the name of `localhost`. */
export function serveByTls({ server, key }: Pick<Certificates, "server" | "key">, answer: Answer): Promise<Served> {
  const shown = { cert: readFileSync(server), key: readFileSync(key) };
  return served((hear) => createSecureServer(shown, hear), "https://localhost", answer);
}

async function served(open: (hear: Answer) => Server | SecureServer, origin: string, answer: Answer): Promise<Served> {
  const targets: string[] = [];
  const server = open((request, response) => {
    targets.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `${origin}:${(server.address() as AddressInfo).port}`, targets };
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
