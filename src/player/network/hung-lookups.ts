import type { LookupAddress, LookupOptions } from "node:dns";
import { Resolver } from "node:dns/promises";

/** Finds the addresses of a name. Rejects where there are none. */
type Look = (hostname: string, options: LookupOptions) => Promise<readonly LookupAddress[]>;

/**
 * A look-up of the system's that takes longer hangs. Of a name server that answers it waits 20 s at most, but of one that takes
 * a connection and then says nothing for ever, whatever becomes of it: so glibc does where an answer is too long for one packet.
 */
export const HUNG_AFTER_MS = 30_000;

/** Two tries of two seconds for each name server, also over a connection. */
const EACH_TRY = { timeout: 2_000, tries: 2 } as const;

/**
 * Looks names up by the system, and past it once that hangs: a hung look-up keeps its thread for good, so another one of the
 * system's would wait behind it until the player is started anew.
 */
export function pastHung(system: Look, direct: Look = askingServers(), hungAfterMs = HUNG_AFTER_MS): Look {
  let hung = 0;
  return (hostname, options) => {
    if (hung > 0) return direct(hostname, options);
    return new Promise((resolve, reject) => {
      let isHung = false;
      const giveUp = () => {
        isHung = true;
        hung++;
        direct(hostname, options).then(resolve, reject);
      };
      const timer = setTimeout(giveUp, hungAfterMs);
      const end = () => {
        clearTimeout(timer);
        if (isHung) hung--;
      };
      system(hostname, options).finally(end).then(resolve, reject);
    });
  };
}

/**
 * Asks name servers themselves: those that the system names by now, unless told others, as `127.0.0.1:5353`. Names that are not
 * theirs, as of `/etc/hosts`, they do not know.
 */
export function askingServers(servers: readonly string[] | null = null): Look {
  return async (hostname, { family = 0 }) => {
    const resolver = new Resolver(EACH_TRY);
    if (servers !== null) resolver.setServers(servers);
    const asked = [
      ...(isAsked(4, family) ? [addresses(resolver.resolve4(hostname), 4)] : []),
      ...(isAsked(6, family) ? [addresses(resolver.resolve6(hostname), 6)] : []),
    ];
    const answers = await Promise.allSettled(asked);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const [first] = answers;
    if (found.length === 0 && first?.status === "rejected") throw first.reason;
    return found;
  };
}

function isAsked(version: 4 | 6, family: number | "IPv4" | "IPv6"): boolean {
  return family === 0 || family === version || family === `IPv${version}`;
}

async function addresses(asked: Promise<string[]>, family: 4 | 6): Promise<readonly LookupAddress[]> {
  return (await asked).map((address) => ({ address, family }));
}
