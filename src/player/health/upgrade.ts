import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type Clock, reached } from "../clock.ts";
import type { ProofStore } from "../proofs/proof-store.ts";
import type { ServiceClock } from "../service-clock.ts";
import { codeOf } from "../stores/database.ts";

/** How the player is, for whoever watches over an upgrade of it. */
export interface Vitals {
  /** As a package manager has it: `0.1.0~standin`. */
  readonly version: string;
  /** When this was written: seconds since the machine was started. */
  readonly beat: number;
  /** Screens of which a proof was taken in the last days, whichever run and version showed the item. */
  readonly usual: number;
  /** Screens of which a proof was taken that this run showed the item of. */
  readonly proved: number;
  /** Whether another one is to be expected: of a screen that did not prove yet, and could. */
  readonly expected: boolean;
}

export interface VitalsParts {
  /** Where they are told, in a file that is lost with the boot. */
  readonly folder: string;
  readonly version: string;
  readonly player: {
    readonly network: "ok" | "portal";
    readonly ownProved: ReadonlySet<string>;
    readonly proofs: Pick<ProofStore, "lastDelivered">;
    readonly serviceClock: Pick<ServiceClock, "read">;
    readonly screens: readonly {
      readonly screenId: string;
      readonly health: { readonly isExpectedToShow: boolean };
    }[];
  };
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Whoever reads them takes those of the last minute. */
const EVERY_MS = 15_000;

/** A place that closes over a holiday is measured by what it proved before. */
const USUAL_WITHIN_MS = 7 * 24 * 3_600_000;

/** Tells the vitals again and again, until the signal is aborted; what cannot be written is not told. */
export async function tellVitals({ folder, version, player, clock, signal }: VitalsParts): Promise<void> {
  const proved = provedLately(player);
  const packaged = version.replaceAll("-", "~");
  while (!signal.aborted) {
    const vitals = vitalsOf(player, proved);
    writeVitals(folder, { version: packaged, beat: Math.floor(uptime()), ...vitals });
    await reached(clock.now() + EVERY_MS, clock, signal);
  }
}

/** The screens of which a proof was taken in the last days; none where the store cannot tell. */
function provedLately({ screens, proofs, serviceClock }: VitalsParts["player"]): ReadonlySet<string> {
  const { service, wall } = serviceClock.read();
  const since = (service ?? wall) - USUAL_WITHIN_MS;
  try {
    const last = screens.map(({ screenId }) => ({ screenId, shownAt: proofs.lastDelivered(screenId) }));
    return new Set(last.filter(({ shownAt }) => shownAt !== null && shownAt >= since).map(({ screenId }) => screenId));
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return new Set();
  }
}

function vitalsOf(
  { screens, ownProved, network }: VitalsParts["player"],
  lately: ReadonlySet<string>,
): Pick<Vitals, "usual" | "proved" | "expected"> {
  const own = screens.filter(({ screenId }) => ownProved.has(screenId));
  const waiting = screens.filter((screen) => !own.includes(screen));
  return {
    usual: screens.filter((screen) => own.includes(screen) || lately.has(screen.screenId)).length,
    proved: own.length,
    expected: network === "ok" && waiting.some(({ health }) => health.isExpectedToShow),
  };
}

/** As lines of `name=value`, which a shell reads; whole or not at all. */
function writeVitals(folder: string, vitals: Vitals): void {
  const lines = Object.entries({ ...vitals, expected: Number(vitals.expected) }).map((entry) => `${entry.join("=")}\n`);
  const path = join(folder, "vitals");
  try {
    writeFileSync(`${path}.new`, lines.join(""));
    renameSync(`${path}.new`, path);
  } catch {
    return;
  }
}

/** Where `assets/kiosk/update-guard.sh` writes where an upgrade stands. */
const UPGRADE_STATE = "/var/lib/spotloop-update/state";

const PHASES = ["trial", "rolling-back", "proved", "rolled-back", "undecided", "by-hand", "stuck"] as const;

const upgradeSchema = z.object({ phase: z.enum(PHASES), from: z.string().min(1), to: z.string().min(1) });

/** The last upgrade of this machine's package: from which version to which, and where it stands. */
export type Upgrade = z.infer<typeof upgradeSchema>;

/** The last upgrade; null where there was none that is watched over. */
export function readUpgrade(path = UPGRADE_STATE): Upgrade | null {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return upgradeSchema.parse(Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2))));
  } catch {
    return null;
  }
}

/** Whether a version was taken back, or is to be and cannot. */
export function isTakenBack(upgrade: Upgrade | null): boolean {
  return upgrade !== null && ["rolling-back", "rolled-back", "stuck"].includes(upgrade.phase);
}
