import { lookup } from "node:dns/promises";
import { isIP, isIPv6 } from "node:net";
import { type Get, within } from "../../client/http.ts";
import { type AddressScope, isLocalName } from "../../core/network/address.ts";
import type { ProxyRules } from "../../core/network/proxy-choice.ts";
import type { Instant } from "../../core/spot.ts";
import type { Config } from "../config/config.ts";
import { type Find, lookUpBeside, lookUpOthers, NAME_WITHIN_MS, rememberUnknown } from "./name-lookups.ts";
import { type OwnAddresses, scopeHere } from "./own-network.ts";

/** Where media and creatives may be loaded from, beyond the public internet. */
export interface EgressPolicy {
  readonly allowPrivateNetwork: boolean;
  /** As URLs name hosts, without ports. */
  readonly allowHosts: readonly string[];
  /** How near a host is, as far as its name or address tells. */
  scopeOf(hostname: string): AddressScope;
  /** The address scope of the service itself, which creatives may reach, too. */
  serviceScope(): Promise<AddressScope>;
}

/** The policy of a configuration; `resolve` tells the addresses of a name, `own` those of this machine. */
export function egressPolicy(
  {
    creatives,
    baseUrl,
  }: {
    readonly baseUrl: string;
    readonly creatives: Pick<Config["creatives"], "allowPrivateNetwork" | "allowHosts">;
  },
  resolve: Resolve = addressesOf,
  own?: OwnAddresses,
): EgressPolicy {
  const { hostname } = new URL(baseUrl);
  const scopeOf = (host: string) => scopeHere(host, own);
  let known: AddressScope | null = null;
  return {
    allowPrivateNetwork: creatives.allowPrivateNetwork,
    allowHosts: creatives.allowHosts.map(hostMeant),
    scopeOf,
    async serviceScope() {
      // Asked each time: a captive portal's name server has an address of its own for whatever name, for a while.
      const asked =
        known === null ? resolve(hostname) : within(NAME_WITHIN_MS, NOT_CALLED_OFF, () => resolve(hostname));
      const addresses = await asked.catch(() => null);
      const scope = [hostname, ...(addresses ?? [])].map(scopeOf).reduce(nearer);
      if (addresses === null) return known ?? scope;
      known = scope;
      return scope;
    },
  };
}

/** The host that somebody named, as URLs do: of `CMS.local`, `192.168.1.10:8080`, `fd00::10` and `http://cms.local/`. */
function hostMeant(named: string): string {
  const host = isIPv6(named) ? `[${named}]` : named;
  const url = /^https?:\/\//i.test(host) ? host : `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : named;
}

/** Whether a creative may reach the host of a URL, as far as its name tells. */
export async function mayReach(url: URL, policy: EgressPolicy): Promise<boolean> {
  return mayConnect(url.hostname, url.hostname, policy);
}

/** Whether a creative may reach an address of a host. A loopback or private one only where the service is in that scope. */
export async function mayConnect(hostname: string, address: string, policy: EgressPolicy): Promise<boolean> {
  if (policy.allowPrivateNetwork || policy.allowHosts.includes(hostname)) return true;
  const scope = policy.scopeOf(address);
  return scope === "public" || DISTANCE[scope] >= DISTANCE[await policy.serviceScope()];
}

/**
 * Whether a proxy may be asked for a creative's host. The proxy resolves the name itself, so all addresses that it has here
 * must be allowed. A name that cannot be resolved here is left to the proxy, which may be the only one to resolve names;
 * but not a local name, which no public name server can know.
 */
export async function mayAskProxy({ hostname }: URL, policy: EgressPolicy, resolve: Resolve): Promise<boolean> {
  const addresses = await resolve(hostname.replace(/^\[|\]$/g, "")).catch(() => []);
  if (addresses.length === 0 && isLocalName(hostname)) return mayConnect(hostname, SOME_PRIVATE_ADDRESS, policy);
  return holdsForAll(addresses, (address) => mayConnect(hostname, address, policy));
}

const SOME_PRIVATE_ADDRESS = "10.0.0.0";

/**
 * Whether a proof may follow a redirect. A proof's own URL comes from the service and is called wherever it is. The host
 * there may redirect to whatever creatives may reach, or to an address scope no nearer than its own: not from the internet
 * to this machine's health page or to a router. Judged by the name and all addresses that it resolves to
 * just before; one that cannot be resolved here is refused, or left to a proxy.
 */
export async function mayFollow(
  from: URL,
  to: URL,
  policy: EgressPolicy,
  resolve: Resolve = addressesOf,
): Promise<boolean> {
  const [near, far] = [await hostsOf(from, resolve), await hostsOf(to, resolve)];
  const allowed = DISTANCE[near.map(policy.scopeOf).reduce(nearer)];
  return holdsForAll(far, async (address) => {
    return DISTANCE[policy.scopeOf(address)] >= allowed || mayConnect(to.hostname, address, policy);
  });
}

/** One after the other, up to the first of which it does not hold: a name may have thousands of addresses. */
async function holdsForAll(
  addresses: readonly string[],
  judge: (address: string) => Promise<boolean>,
): Promise<boolean> {
  for (const address of addresses) if (!(await judge(address))) return false;
  return true;
}

/** The host as a URL names it, and the addresses that it has. */
async function hostsOf({ hostname }: URL, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(hostname.replace(/^\[|\]$/g, "")).catch(() => []);
  return [hostname, ...addresses];
}

/** A GET that obeys the policy at each hop, redirects included. */
export function limitedBy(policy: EgressPolicy, get: Get): Get {
  return async (url, ...rest) => {
    const target = new URL(url);
    if (!(await mayReach(target, policy))) throw new EgressDenied(target.hostname);
    return get(url, ...rest);
  };
}

/** Thrown for a creative's request that the policy forbids. */
export class EgressDenied extends Error {
  override readonly name = "EgressDenied";

  constructor(hostname: string) {
    super(`creatives may not reach ${hostname}`);
  }
}

const DISTANCE: Readonly<Record<AddressScope, number>> = { loopback: 0, private: 1, public: 2 };

function nearer(one: AddressScope, other: AddressScope): AddressScope {
  return DISTANCE[one] < DISTANCE[other] ? one : other;
}

/** Resolves a name to its addresses; rejects where there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** The addresses of a name as this machine knows them. */
const addressesOf: Resolve = addressesBy((hostname, options) => lookup(hostname, { ...options, all: true }));

/** In the place that is not for the proxy's own name. */
const addressesInTurn: Resolve = addressesBy((hostname, options) => lookUpOthers(hostname, options, NAME_WITHIN_MS));

/** By a way to look names up. An address is its own, and waits for nobody. */
function addressesBy(find: Find): Resolve {
  return async (hostname) => {
    if (isIP(hostname) !== 0) return [hostname];
    return (await find(hostname, { all: true })).map(({ address }) => address);
  };
}

/** Resolves names for requests by an uplink to a service and to all that it names. */
export function resolveBy({ http, https }: ProxyRules, serviceHost: string): Resolve {
  return http !== null || https !== null ? resolveSoon() : addressesBy(lookUpBeside(serviceHost));
}

/**
 * Resolves names where many may be unknown, as behind a proxy: waits for none of them long, and asks for no unknown one again
 * at once.
 */
export function resolveSoon(resolve: Resolve = addressesInTurn, now?: () => Instant): Resolve {
  return rememberUnknown((hostname) => within(NAME_WITHIN_MS, NOT_CALLED_OFF, () => resolve(hostname)), 0, now);
}

const NOT_CALLED_OFF = new AbortController().signal;
