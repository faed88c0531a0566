import ipaddr from "ipaddr.js";

/** Where an address points: the machine itself, a network of its own, or the public internet. */
export type AddressScope = "loopback" | "private" | "public";

/**
 * The scope of a host, by its name alone: `localhost` and address literals as `URL.hostname` writes them
 * (IPv6 in brackets or not). A name that must be resolved counts as public here; judge its addresses one by one.
 *
 * Special-purpose addresses (RFC 6890) are private, and so is IPv6 outside 2000::/3. An address that embeds one of IPv4
 * has the scope of that one where it is in common use (IPv4-mapped, NAT64), and at most the private scope where it is only
 * used by obsolete tunnels (6to4, Teredo, IPv4-compatible).
 */
export function scopeOf(hostname: string): AddressScope {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const name = host.replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return "loopback";
  if (ipaddr.IPv4.isValidFourPartDecimal(host)) return scopeOfIpv4(ipaddr.IPv4.parse(host));
  if (!host.includes(":")) return "public";
  // What cannot be read is nowhere that a creative needs to be.
  return ipaddr.IPv6.isValid(host) ? scopeOfIpv6(ipaddr.IPv6.parse(host)) : "private";
}

/** Whether a name can mean something on a network of its own only: RFC 6762, RFC 8375, and what ICANN keeps for that. */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return !/[.:]/.test(name) || /\.(local|internal|home\.arpa|lan|home|corp|intranet|private)$/.test(name);
}

/** Systems connect to themselves by the unspecified address, too. */
function scopeOfIpv4(address: ipaddr.IPv4): AddressScope {
  const range = address.range();
  if (range === "loopback" || range === "unspecified") return "loopback";
  return range === "unicast" ? "public" : "private";
}

function scopeOfIpv6(address: ipaddr.IPv6): AddressScope {
  const range = address.range();
  if (range === "loopback" || range === "unspecified") return "loopback";
  const carried = carriedBy(address);
  if (carried !== null) {
    const scope = scopeOfIpv4(carried.address);
    return scope === "public" && !carried.everyDay ? "private" : scope;
  }
  return range === "unicast" && address.match(GLOBAL_UNICAST) ? "public" : "private";
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

interface Carried {
  readonly address: ipaddr.IPv4;
  /** Whether networks of today carry it so. */
  readonly everyDay: boolean;
}

/** Where in an address of IPv6 one of IPv4 stands, by its first byte: RFC 4291, 6052, 6145 and 3056. */
const CARRIERS = [
  { prefix: ipaddr.IPv6.parseCIDR("::ffff:0:0/96"), firstByte: 12, everyDay: true },
  { prefix: ipaddr.IPv6.parseCIDR("64:ff9b::/96"), firstByte: 12, everyDay: true },
  { prefix: ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96"), firstByte: 12, everyDay: false },
  { prefix: ipaddr.IPv6.parseCIDR("::/96"), firstByte: 12, everyDay: false },
  { prefix: ipaddr.IPv6.parseCIDR("2002::/16"), firstByte: 2, everyDay: false },
] as const;

function carriedBy(address: ipaddr.IPv6): Carried | null {
  const carrier = CARRIERS.find(({ prefix }) => address.match(prefix));
  if (carrier === undefined) return null;
  const { firstByte, everyDay } = carrier;
  return { address: new ipaddr.IPv4(address.toByteArray().slice(firstByte, firstByte + 4)), everyDay };
}

/**
 * The ports that fetch refuses to connect to, because another protocol than HTTP listens there: the table of bad ports
 * in the Fetch Standard, section 2.9, "Port blocking" (https://fetch.spec.whatwg.org/#port-blocking), and 0, which no
 * connection can be made to.
 */
export const BAD_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95],
  ...[101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179],
  ...[389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636],
  ...[989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);
