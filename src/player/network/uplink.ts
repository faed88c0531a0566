import { X509Certificate } from "node:crypto";
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import { type ExactGet, exactGet } from "../../client/http.ts";
import { refusingProxies } from "../../client/reply.ts";
import type { HttpProxy, ProxyRules } from "../../core/network/proxy-choice.ts";
import { type Environment, overlaid, overridesFrom, textAt, valueAt } from "../config/environment.ts";
import { readableByOthers } from "../config/file.ts";
import type { ConfigProblem } from "../config/problems.ts";
import { readTextFile } from "../small-file.ts";
import { lookUpBeside, lookupBy } from "./name-lookups.ts";
import { heedingMachine } from "./trust.ts";

/** How requests leave this machine: through which proxies, and which certificates are trusted on the way. */
export interface Uplink extends ProxyRules {
  /** Where the proxies were named, for people, or null where there is none: `network.proxy`, `HTTPS_PROXY`. */
  readonly namedBy: string | null;
  /** Certificates in PEM that are trusted beside the usual ones: the runtime's, and this machine's own. */
  readonly certificates: readonly string[];
}

/** Requests go straight out, and the usual certificates are trusted. */
export const DIRECT: Uplink = { http: null, https: null, bypass: "", namedBy: null, certificates: [] };

/** An uplink, and what is wrong or unwise about how it is described. No secret is in any of the words. */
export interface UplinkReading {
  readonly uplink: Uplink;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
  /** Files that were read for it. */
  readonly files: readonly string[];
}

/** What of an uplink must never be written anywhere: passwords, as they are and as they are sent. */
export function secretsOf({ http, https }: ProxyRules): readonly string[] {
  return [http, https].flatMap((proxy) => {
    const sent = proxy?.authorization?.slice(BASIC.length) ?? "";
    const password = Buffer.from(sent, "base64").toString().split(":").slice(1).join(":");
    return [sent, password].filter((secret) => secret !== "");
  });
}

/**
 * Reads the uplink from a configuration as it is written and from the environment. `network.proxy` stands above
 * `HTTPS_PROXY` and `HTTP_PROXY` (or the same in lower case); `NO_PROXY` holds for either.
 */
export function readUplink(written: unknown, env: Environment, platform: NodeJS.Platform): UplinkReading {
  const reading: Draft = { problems: [], warnings: [], files: [] };
  const named = proxiesNamed(written, env, reading);
  const authorization = authorizationIn(textAt(written, "network.proxyAuthFile"), reading, platform);
  if (authorization !== null && named.http === null && named.https === null) {
    reading.warnings.push("network.proxyAuthFile is of no use: no proxy is named");
  }
  if (env[TRUST_ANYBODY] === "0") {
    reading.warnings.push(`${TRUST_ANYBODY} is not heeded: network.caFile says whom to trust beside the usual ones`);
  }
  const authorized = (proxy: HttpProxy | null) => proxy && { ...proxy, ...(authorization && { authorization }) };
  const uplink = {
    http: authorized(named.http),
    https: authorized(named.https),
    namedBy: named.by,
    bypass: env.no_proxy || env.NO_PROXY || "",
    certificates: certificatesIn(textAt(written, "network.caFile"), reading),
  };
  return { uplink, ...reading };
}

/** The uplink as the environment alone describes it, for what has no configuration. */
export function uplinkIn(env: Environment): Uplink {
  return readUplink(overlaid({}, overridesFrom(env), "."), env, process.platform).uplink;
}

interface Draft {
  readonly problems: ConfigProblem[];
  readonly warnings: string[];
  readonly files: string[];
}

interface Named {
  readonly http: HttpProxy | null;
  readonly https: HttpProxy | null;
  readonly by: string | null;
}

function proxiesNamed(written: unknown, env: Environment, { warnings }: Draft): Named {
  const configured = valueAt(written, "network.proxy");
  if (typeof configured === "string") {
    // What is no address is the schema's to complain of.
    const proxy = URL.canParse(configured) ? { url: configured, authorization: null } : null;
    return { http: proxy, https: proxy, by: "network.proxy" };
  }
  if (configured === null) return { http: null, https: null, by: null };
  const variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"].filter((name) => env[name]);
  const read = (name: string | undefined) => {
    const proxy = name === undefined ? null : proxyIn(env[name] ?? "");
    if (name !== undefined && proxy === null)
      warnings.push(`${name} is not the address of an http proxy: it is not used`);
    return proxy;
  };
  const https = variables.find((name) => name.toLowerCase() === "https_proxy");
  const http = variables.find((name) => name.toLowerCase() === "http_proxy");
  const named = { http: read(http), https: read(https) };
  const used = [...(named.https ? [https] : []), ...(named.http ? [http] : [])];
  return { ...named, by: used.join(" and ") || null };
}

/** A proxy as variables name it: `http://user:password@proxy.example:3128`, or without scheme, user and password. */
function proxyIn(text: string): HttpProxy | null {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const user = decoded(url.username);
  const authorization = user === "" ? null : basic(`${user}:${decoded(url.password)}`);
  return { url: url.origin, authorization };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const BASIC = "Basic ";

/** RFC 7617; in UTF-8, as proxies of today expect it. */
function basic(userAndPassword: string): string {
  return BASIC + Buffer.from(userAndPassword).toString("base64");
}

function authorizationIn(file: string | null, draft: Draft, platform: NodeJS.Platform): string | null {
  const text = file === null ? null : contentOf(file, "network.proxyAuthFile", draft)?.replace(/\r?\n$/, "");
  if (file === null || text === null || text === undefined) return null;
  if (readableByOthers(file, platform)) {
    draft.warnings.push(`${file} holds the proxy's password and can be read by others: chmod 600 ${file}`);
  }
  if (/^[^:\p{Cc}]+:\P{Cc}*$/u.test(text)) return basic(text);
  draft.problems.push({
    path: "network.proxyAuthFile",
    message: `names ${file}, which is not one line of user:password`,
  });
  return null;
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function certificatesIn(file: string | null, draft: Draft): readonly string[] {
  const text = file === null ? null : contentOf(file, "network.caFile", draft);
  if (text === null) return [];
  const certificates = text.match(PEM) ?? [];
  const flaw = certificates.length === 0 ? "holds no certificate in PEM" : flawIn(certificates);
  if (flaw === null) return certificates;
  draft.problems.push({ path: "network.caFile", message: `names ${file}, which ${flaw}` });
  return [];
}

function flawIn(certificates: readonly string[]): string | null {
  const broken = certificates.findIndex((pem) => !isCertificate(pem));
  return broken === -1 ? null : `holds a certificate that cannot be read: number ${broken + 1}`;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== "";
  } catch {
    return false;
  }
}

/** Larger than all the authorities of the world together. */
const LARGEST_FILE_BYTES = 4 * 1024 * 1024;

function contentOf(file: string, setting: string, { problems, files }: Draft): string | null {
  files.push(file);
  const reading = readTextFile(file, LARGEST_FILE_BYTES);
  if (reading.kind === "text") return reading.text;
  problems.push({ path: setting, message: `names ${file}, which ${reading.why}` });
  return null;
}

/** The ways in which requests are sent. */
export interface Requests {
  readonly fetch: typeof globalThis.fetch;
  /** For URLs that `fetch` would write otherwise. */
  readonly exactGet: ExactGet;
}

/**
 * How long one address of several is tried before the next. The runtime gives up an address after a quarter of a second:
 * over a satellite, or where a first packet is lost, that is every one. A lost packet is sent again after a second.
 */
const ADDRESS_WITHIN_MS = 2_000;

/** The variable by which the runtime would believe whatever certificate it is shown, by all that the token is sent to. */
const TRUST_ANYBODY = "NODE_TLS_REJECT_UNAUTHORIZED";

/**
 * Requests by an uplink. From now on this process tries each address of a host for `ADDRESS_WITHIN_MS`, and checks
 * certificates, whatever connects to it. Where `serviceHost` is told, its name is looked up apart from all others, which may
 * be many and nobody's. What that takes, or proxies and certificates, is loaded with the first request that needs it.
 */
export function requestsBy(uplink: Uplink, serviceHost: string | null = null): Requests {
  setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_WITHIN_MS);
  delete process.env[TRUST_ANYBODY];
  const isDirect = isPlain(uplink);
  const fetchPlainly = refusingProxies(globalThis.fetch);
  const getPlainly = heedingMachine(refusingProxies(exactGet));
  if (serviceHost === null && isDirect) return { fetch: heedingMachine(fetchPlainly), exactGet: getPlainly };
  let opening: Promise<Requests> | null = null;
  const open = () => {
    opening ??= openRequests(uplink, serviceHost);
    return opening;
  };
  // The screen waits for the first spot of a run: it is asked for without what takes a while to load.
  let isFirst = isDirect;
  const ask: typeof globalThis.fetch = async (...request) => {
    const goesAtOnce = isFirst && new URL(String(request[0])).hostname === serviceHost;
    if (!goesAtOnce) return (await open()).fetch(...request);
    isFirst = false;
    return fetchPlainly(...request);
  };
  return {
    fetch: heedingMachine(ask),
    exactGet: heedingMachine(async (...request) => (await open()).exactGet(...request)),
  };
}

async function openRequests(uplink: Uplink, serviceHost: string | null): Promise<Requests> {
  const { routesBy, routedRequests } = await import("./routed-requests.ts");
  return routedRequests(routesBy(uplink, serviceHost === null ? undefined : lookupBy(lookUpBeside(serviceHost))));
}

/** Whether requests go by the runtime's own ways. Some of these it would send through the environment's proxies by itself. */
function isPlain({ http, https, certificates }: Uplink): boolean {
  const { NODE_USE_ENV_PROXY: isTold, NODE_OPTIONS: options = "" } = process.env;
  const isProxied = isTold === "1" || options.includes("--use-env-proxy");
  return !isProxied && http === null && https === null && certificates.length === 0;
}
