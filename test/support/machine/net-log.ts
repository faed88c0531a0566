import { readFileSync } from "node:fs";

/** The arguments that have Chromium write down all that its network service does. */
export function netLogTo(path: string): readonly string[] {
  return [`--log-net-log=${path}`];
}

/**
 * What a process must not do that has no way to the network: looking up names, connecting, sending packets. Connecting a
 * UDP socket sends none: Chromium asks the kernel in that way whether there is a route.
 */
const REACHING = /^(HOST_RESOLVER_MANAGER_JOB|DNS_TRANSACTION|TCP_CONNECT_ATTEMPT|UDP_BYTES_SENT|QUIC_SESSION)$/;

/** The events of a net log, of a Chromium that has ended, by which it reached out or tried to, each with its parameters. */
export function reachingIn(path: string): readonly string[] {
  const text = readFileSync(path, "utf8");
  const log = JSON.parse(text) as {
    constants: { logEventTypes: Record<string, number> };
    events: { type: number; params?: object }[];
  };
  const names = new Map(Object.entries(log.constants.logEventTypes).map(([name, type]) => [type, name]));
  if (log.events.length === 0) throw new Error(`${path} holds no events`);
  return log.events.flatMap(({ type, params }) => {
    const name = names.get(type) ?? "";
    return REACHING.test(name) ? [`${name} ${JSON.stringify(params ?? {})}`] : [];
  });
}
