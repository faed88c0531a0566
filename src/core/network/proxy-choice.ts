import ipaddr from "ipaddr.js";
import { scopeOf } from "./address.ts";

/** A proxy that takes HTTP requests for others. */
export interface HttpProxy {
  /** Without user and password. */
  readonly url: string;
  /** What it is told of who asks (`Proxy-Authorization`), or null. A secret. */
  readonly authorization: string | null;
}

/** Which requests go through which proxy. */
export interface ProxyRules {
  /** For `http:` and `https:` URLs; null: directly. */
  readonly http: HttpProxy | null;
  readonly https: HttpProxy | null;
  /** Hosts that are asked directly, as `NO_PROXY` names them. */
  readonly bypass: string;
}

/** Where a request goes, as a parsed URL names it. */
interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

/**
 * The proxy that a request goes through, or null where it goes directly. This machine itself is never asked through a
 * proxy: its loopback address would mean another machine there.
 *
 * `bypass` names hosts, with all below them, by commas or spaces: `example.com`, `.example.com`, `*.example.com`; with a
 * port, `example.com:8443`; addresses and networks, `10.0.0.0/8`; `*` for all.
 */
export function proxyFor(url: Target, { http, https, bypass }: ProxyRules): HttpProxy | null {
  const proxy = url.protocol === "https:" ? https : http;
  if (proxy === null || scopeOf(url.hostname) === "loopback") return null;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const entries = bypass.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => isMeant(entry, bare(url.hostname), port)) ? null : proxy;
}

function isMeant(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, name = "", ofPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [null, entry];
  if (name === "" || (ofPort !== undefined && ofPort !== port)) return false;
  if (ipaddr.isValid(host)) return isWithin(ipaddr.parse(host), bare(name));
  const domain = name.replace(/^\*?\./, "");
  return host === domain || host.endsWith(`.${domain}`);
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  if (ipaddr.isValid(network)) return ipaddr.parse(network).toString() === address.toString();
  if (!ipaddr.isValidCIDR(network)) return false;
  const [base, bits] = ipaddr.parseCIDR(network);
  return base.kind() === address.kind() && address.match(base, bits);
}

/** Without the brackets of IPv6 and the dot that ends a full name. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}
