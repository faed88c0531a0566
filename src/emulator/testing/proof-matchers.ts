import type { ItemJson, SpotJson } from "../spot/told-spots.ts";
import type { TestEmulator } from "./test-emulator.ts";

/** What the matchers look at; every started emulator is one. */
export type Proving = Pick<TestEmulator, "ledger" | "audit">;

/**
 * The matchers by their types, for the test runner's own: `interface Matchers<R> extends ProofMatchers<R> {}` in a
 * `declare module "vitest"`, or `"expect"` for Jest.
 */
export interface ProofMatchers<R = unknown> {
  /** An item of that id, which is its creative's name, was served and has a proof of play that the network took. */
  toHaveProved(itemId: string): R;
  /** Each time that an item of that id was served, it was counted once: a proof in time, and none beside it. */
  toHaveCountedOnce(itemId: string): R;
  /** The auditor has nothing to complain about: no early, late, doubled or altered proof, no wrong order, no overlap. */
  toHavePassedAudit(): R;
}

/** What a matcher found; `message` is asked for where that is not what was expected. */
interface Finding {
  readonly pass: boolean;
  readonly message: () => string;
}

/** For `expect.extend(proofMatchers)`, in Vitest and in Jest. Each is asked of an emulator. */
export const proofMatchers = {
  toHaveProved(received: unknown, itemId: string): Finding {
    const spots = provingOf(received).ledger();
    const pass = servingsOf(spots, itemId).some(({ item }) => item.pops.some(isTaken));
    return { pass, message: () => told(`the network ${pass ? "not " : ""}to have a proof of ${itemId}`, spots) };
  },

  toHaveCountedOnce(received: unknown, itemId: string): Finding {
    const spots = provingOf(received).ledger();
    const servings = servingsOf(spots, itemId);
    const pass = servings.length > 0 && servings.every(({ item }) => isCountedOnce(item));
    const wanted = `every showing of ${itemId} ${pass ? "not " : ""}to be counted once`;
    return { pass, message: () => told(wanted, spots) };
  },

  toHavePassedAudit(received: unknown): Finding {
    const violations = provingOf(received).audit();
    const pass = violations.length === 0;
    const lines = violations.slice(-MOST_TOLD).map(({ violation, at, screen_id, detail }) => {
      return `  ${at} ${screen_id ?? "no screen"}: ${violation}, ${detail}`;
    });
    const wanted = pass ? "the auditor to have found something" : "the auditor to have found nothing; it found";
    return { pass, message: () => [`expected ${wanted}`, ...lines].join("\n") };
  },
};

/** How many of the newest spots, or violations, a message names. */
const MOST_TOLD = 20;

interface Serving {
  readonly spot: SpotJson;
  readonly item: ItemJson;
}

function provingOf(received: unknown): Proving {
  if (isProving(received)) return received;
  throw new TypeError("matchers of proofs are asked of an emulator, as in expect(emulator).toHaveProved(…)");
}

function isProving(received: unknown): received is Proving {
  if (typeof received !== "object" || received === null) return false;
  return (["ledger", "audit"] as const).every((name) => typeof Reflect.get(received, name) === "function");
}

function servingsOf(spots: readonly SpotJson[], itemId: string): Serving[] {
  return spots
    .flatMap((spot) => [spot.news, spot.ad].map((item) => ({ spot, item })))
    .filter((serving): serving is Serving => serving.item?.id === itemId);
}

/** Early ones are taken unless the network is told to refuse them (F12). */
function isTaken({ status, verdict }: ItemJson["pops"][number]): boolean {
  return verdict === "counted" || (verdict === "early" && status === 200);
}

function isCountedOnce({ pops }: ItemJson): boolean {
  return pops.length === 1 && pops[0]?.verdict === "counted";
}

/** What was expected, and what the ledger holds instead. */
function told(wanted: string, spots: readonly SpotJson[]): string {
  if (spots.length === 0) return `expected ${wanted}\nThe ledger is empty: no spot was asked for.`;
  const left = spots.length - MOST_TOLD;
  const before = left > 0 ? [`  ${left} older spots, and`] : [];
  return [`expected ${wanted}`, "The ledger holds:", ...before, ...spots.slice(-MOST_TOLD).flatMap(linesOf)].join("\n");
}

function linesOf({ screen_id, issued_at, state, newsFirst, news, ad }: SpotJson): string[] {
  const items = [itemLine("news", news), itemLine("ad", ad)];
  return [`  a spot for ${screen_id}, issued ${issued_at}, ${state}`, ...(newsFirst ? items : items.reverse())];
}

function itemLine(kind: string, item: ItemJson | null): string {
  if (item === null) return `    ${kind}: none`;
  const pops = item.pops.map(({ at, status, verdict }) => `${verdict} at ${at}, answered ${status}`);
  const failed = item.failed.map(({ at, fault }) => `spoilt at ${at} by the fault ${fault}`);
  const proofs = [...pops, ...failed];
  return `    ${kind} ${item.id}: ${proofs.length === 0 ? "no proof" : proofs.join("; ")}`;
}
