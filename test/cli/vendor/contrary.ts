import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Emulator } from "../../../src/emulator/main.ts";

export interface Said {
  readonly status: number;
  /** Parsed JSON. */
  readonly body: unknown;
  readonly retryAfter: string | null;
}

/** How a service says the same otherwise; a text is sent as HTML, undefined is no body at all. */
export type Otherwise = (said: Said, request: { readonly method: string; readonly path: string }) => Partial<Said>;

/** A service that does what an emulator does and answers otherwise, gone when the test is. */
export async function contrary(emulator: Emulator, otherwise: Otherwise) {
  const server = createServer((request, response) => void pass(emulator, otherwise, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, orgToken: emulator.orgToken };
}

async function pass({ baseUrl }: Emulator, otherwise: Otherwise, request: IncomingMessage, response: ServerResponse) {
  const { method = "GET", url = "/", headers } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const sent =
    method === "POST"
      ? { body: Buffer.concat(chunks), headers: { "content-type": headers["content-type"] ?? "" } }
      : {};
  const reply = await fetch(baseUrl + url, { method, ...sent });
  const said = { status: reply.status, body: await reply.json(), retryAfter: reply.headers.get("retry-after") };
  const { status, body, retryAfter } = { ...said, ...otherwise(said, { method, path: url }) };
  const waits = retryAfter === null ? {} : { "retry-after": retryAfter };
  const type = { "content-type": typeof body === "string" ? "text/html" : "application/json" };
  response.writeHead(status, { ...type, ...waits });
  response.end(
    status === 204 || body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
  );
}

/** JSON without its members that are null, on every level. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}

/** JSON with a member in every object that nobody knows. */
export function withStrangers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withStrangers);
  if (typeof value !== "object" || value === null) return value;
  const known = Object.entries(value).map(([name, member]) => [name, withStrangers(member)]);
  return { ...Object.fromEntries(known), _links: { self: "x" }, version: 3 };
}
