import { CAUSES, type Cause } from "./causes.ts";
import { type Fleet, MEASURED, openFleet } from "./fleet.ts";
import { type Breakdown, falseAlarms, HELD_UP_MINUTES, judge, type Outcome } from "./judge.ts";
import { type Figures, measure } from "./monitoring/figures.ts";

/** How a fleet is to be tried. */
export interface FleetRun {
  readonly players: number;
  /** How many times as fast as in truth the fleet lives. */
  readonly speed: number;
  /** One cause for each alert that is due within the hour, and nothing else. */
  readonly isQuick: boolean;
  /** The names of those causes that are tried, or null for what there is. */
  readonly causes: readonly string[] | null;
  /** How long all of them are well, in minutes of the fleet. */
  readonly wellMinutes: number;
  /** Nothing is broken at all. */
  readonly onlyWell: boolean;
  /** Under how many names the server sees each player that stays well. */
  readonly copies: number;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** What came of it. */
export interface FleetResult {
  readonly figures: Figures;
  readonly outcomes: readonly Outcome[];
  /** Alerts of kiosks with which nothing was wrong, in words. */
  readonly falseAlarms: readonly string[];
  /** How many kiosks were well all along. */
  readonly wellPlayers: number;
  /** How long they were watched, in minutes of the fleet. */
  readonly watchedMinutes: number;
}

const MINUTE_MS = 60_000;
/** What is not due within the hour is not tried in the short form. */
const QUICK_MINUTES = 60;
/** How long is waited after the last alert was due: it fires within some minutes, and is told in a group of its kind. */
const TOLD_WITHIN_MINUTES = 20;

/** The causes of a run: those that are named, or all, or for the short form one for each alert that comes soon. */
export function causesOf({
  isQuick,
  onlyWell,
  causes,
}: Pick<FleetRun, "isQuick" | "onlyWell" | "causes">): readonly Cause[] {
  if (onlyWell) return [];
  if (causes !== null) return CAUSES.filter(({ name }) => causes.includes(name));
  if (!isQuick) return CAUSES;
  const soon = CAUSES.filter(({ alert, dueMinutes }) => alert !== null && dueMinutes <= QUICK_MINUTES);
  return soon.filter(({ alert }, index) => soon.findIndex((one) => one.alert === alert) === index);
}

/** Lets a fleet live, first all of it well, then with some of it broken, and holds the alerts against that. */
export async function runFleet(run: FleetRun): Promise<FleetResult> {
  const { players, copies, speed, folder, signal, progress, wellMinutes, onlyWell } = run;
  const causes = causesOf(run);
  const fleet = await openFleet({ players, causes, copies, speed, folder, signal, progress });
  try {
    const openedAt = fleet.time();
    progress(`${players} players, all well, for ${wellMinutes} minutes of theirs`);
    const target = fleet.kiosks.get(MEASURED);
    if (target === undefined) throw new Error(`there is no kiosk ${MEASURED}`);
    const { network, server, seenPlayers, pace } = fleet;
    const agent = fleet.agentOf(MEASURED);
    const figuresFrom = await measure({ network, server, agent, target, players, seenPlayers, pace }, fleet.time);
    await fleet.pass(wellMinutes * MINUTE_MS);
    const figures = await figuresFrom();
    const early = falseAlarms(fleet.watch.seen, () => true);
    const broken = onlyWell ? [] : await breakDown(fleet, causes, progress);
    const isWell = (name: string) => broken.every(({ cause }) => cause.name !== name);
    return {
      figures,
      outcomes: broken.map((one) => judge(one, fleet.watch.seen, speed)),
      falseAlarms: [...new Set([...early, ...falseAlarms(fleet.watch.seen, isWell)])],
      wellPlayers: players - broken.length,
      watchedMinutes: (fleet.time() - openedAt) / MINUTE_MS,
    };
  } finally {
    await fleet.close();
  }
}

/** Breaks all that has a cause at once, and lets time pass until each alert must have been told. */
async function breakDown(
  fleet: Fleet,
  causes: readonly Cause[],
  progress: (text: string) => void,
): Promise<readonly Breakdown[]> {
  const { network, pass } = fleet;
  const broken = causes.map((cause) => ({ cause, brokenAt: fleet.time() }));
  const breaking = Promise.all(
    causes.map(({ name, breakDown: act }) => {
      const spec = fleet.kiosks.get(name);
      if (spec === undefined) throw new Error(`there is no kiosk ${name}`);
      const { screenId, dataDir } = spec;
      const killAgent = () => fleet.agentOf(name).kill();
      return act({
        ...{ name, screenId, dataDir, network, pass, killAgent, onClose: fleet.onClose },
        process: fleet.processOf(name),
      });
    }),
  );
  const lastDue =
    Math.max(...causes.map(({ dueMinutes }) => dueMinutes)) +
    TOLD_WITHIN_MINUTES +
    Math.ceil(HELD_UP_MINUTES * fleet.pace.speed);
  const told = () => new Set(fleet.watch.seen.filter(({ toldAt }) => toldAt !== null).map(({ alert }) => alert));
  const watching = (async () => {
    for (let minute = 0; minute < lastDue; minute++) {
      progress(`${causes.length} kiosks are broken, minute ${minute} of ${lastDue}: ${told().size} alerts told`);
      await pass(MINUTE_MS);
    }
  })();
  await Promise.all([breaking, watching]);
  return broken;
}
