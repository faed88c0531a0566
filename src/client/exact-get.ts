import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Reply } from "./reply.ts";

/**
 * The path and query of a URL exactly as written, where `fetch` would write them differently (`/a/../b`, `{id}`, a quote
 * in the query); null where it would not, and where HTTP has no way to send them as they are.
 */
export function exactTarget(url: string): string | null {
  const written = /^https?:\/\/[^/?#@\\]+([/?][^#]*)/i.exec(url)?.[1];
  if (written === undefined || !/^[!-[\]-~]+$/.test(written)) return null;
  const target = written.startsWith("?") ? `/${written}` : written;
  const { pathname, search } = new URL(url);
  return target === pathname + search ? null : target;
}

/** GETs a URL with a request target of one's own: a proof is sent byte for byte as received (F11). No redirects. */
export function exactGet(
  url: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Reply> {
  const address = new URL(url);
  const request = address.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asked = request(address, { path: target, headers, signal }, (message) => {
      const told = Object.entries(message.headers).filter(
        (entry): entry is [string, string] => !Array.isArray(entry[1]),
      );
      resolve({ status: message.statusCode ?? 0, headers: new Headers(told), body: null });
      message.destroy();
    });
    asked.on("error", reject);
    asked.end();
  });
}
