import type { LookupAddress, LookupOptions } from "node:dns";
import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import type { Instant } from "../../core/spot.ts";
import { pastHung } from "./hung-lookups.ts";
import { type HasWay, withinReach } from "./own-network.ts";

/** Finds the addresses of a name. Rejects where there are none, and where its turn does not come within `withinMs`. */
export type Find = (hostname: string, options: LookupOptions, withinMs?: number) => Promise<readonly LookupAddress[]>;

/** How long a direct connection may take, its look-up included. Later nobody waits for that any more. */
export const CONNECT_WITHIN_MS = 10_000;
/** A name server that cannot be reached says so only after many seconds. */
export const NAME_WITHIN_MS = 2_000;
/** How long a name that was not known counts as unknown. */
export const UNKNOWN_FOR_MS = 60_000;
/**
 * How long the addresses that were found are used without asking again. With `CONNECTION_FOR_MS` a minute at most: a proof that was
 * refused is sent again after that (`DOUBT_MS`), and then to wherever its name leads by now.
 */
export const FOUND_FOR_MS = 30_000;
/** While no name server answers, what it said last goes on being used for as long (RFC 8767, section 5: one to three days). */
export const STALE_FOR_MS = 24 * 3_600_000;
/** No name server answered, as the system says it and as one says it that asks by itself; a name that is not there is another thing. */
const NOBODY_ANSWERED: readonly string[] = ["EAI_AGAIN", "ETIMEOUT", "ECONNREFUSED", "ESERVFAIL", "EREFUSED"];
/** How many names are remembered as found, and as unknown; the one that was looked up longest ago makes room. */
const MOST_NAMES = 1_000;

/**
 * The runtime looks up as many names at a time as half of its threads (`UV_THREADPOOL_SIZE`, 4), and nothing ends a look-up that
 * nobody answers, as of names that a network filters. All others leave one place to the service's or the proxy's own name.
 */
const OTHER_LOOKUPS = Math.max(1, Math.ceil(Number(process.env.UV_THREADPOOL_SIZE ?? 4) / 2) - 1);

/** Looks up the names of media, proofs and the broker, whatever for: the places are this process's, so the limit is, too. */
export const lookUpOthers: Find = lookupWithin(OTHER_LOOKUPS);

/**
 * Looks up the service's or the proxy's own name, in a place apart. Spots are asked for at their own pace, so that it need not
 * count as unknown for a while.
 */
export const lookUpService: Find = lookupWithin(1, undefined, undefined, Number.POSITIVE_INFINITY);

/**
 * Looks up the service's own name apart from all others: no spot waits for a name that nobody answers. What is found later
 * than its asker could wait is there for the next, as where a name server leaves the question for IPv6 unanswered.
 */
export function lookUpBeside(serviceHost: string): Find {
  return (hostname, ...more) => (hostname === serviceHost ? lookUpService : lookUpOthers)(hostname, ...more);
}

/** A connection has ten seconds, of which each address gets a quarter of one: more of a kind are never come to. */
const MOST_TRIED = 40;

/** Of the addresses of a name those that a connection may come to: it may have thousands, each of which takes a socket to judge. */
export function tried(found: readonly LookupAddress[]): readonly LookupAddress[] {
  const [v4, v6] = [4, 6].map((kind) => found.filter(({ family }) => family === kind).slice(0, MOST_TRIED));
  const chosen = new Set([...(v4 ?? []), ...(v6 ?? [])]);
  return found.filter((one) => chosen.has(one));
}

/** The same as connections ask for it: of several addresses those that can be reached from here by now. */
export function lookupBy(find: Find, hasWay?: HasWay): LookupFunction {
  const findWithinReach: Find = async (...asked) => withinReach(tried(await find(...asked)), hasWay);
  return (hostname, options, answer) => {
    findWithinReach(hostname, options).then(
      (found) => {
        const [first] = found;
        if (first === undefined) return answer(lookupError("EAI_AGAIN", `${hostname} has no address`), []);
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
 * ahead of others, and the one that was asked for last goes first: it can still wait for longest. Where no name server answers, what
 * was found last is found again: a site's name server that hangs or restarts ends nothing.
 */
export function lookupWithin(
  most: number,
  find: Find = pastHung((hostname, options) => lookup(hostname, { ...options, all: true })),
  now: () => Instant = () => performance.now(),
  slowMs = NAME_WITHIN_MS,
): Find {
  const ask = rememberUnknown(find, slowMs, now);
  const found = new Map<string, Found>();
  const inUse: Waiting[] = [];
  const others: Waiting[] = [];
  let free = most;

  const findNow: Find = async (hostname, options) => {
    const name = nameOf(hostname, options);
    const last = found.get(name);
    if (last !== undefined && last.endAt > now()) return last.addresses;
    found.delete(name);
    const next = await ask(hostname, options).then(
      (addresses): Found => foundNow(somewhere(hostname, addresses), now()),
      (error: unknown): Found => {
        const at = now();
        if (last === undefined || !mayUseAgain(last, error, at)) throw error;
        return { ...last, endAt: at + FOUND_FOR_MS };
      },
    );
    remember(found, name, next);
    return next.addresses;
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
      const queue = last === undefined || isStale(last) ? others : inUse;
      queue.push({ hostname, options, endAt: now() + withinMs, resolve, reject });
      void serve();
    });
  };
}

/** What name servers that filter answer for a name that they block. A system would connect to itself: to whoever listens there. */
const NOWHERE: readonly string[] = ["0.0.0.0", "::"];

function somewhere(hostname: string, found: readonly LookupAddress[]): readonly LookupAddress[] {
  const left = found.filter(({ address }) => !NOWHERE.includes(address));
  if (left.length > 0) return left;
  throw lookupError("ENOTFOUND", `${hostname} leads nowhere`);
}

/** The addresses of a name, when a name server said so, and until when they are used without asking again. */
interface Found {
  readonly addresses: readonly LookupAddress[];
  readonly foundAt: Instant;
  readonly endAt: Instant;
}

function foundNow(addresses: readonly LookupAddress[], foundAt: Instant): Found {
  return { addresses, foundAt, endAt: foundAt + FOUND_FOR_MS };
}

/** Whether nobody has borne them out when they were last asked for. */
function isStale({ foundAt, endAt }: Found): boolean {
  return endAt > foundAt + FOUND_FOR_MS;
}

function mayUseAgain({ foundAt }: Found, error: unknown, now: Instant): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return NOBODY_ANSWERED.includes(code) && now - foundAt < STALE_FOR_MS;
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
    late.reject(lookupError("EAI_AGAIN", `${late.hostname} waited too long to be looked up`));
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
    if ((unknown.get(hostname) ?? 0) > begunAt) throw lookupError("EAI_AGAIN", `${hostname} was unknown just now`);
    try {
      return await find(hostname, ...more);
    } catch (error) {
      unknown.delete(hostname);
      if (now() - begunAt >= slowMs) remember(unknown, hostname, now() + UNKNOWN_FOR_MS);
      throw error;
    }
  };
}

/** As the runtime's: reasons are told by codes. */
function lookupError(code: "EAI_AGAIN" | "ENOTFOUND", message: string): Error {
  return Object.assign(new Error(message), { code, syscall: "getaddrinfo" });
}

function remember<Known>(names: Map<string, Known>, name: string, known: Known): void {
  names.delete(name);
  names.set(name, known);
  const [oldest] = names.keys();
  if (names.size > MOST_NAMES && oldest !== undefined) names.delete(oldest);
}
