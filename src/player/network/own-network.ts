import { createSocket } from "node:dgram";
import type { LookupAddress } from "node:dns";
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

/** A name may have thousands of addresses, and the system takes as long to tell its own as many of them take to be judged. */
const TOLD_FOR_MS = 1_000;
let told = { addresses: [] as ReturnType<OwnAddresses>, endAt: Number.NEGATIVE_INFINITY };

const ownAddresses: OwnAddresses = () => {
  const now = performance.now();
  if (now >= told.endAt) told = { addresses: addressesNow(), endAt: now + TOLD_FOR_MS };
  return told.addresses;
};

/** None where the system does not tell them, as in some sandboxes. */
function addressesNow(): ReturnType<OwnAddresses> {
  try {
    return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  } catch {
    return [];
  }
}

/**
 * The addresses of a host to which there is a way from here, or all where there is to none. The runtime gives each but the last one
 * so little time that over a slow line none is left, and the last one is as a rule of IPv6, which many sites do not have.
 */
export async function withinReach(
  addresses: readonly LookupAddress[],
  hasWay: HasWay = hasWayTo,
): Promise<readonly LookupAddress[]> {
  if (new Set(addresses.map(({ family }) => family)).size < 2) return addresses;
  const ways = await Promise.all(addresses.map(hasWay));
  return ways.includes(true) ? addresses.filter((_, index) => ways[index]) : addresses;
}

export type HasWay = (address: LookupAddress) => Promise<boolean>;

/** Nothing is sent: the system looks for the way of datagrams when a socket for them is connected. */
const hasWayTo: HasWay = ({ address, family }) => {
  const socket = createSocket(family === 6 ? "udp6" : "udp4");
  return new Promise<boolean>((resolve) => {
    socket.once("error", () => resolve(false)).once("connect", () => resolve(true));
    socket.connect(DISCARD_PORT, address);
  }).finally(() => socket.close());
};

/** What is sent there is thrown away (RFC 863), were anything. */
const DISCARD_PORT = 9;
