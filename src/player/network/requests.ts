import { exactGet } from "../../client/http.ts";
import type { Uplink } from "../config/uplink.ts";
import type { Requests } from "./routed-requests.ts";

/** Requests by an uplink. What it takes for proxies and certificates is loaded with the first of them, if ever. */
export function requestsBy(uplink: Uplink): Requests {
  if (isPlain(uplink)) return { fetch: globalThis.fetch, exactGet };
  let opening: Promise<Requests> | null = null;
  const open = () => {
    opening ??= openRequests(uplink);
    return opening;
  };
  return {
    fetch: async (...request) => (await open()).fetch(...request),
    exactGet: async (...request) => (await open()).exactGet(...request),
  };
}

async function openRequests(uplink: Uplink): Promise<Requests> {
  const { routesBy, routedRequests } = await import("./routed-requests.ts");
  return routedRequests(routesBy(uplink));
}

function isPlain({ http, https, certificates }: Uplink): boolean {
  return http === null && https === null && certificates.length === 0;
}
