import type { LookupAddress, LookupOptions } from "node:dns";
import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import type { Instant } from "../../core/spot.ts";
import { pastHung } from "./hung-lookups.ts";

/** Finds the addresses of a name. Rejects where there are none, and where its turn does not come within `withinMs`. */
export type Find = (hostname: string, options: LookupOptions, withinMs?: number) => Promise<readonly LookupAddress[]>;

/** How long a direct connection may take, its look-up included. Later nobody waits for that any more. */
export const CONNECT_WITHIN_MS = 10_000;
/** A name server that cannot be reached says so only after many seconds. */
export const NAME_WITHIN_MS = 2_000;
/** How long a name that was not known counts as unknown. */
export const UNKNOWN_FOR_MS = 60_000;
/** How long the addresses that were found are used without asking again: as long as many servers of media let them be kept. */
const FOUND_FOR_MS = 60_000;
/** How many names are remembered as found, and as unknown; the one that was looked up longest ago makes room. */
const MOST_NAMES = 1_000;

/**
 * The runtime looks up as many names at a time as half of its threads (`UV_THREADPOOL_SIZE`, 4), and nothing ends a look-up that
 * nobody answers, as of names that a network filters. All others leave one place to the service's or the proxy's own name.
 */
const OTHER_LOOKUPS = Math.max(1, Math.ceil(Number(process.env.UV_THREADPOOL_SIZE ?? 4) / 2) - 1);

/** Looks up the names of media, proofs and the broker, whatever for: the places are this process's, so the limit is, too. */
export const lookUpOthers: Find = lookupWithin(OTHER_LOOKUPS);

/** In its own place. Spots are asked for at their own pace, so that it need not count as unknown for a while. */
const lookUpService: Find = lookupWithin(1, undefined, undefined, Number.POSITIVE_INFINITY);

/**
 * Looks up the service's own name apart from all others: no spot waits for a name that nobody answers. What is found later
 * than its asker could wait is there for the next, as where a name server leaves the question for IPv6 unanswered.
 */
export function lookUpBeside(serviceHost: string): Find {
  return (hostname, ...more) => (hostname === serviceHost ? lookUpService : lookUpOthers)(hostname, ...more);
}

/** The same as connections ask for it. */
export function lookupBy(find: Find): LookupFunction {
  return (hostname, options, answer) => {
    find(hostname, options).then(
      (found) => {
        const [first] = found;
        if (first === undefined) return answer(unanswered(`${hostname} has no address`), []);
        if (options.all) answer(null, [...found]);
        else answer(null, first.address, first.family);
      },
      (failure: Error) => answer(failure, []),
    );
  };
}

/**
 * Looks up `most` names at a time; what nobody answered for `slowMs` just now is not asked for again at once. Since each name that nobody
 * answers takes a place for ten seconds or more, a name that was found lately needs none, names that were found before go
 * ahead of others, and the one that was asked for last goes first: it can still wait for longest.
 */
export function lookupWithin(
  most: number,
  find: Find = pastHung((hostname, options) => lookup(hostname, { ...options, all: true })),
  now: () => Instant = () => performance.now(),
  slowMs = NAME_WITHIN_MS,
): Find {
  const ask = rememberUnknown(find, slowMs, now);
  const found = new Map<string, { readonly addresses: readonly LookupAddress[]; readonly endAt: Instant }>();
  const inUse: Waiting[] = [];
  const others: Waiting[] = [];
  let free = most;

  const findNow: Find = async (hostname, options) => {
    const name = nameOf(hostname, options);
    const last = found.get(name);
    if (last !== undefined && last.endAt > now()) return last.addresses;
    found.delete(name);
    const addresses = await ask(hostname, options);
    remember(found, name, { addresses, endAt: now() + FOUND_FOR_MS });
    return addresses;
  };

  const next = () => {
    for (const queue of [inUse, others]) dropLate(queue, now());
    return inUse.pop() ?? others.pop();
  };

  const serve = async () => {
    if (free === 0) return;
    free--;
    for (let turn = next(); turn !== undefined; turn = next()) {
      await findNow(turn.hostname, turn.options).then(turn.resolve, turn.reject);
    }
    free++;
  };

  return (hostname, options, withinMs = CONNECT_WITHIN_MS) => {
    const last = found.get(nameOf(hostname, options));
    if (last !== undefined && last.endAt > now()) return Promise.resolve(last.addresses);
    return new Promise((resolve, reject) => {
      const queue = last === undefined ? others : inUse;
      queue.push({ hostname, options, endAt: now() + withinMs, resolve, reject });
      void serve();
    });
  };
}

/** A look-up whose turn has not come. */
interface Waiting {
  readonly hostname: string;
  readonly options: LookupOptions;
  readonly endAt: Instant;
  resolve(addresses: readonly LookupAddress[]): void;
  reject(error: unknown): void;
}

/** Drops look-ups that nobody waits for any more, wherever they stand: not all may wait equally long. */
function dropLate(queue: Waiting[], now: Instant): void {
  for (const late of queue.filter(({ endAt }) => endAt < now)) {
    queue.splice(queue.indexOf(late), 1);
    late.reject(unanswered(`${late.hostname} waited too long to be looked up`));
  }
}

/** What is found depends on these options, too. */
function nameOf(hostname: string, { family, hints }: LookupOptions): string {
  return [hostname, family, hints].join(" ");
}

/** Asks for no name again at once that was found to be unknown, and took `slowMs` or more for it. */
export function rememberUnknown<More extends unknown[], Found>(
  find: (hostname: string, ...more: More) => Promise<Found>,
  slowMs: number,
  now: () => Instant = () => performance.now(),
): (hostname: string, ...more: More) => Promise<Found> {
  const unknown = new Map<string, Instant>();
  return async (hostname, ...more) => {
    const begunAt = now();
    if ((unknown.get(hostname) ?? 0) > begunAt) throw unanswered(`${hostname} was unknown just now`);
    try {
      return await find(hostname, ...more);
    } catch (error) {
      unknown.delete(hostname);
      if (now() - begunAt >= slowMs) remember(unknown, hostname, now() + UNKNOWN_FOR_MS);
      throw error;
    }
  };
}

/** With the code that the runtime has for a name that no name server answers for: reasons are told by codes. */
function unanswered(message: string): Error {
  return Object.assign(new Error(message), { code: "EAI_AGAIN" });
}

function remember<Known>(names: Map<string, Known>, name: string, known: Known): void {
  names.delete(name);
  names.set(name, known);
  const [oldest] = names.keys();
  if (names.size > MOST_NAMES && oldest !== undefined) names.delete(oldest);
}
