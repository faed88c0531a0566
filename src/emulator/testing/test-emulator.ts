import type { ViolationJson } from "../audit/audit.ts";
import type { VirtualClock } from "../clock.ts";
import type { FaultEntry } from "../faults/schema.ts";
import type { Call, CallFilter } from "../http/journal.ts";
import type { Decision } from "../inventory/reviews.ts";
import { type EmulatorOptions, startEmulator as start } from "../main.ts";
import type { PlannedSpot, Planning } from "../spot/planned.ts";
import type { SpotJson } from "../spot/told-spots.ts";

/** How a test's emulator is to run; everything has a default. */
export interface TestEmulatorOptions extends Omit<EmulatorOptions, "ownProcess"> {
  /** 1 when absent: a test sees the same spots each time that it is run. */
  readonly seed?: number;
}

/** Which screen is meant: the world's first one by default. */
export interface ScreenChoice {
  readonly screenId?: string;
  /** Where several organizations have a screen of that id. */
  readonly orgToken?: string;
}

/**
 * A screen network in the process of a test, on 127.0.0.1 and free ports. What a test asks of it in vain is the test's
 * mistake, so that it throws. `await using` closes it.
 */
export interface TestEmulator extends AsyncDisposable {
  /** Of the vendor interface, without a trailing slash, as the two other URLs. */
  readonly baseUrl: string;
  readonly mediaUrl: string;
  readonly controlUrl: string;
  /** Of the first organization in the world that has a screen. */
  readonly orgToken: string;
  /** That organization's first screen. */
  readonly screenId: string;
  /** The network's time, for proofs, opening hours and everything else: `clock.advance(3_600_000)` is an hour later. */
  readonly clock: VirtualClock;
  /** Exactly these spots next on a screen, in order, after those that wait already. */
  next(spots: readonly PlannedSpot[], screen?: ScreenChoice): void;
  /** Every spot that was served, oldest first, with its media and its proofs: of one screen, or of all. */
  ledger(screen?: ScreenChoice): SpotJson[];
  /** Every call on every listener, oldest first. */
  calls(filter?: CallFilter): Call[];
  /** What a network would complain about so far; none when the player was honest. */
  audit(): ViolationJson[];
  /** The operator's approval of a pending CAR, or of a location in review. */
  approve(id: string, orgToken?: string): Promise<void>;
  /** Lets something go wrong from now on, after the faults there are: a rule, or a preset such as `"offline"`. */
  fault(fault: FaultEntry): void;
  /** Ends all faults. */
  clearFaults(): void;
  /** Back to the world, time and seed that it started with, as between two tests. */
  reset(): void;
  /** Ends every connection and resolves when the ports are free. */
  close(): Promise<void>;
}

/**
 * Starts a screen network for a test. Rejects with a `WorldError` that names every mistake in the world that it was given.
 *
 * @example
 * await using emulator = await startEmulator();
 * emulator.next([{ news: null, ad: "ad-coffee" }]);
 */
export async function startEmulator(options: TestEmulatorOptions = {}): Promise<TestEmulator> {
  const emulator = await start({ seed: 1, ...options });
  const { baseUrl, mediaUrl, controlUrl, clock } = emulator;
  return {
    ...{ baseUrl, mediaUrl, controlUrl, clock },
    // A reset may bring back another world than the one that a data file has kept.
    get orgToken() {
      return emulator.orgToken;
    },
    get screenId() {
      return emulator.screenId;
    },
    next: (spots, screen = {}) => {
      const called = screen.screenId ?? emulator.screenId;
      const owner = screen.orgToken ?? (screen.screenId === undefined ? emulator.orgToken : undefined);
      insistPlanned(emulator.next(called, spots, owner), called);
    },
    ledger: (screen = {}) => emulator.spots(screen.screenId, screen.orgToken),
    calls: (filter) => emulator.calls(filter),
    audit: () => emulator.audit(),
    approve: async (id, owner) => insistApproved(emulator.approve(id, owner), id),
    fault: (fault) => emulator.addFault(fault),
    clearFaults: () => emulator.setFaults([]),
    reset: () => emulator.reset(),
    close: () => emulator.close(),
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}

function insistPlanned(planning: Planning, screenId: string): void {
  switch (planning.kind) {
    case "planned":
      return;
    case "unknown-screen":
      throw new Error(`the network has no screen ${screenId}`);
    case "ambiguous-screen":
      throw new Error(`several organizations have a screen ${screenId}; say which by orgToken`);
    case "too-many":
      throw new Error(`too many spots wait for ${screenId}`);
    case "unknown-creative":
      throw new Error(planning.errors.map(({ field, message }) => `${field}: ${message}`).join("\n"));
  }
}

function insistApproved(decision: Decision, id: string): void {
  switch (decision.kind) {
    case "approved":
      return;
    case "unknown":
      throw new Error(`the network has no CAR and no location ${id}`);
    case "ambiguous":
      throw new Error(`several organizations have a ${id} that waits; say whose by orgToken`);
    case "refused":
      throw new Error(`${id} cannot be approved: ${decision.detail}`);
  }
}
