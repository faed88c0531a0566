import { readFileSync } from "node:fs";
import type { Inside } from "./inside.ts";
import { eventually } from "./processes.ts";

/** The arguments that have Chromium write down all that its network service does. */
export function netLogTo(path: string): readonly string[] {
  return [`--log-net-log=${path}`];
}

/**
 * What a process must not do that has no way to the network: looking up names, connecting, sending packets. Connecting a
 * UDP socket sends none: Chromium asks the kernel in that way whether there is a route.
 */
const REACHING = /^(HOST_RESOLVER_MANAGER_JOB|DNS_TRANSACTION|TCP_CONNECT_ATTEMPT|UDP_BYTES_SENT|QUIC_SESSION)$/;

/** Nothing but `reachingSoFar` gives a session a proxy of that name. */
const MARK = "end-of-net-log.example";

/**
 * The events of a net log by which a player reached out or tried to until now, each with its parameters. Events reach the
 * file some at a time, so that one is made to be looked for: all before it are there when it is.
 */
export async function reachingSoFar(path: string, inside: Inside): Promise<readonly string[]> {
  let port = 1;
  const text = await eventually("the net log so far", async () => {
    await inside.ask(`await electron.session.defaultSession.setProxy({ proxyRules: "http://${MARK}:${port++}" })`);
    const text = readFileSync(path, "utf8");
    const end = text.indexOf(MARK);
    return end < 0 ? undefined : text.slice(0, text.lastIndexOf(",\n", end));
  });
  const log = JSON.parse(`${text}]}`) as {
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
