import { isIP } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { type AddressScope, scopeOf } from "../../core/network/address.ts";

/** The addresses of this machine, as the system tells them. */
export type OwnAddresses = () => readonly Pick<NetworkInterfaceInfo, "address">[];

/** A site's network of IPv6 is as large at least (RFC 4291, 2.5.4); an address that stands alone is in one, too. */
const NETWORK_BITS = 64;

/**
 * The scope of a host as `scopeOf` tells it, but for what is only called public: this machine by its own public address, and
 * with IPv6, where no site needs others, its neighbours. Those are as near as private ones.
 */
export function scopeHere(hostname: string, own: OwnAddresses = ownAddresses): AddressScope {
  const scope = scopeOf(hostname);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (scope !== "public" || isIP(host) === 0) return scope;
  const address = ipaddr.process(host);
  return own().some((one) => isNear(address, ipaddr.process(one.address))) ? "private" : scope;
}

function isNear(address: ipaddr.IPv4 | ipaddr.IPv6, own: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address instanceof ipaddr.IPv6 && own instanceof ipaddr.IPv6) return address.match(own, NETWORK_BITS);
  return address.toString() === own.toString();
}

/** None where the system does not tell them, as in some sandboxes. */
const ownAddresses: OwnAddresses = () => {
  try {
    return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  } catch {
    return [];
  }
};
