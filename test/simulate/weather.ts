import type { Instant } from "../../src/core/spot.ts";
import type { Route } from "./call.ts";
import type { Chance } from "./chance.ts";

const HOUR_MS = 3_600_000;

/** How bad the network is at an instant. */
export interface Weather {
  /** Nothing gets through, and how that looks from the player. */
  readonly outage: "refused" | "silent" | "maintenance" | null;
  /** How likely each call is to meet a fault of its own, by what it is about. */
  readonly faults: Readonly<Record<Route, number>>;
}

const CALM = 0.003;
const ROUGH = 0.3;

/** The lengths of outages that decide between a proof delivered and a proof expired, and some between. */
const OUTAGES_MS = [5_000, 60_000, 20 * 60_000, 59 * 60_000, 61 * 60_000, 3 * HOUR_MS];

/** The weather of a simulated network: drawn for each hour, mostly calm. */
export function weatherAt(now: Instant, chance: Chance): Weather {
  const hour = Math.floor(now / HOUR_MS);
  const rough = chance.weighed({ none: 70, spot: 7, media: 9, pop: 9, all: 5 }, `rough in hour ${hour}`);
  const rate = (what: string) => (rough === what || rough === "all" ? ROUGH : CALM);
  const [spot, media, pop] = [rate("spot"), rate("media"), rate("pop")];
  return { outage: outageAt(now, chance), faults: { spot, inventory: spot, media, pop } };
}

function outageAt(now: Instant, chance: Chance): Weather["outage"] {
  const longestHours = Math.ceil(Math.max(...OUTAGES_MS) / HOUR_MS);
  for (let hour = Math.floor(now / HOUR_MS), back = 0; back <= longestHours; back++, hour--) {
    const name = `outage of hour ${hour}`;
    if (hour < 0 || !chance.happens(0.06, name)) continue;
    const from = hour * HOUR_MS + chance.between(0, HOUR_MS, `${name} from`);
    if (now < from || now >= from + chance.pick(OUTAGES_MS, `${name} length`)) continue;
    return chance.weighed({ refused: 5, silent: 3, maintenance: 2 }, `${name} kind`);
  }
  return null;
}
