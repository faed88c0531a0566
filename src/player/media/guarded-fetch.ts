import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, fetch as fetchBy } from "undici";
import { mayConnect, type ReachPolicy } from "./reach.ts";

/**
 * A `fetch` that connects to no address outside the policy, whatever a name resolves to at that instant: judging a name
 * before would leave its owner the time to let it mean something else. Addresses that stand in a URL are not looked up
 * and so not judged here.
 */
export function fetchGuardedBy(policy: ReachPolicy): typeof globalThis.fetch {
  const agent = new Agent({ connect: { lookup: guardedLookup(policy) } });
  const guarded = (url: string, init: object) => fetchBy(url, { ...init, dispatcher: agent });
  // The package has types of its own for requests and answers; the platform's are the same.
  return guarded as unknown as typeof globalThis.fetch;
}

function guardedLookup(policy: ReachPolicy): LookupFunction {
  return (hostname, options, answer) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return answer(error, []);
      allowedOf(hostname, found, policy).then(
        (allowed) => {
          const [first] = allowed;
          if (first === undefined) return answer(new Error(`creatives may not reach ${hostname}`), []);
          if (options.all) answer(null, allowed);
          else answer(null, first.address, first.family);
        },
        (failure: Error) => answer(failure, []),
      );
    });
  };
}

async function allowedOf(
  hostname: string,
  found: readonly LookupAddress[],
  policy: ReachPolicy,
): Promise<LookupAddress[]> {
  const allowed = await Promise.all(found.map(({ address }) => mayConnect(hostname, address, policy)));
  return found.filter((_, index) => allowed[index]);
}
