import { lookup } from "node:dns/promises";
import type { Get } from "../../client/reply.ts";
import { type Reach, reachOf } from "../../core/address.ts";
import type { Config } from "../config/config.ts";

/** Where media and creatives may be loaded from, beyond the public internet. */
export interface ReachPolicy {
  readonly allowPrivateNetwork: boolean;
  /** Host names, without ports. */
  readonly allowHosts: readonly string[];
  /** How near the service itself lives: creatives may reach as far as that. */
  serviceReach(): Promise<Reach>;
}

/** The policy of a configuration; `resolve` tells the addresses of a name. */
export function reachPolicy(
  {
    creatives,
    baseUrl,
  }: {
    readonly baseUrl: string;
    readonly creatives: Pick<Config["creatives"], "allowPrivateNetwork" | "allowHosts">;
  },
  resolve: (hostname: string) => Promise<readonly string[]> = addressesOf,
): ReachPolicy {
  const { hostname } = new URL(baseUrl);
  let known: Reach | null = null;
  return {
    ...creatives,
    async serviceReach() {
      if (known !== null) return known;
      const addresses = await resolve(hostname).catch(() => null);
      const reach = [hostname, ...(addresses ?? [])].map(reachOf).reduce(nearer);
      // While its name cannot be resolved nothing is known for good.
      if (addresses !== null) known = reach;
      return reach;
    },
  };
}

/** Whether a creative may reach the host of a URL, as far as its name tells. */
export async function mayReach(url: URL, policy: ReachPolicy): Promise<boolean> {
  return mayConnect(url.hostname, url.hostname, policy);
}

/** Whether a creative may reach an address that a host has; what loops back or is private only as far as the service is. */
export async function mayConnect(hostname: string, address: string, policy: ReachPolicy): Promise<boolean> {
  if (policy.allowPrivateNetwork || policy.allowHosts.includes(hostname)) return true;
  const reach = reachOf(address);
  return reach === "public" || DISTANCE[reach] >= DISTANCE[await policy.serviceReach()];
}

/** A GET that never leaves the policy: followed hop by hop, each redirect is judged too. */
export function confinedTo(policy: ReachPolicy, get: Get): Get {
  return async (url, signal, headers) => {
    const target = new URL(url);
    if (!(await mayReach(target, policy))) throw new Error(`creatives may not reach ${target.hostname}`);
    return get(url, signal, headers);
  };
}

const DISTANCE: Readonly<Record<Reach, number>> = { loopback: 0, private: 1, public: 2 };

function nearer(one: Reach, other: Reach): Reach {
  return DISTANCE[one] < DISTANCE[other] ? one : other;
}

async function addressesOf(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
