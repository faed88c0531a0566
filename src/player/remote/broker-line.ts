import { type ClientRequest, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { within } from "../../client/http.ts";
import { type HttpProxy, proxyFor } from "../../core/network/proxy-choice.ts";
import type { Config } from "../config/config.ts";
import { lookUpOthers, lookupBy } from "../network/name-lookups.ts";
import { trustedBy, trustOf } from "../network/trust.ts";
import type { Uplink } from "../network/uplink.ts";
import { readTextFile } from "../small-file.ts";

/** Where the broker is, and what this player shows it. */
export type BrokerAccess = Pick<Config["remote"], "authFile" | "certFile" | "keyFile" | "caFile"> & {
  readonly url: string;
};

/** A connection to the broker, encrypted and both sides known, before anything is said on it. */
export interface BrokerLine {
  readonly socket: TLSSocket;
  /** A secret. */
  readonly login: { readonly username: string; readonly password: string } | null;
}

/** Where none is in the URL (IANA, secure-mqtt). */
const SECURE_MQTT_PORT = 8883;
const CONNECTED_WITHIN_MS = 15_000;
const LARGEST_FILE_BYTES = 1024 * 1024;

/**
 * Connects to the broker, by the proxy of the uplink where there is one. Certificates and passwords are read from their files
 * each time, so that new ones count from the next connection on. Rejects with what went wrong, in words without secrets.
 */
export function openBrokerLine(access: BrokerAccess, uplink: Uplink, signal: AbortSignal): Promise<BrokerLine> {
  return within(CONNECTED_WITHIN_MS, signal, async (limit) => {
    const { hostname: written, port } = new URL(access.url);
    // The host of an mqtts address is left as it was written; name servers know müller.example as xn--mller-kva.example.
    const { hostname } = new URL(`https://${written}`);
    const target = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || SECURE_MQTT_PORT };
    const { authFile, certFile, keyFile, caFile } = access;
    const login = authFile === undefined ? null : loginIn(textOf("authFile", authFile));
    const shown = {
      ...(certFile === undefined ? {} : { cert: textOf("certFile", certFile) }),
      ...(keyFile === undefined ? {} : { key: textOf("keyFile", keyFile) }),
    };
    const ca = caFile === undefined ? trustedBy(uplink) : [textOf("caFile", caFile)];
    // For the rules of proxies it is a host like any that is asked by TLS.
    const proxy = proxyFor(new URL(`https://${hostname}:${target.port}`), uplink);
    const tunnel = proxy === null ? {} : { socket: await tunnelled(proxy, target, uplink, limit) };
    const servername = isIP(target.host) === 0 ? { servername: target.host } : {};
    const tls = { ...shown, ...servername, ca: [...ca], minVersion: "TLSv1.2" as const };
    const socket = connect({ ...target, ...tls, ...tunnel, lookup: lookupBy(lookUpOthers) });
    limit.addEventListener("abort", () => socket.destroy(), { once: true });
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", () => {
        socket.off("error", reject);
        resolve();
      });
      socket.once("error", reject);
    });
    return { socket, login };
  });
}

function loginIn(text: string): BrokerLine["login"] {
  const [, username = "", password = ""] = /^([^:\p{Cc}]+):(\P{Cc}*)\r?\n?$/u.exec(text) ?? [];
  if (username === "") throw new Error("remote.authFile is not one line of user:password");
  return { username, password };
}

function textOf(setting: string, file: string): string {
  const reading = readTextFile(file, LARGEST_FILE_BYTES);
  if (reading.kind === "text") return reading.text;
  throw new Error(`remote.${setting} names ${file}, which ${reading.why}`);
}

/** A connection that a proxy passes on (RFC 9110, 9.3.6). */
function tunnelled(
  { url, authorization }: HttpProxy,
  { host, port }: { readonly host: string; readonly port: number },
  uplink: Uplink,
  signal: AbortSignal,
): Promise<Socket> {
  const path = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const headers = { host: path, ...(authorization === null ? {} : { "proxy-authorization": authorization }) };
  const options = { method: "CONNECT", path, headers, signal, agent: false };
  const asked: ClientRequest = url.startsWith("https:")
    ? requestSecure(url, { ...options, ...trustOf(uplink) })
    : requestPlain(url, options);
  return new Promise((resolve, reject) => {
    asked.once("connect", ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy makes no tunnel to ${path} (HTTP ${statusCode})`));
    });
    asked.once("response", ({ statusCode }) => reject(new Error(`the proxy makes no tunnel (HTTP ${statusCode})`)));
    asked.once("error", reject);
    asked.end();
  });
}
