/** Where an address points: the machine itself, a network of its own, or the public internet. */
export type Reach = "loopback" | "private" | "public";

type Octets = readonly [number, number, number, number];

/**
 * How far a host reaches, told from its name alone: `localhost` and address literals as `URL.hostname` writes them
 * (IPv6 in brackets or not). A name that must be resolved counts as public here; judge its addresses one by one.
 */
export function reachOf(hostname: string): Reach {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  if (host.includes(":")) return reachOfIpv6(host);
  const octets = octetsOf(host);
  return octets === null ? "public" : reachOfIpv4(octets);
}

/** IPv4 special-purpose registry (RFC 6890 and its successors): whatever is not globally reachable is private. */
function reachOfIpv4([a, b, c]: Octets): Reach {
  if (a === 127) return "loopback";
  const special =
    a === 0 ||
    a === 10 ||
    (a === 100 && b >= 64 && b <= 127) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    (a === 192 && b === 0 && (c === 0 || c === 2)) ||
    (a === 198 && (b === 18 || b === 19)) ||
    (a === 198 && b === 51 && c === 100) ||
    (a === 203 && b === 0 && c === 113) ||
    a >= 224;
  return special ? "private" : "public";
}

function reachOfIpv6(host: string): Reach {
  if (host === "::1") return "loopback";
  const mapped = mappedIpv4(host);
  if (mapped !== null) return reachOfIpv4(mapped);
  const first = Number.parseInt(host.split(":", 1)[0] || "0", 16);
  // Global unicast is 2000::/3; documentation, unique local, link-local, multicast and the rest are not for creatives.
  return first >= 0x2000 && first <= 0x3fff && !host.startsWith("2001:db8:") ? "public" : "private";
}

/** The IPv4 address inside `::ffff:1.2.3.4`, which URL parsers write as `::ffff:102:304`. */
function mappedIpv4(host: string): Octets | null {
  const tail = /^::ffff:(.+)$/.exec(host)?.[1];
  if (tail === undefined) return null;
  const dotted = octetsOf(tail);
  if (dotted !== null) return dotted;
  const words = tail.split(":").map((word) => Number.parseInt(word, 16));
  const [high, low] = words;
  if (words.length !== 2 || high === undefined || low === undefined) return null;
  return [high >> 8, high & 255, low >> 8, low & 255];
}

function octetsOf(host: string): Octets | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host);
  if (parts === null) return null;
  return [Number(parts[1]), Number(parts[2]), Number(parts[3]), Number(parts[4])];
}
