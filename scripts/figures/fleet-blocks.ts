import { sum } from "../../test/bench/statistics.ts";
import type { Run } from "../../test/figures/run.ts";
import { ITEM_MS } from "../../test/fleet/network.ts";
import type { FleetResult } from "../../test/fleet/run.ts";
import { block, caption, goal, number, table } from "./page.ts";

/** The goal of the 99th percentile of the time to a spot, for 10,000 screens. */
const SPOT_WITHIN_MS = 20;

/** A spot has two items; the rest of what a screen does in an hour is not worth a line on the wire. */
const SPOTS_AN_HOUR = 3_600_000 / (2 * ITEM_MS);
const PROOFS_AN_HOUR = 2 * SPOTS_AN_HOUR;
const HOURS_A_MONTH = 730;
/** As in `agent.yml`: what is scraped in a minute. */
const SCRAPES_A_MINUTE = 2;
/** What Prometheus keeps by itself. */
const DAYS_KEPT = 15;

/** What `npm run fleet` found, and what follows from it for fleets of other sizes. */
export const FLEET_BLOCKS = {
  fleet: block(["fleet"], ({ fleet }) => {
    const { outcomes, speed } = fleet.figures;
    const rows = outcomes.map(({ cause, firedAfter, toldAfter, silenced, besides, complaints }) => [
      [cause.alert, ...besides].map((name) => (name === null ? "none" : `\`${name}\``)).join(", "),
      cause.what,
      cause.alert === null ? "" : number(cause.dueMinutes),
      minutes(firedAfter),
      minutes(toldAfter),
      silenced.map((name) => `\`${name}\``).join(", "),
      complaints.length === 0 ? "yes" : `**no**: ${complaints.join(", ")}`,
    ]);
    return [
      caption(fleet),
      `All of it lived ${number(speed)} times as fast. An alert's time is in minutes of the fleet, from its breakdown:`,
      table(["Alert", "Of what", "Due", "Fired", "Told", "Held back", "As it should be"], rows).trim(),
      wellness(fleet.figures),
    ].join("\n\n");
  }),

  "fleet-well": block(["fleet-well"], ({ "fleet-well": run }) => wellTable(run)),
  "fleet-copies": block(["fleet-copies"], ({ "fleet-copies": run }) => wellTable(run)),

  "fleet-screens": block(["fleet-screens"], ({ "fleet-screens": run }) => {
    const { screens, seconds, spots, proofs, failed, late, spotMs, bytesPerSpot, bytesPerProof } = run.figures;
    const { processorShare, memoryBytes } = run.figures;
    const failures = sum(Object.values(failed));
    return `${caption(run)}\n\n${table(
      ["", "", "Goal"],
      [
        ["Screens", number(screens), ""],
        ["Spots, proofs", `${number(spots)}, ${number(proofs)}`, ""],
        ["Requests a second", number((spots + proofs) / seconds), ""],
        ["Failed", number(failures), goal("0", failures === 0)],
        ["A second late or more", number(late), goal("0", late === 0)],
        ["Time to a spot, connection included: p50", `${number(spotMs.p50, 1)} ms`, ""],
        ["The same, p99", `${number(spotMs.p99, 1)} ms`, goal(`${SPOT_WITHIN_MS} ms`, spotMs.p99 <= SPOT_WITHIN_MS)],
        ["The same, most", `${number(spotMs.most)} ms`, ""],
        [
          "Bytes of a spot, of a proof, question and answer with their heads",
          `${number(bytesPerSpot)}, ${number(bytesPerProof)}`,
          "",
        ],
        ["The emulator", `${number(processorShare * 100)} % of a core, ${megabytes(memoryBytes)}`, ""],
      ],
    )}`;
  }),

  "fleet-one": block(["fleet-copies", "fleet-screens"], (runs) => {
    const { seriesPerPlayer, bytesPerScrape, pushedBytesPerMinute, pushesPerMinute, agentMemoryBytes } =
      runs["fleet-copies"].figures.figures;
    const line = lineBytesAnHour(runs["fleet-screens"]) * HOURS_A_MONTH;
    const pushed = pushedBytesPerMinute * 60 * HOURS_A_MONTH;
    return table(
      ["", ""],
      [
        [
          "Requests for spots",
          `${number(SPOTS_AN_HOUR)} an hour: one for each spot of ${number((2 * ITEM_MS) / 1_000)} s; longer items ask for fewer`,
        ],
        ["Proofs", `${number(PROOFS_AN_HOUR)} an hour: one for each item, at once`],
        ["Screen and location read", "2 an hour, and once more after a start"],
        [
          "Spots and proofs on the line",
          `${rough(line / 1e6)} MB a month, without what TCP and TLS add; a connection for each`,
        ],
        ["Media", "each creative once, and again when it gave way in the cache"],
        ["Series", `${number(seriesPerPlayer)}, and some more for each kind of failure that has happened`],
        ["A scrape", `${rough(bytesPerScrape)} bytes every ${number(60 / SCRAPES_A_MINUTE)} s, on loopback`],
        [
          "Pushed by its agent",
          `${rough(pushedBytesPerMinute)} bytes a minute in ${rough(pushesPerMinute)} requests, compressed, without their heads: ${rough(pushed / 1e6)} MB a month`,
        ],
        ["Memory of its agent", megabytes(agentMemoryBytes)],
      ],
    );
  }),

  "fleet-many": block(["fleet-copies", "fleet-screens"], (runs) => {
    const { seriesPerPlayer, pushedBytesPerMinute, pushesPerMinute, bytesPerSample } =
      runs["fleet-copies"].figures.figures;
    const samples = (seriesPerPlayer * SCRAPES_A_MINUTE) / 60;
    const perScreen: readonly (readonly [what: string, of: number, unit: "" | "bit/s" | "B"])[] = [
      ["Spots a second", SPOTS_AN_HOUR / 3_600, ""],
      ["Proofs a second", PROOFS_AN_HOUR / 3_600, ""],
      [
        "Spots and proofs on the service's line, both ways",
        (lineBytesAnHour(runs["fleet-screens"]) * 8) / 3_600,
        "bit/s",
      ],
      ["Series", seriesPerPlayer, ""],
      ["Samples a second", samples, ""],
      ["Pushes a second", pushesPerMinute / 60, ""],
      ["Pushed, on the monitoring server's line", (pushedBytesPerMinute * 8) / 60, "bit/s"],
      [
        `Disk for ${DAYS_KEPT} days, Prometheus' own default, at most`,
        samples * 86_400 * DAYS_KEPT * bytesPerSample,
        "B",
      ],
    ];
    const sizes = [10, 1_000, 100_000];
    return table(
      ["Screens", ...sizes.map((size) => number(size))],
      perScreen.map(([what, of, unit]) => [what, ...sizes.map((size) => withUnit(of * size, unit))]),
    );
  }),
};

function wellTable(run: Run<FleetResult>): string {
  const { figures, falseAlarms } = run.figures;
  const calls = sum(Object.values(figures.callsPerHour));
  const server = `${megabytes(figures.serverMemoryBytes)}, ${number(figures.serverProcessorShare * 100, 1)} % of a core`;
  return `${caption(run)}\n\n${table(
    ["", "", "Goal"],
    [
      ["Players; kiosks that the server sees", `${number(figures.players)}; ${number(figures.seenPlayers)}`, ""],
      [`Alerts in ${number(figures.minutes)} minutes`, number(falseAlarms.length), goal("0", falseAlarms.length === 0)],
      [
        "Requests of a player in an hour, media included; failed in all",
        `${number(calls)}; ${number(figures.failedCalls)}`,
        "",
      ],
      [
        "Series of a player, bytes of a scrape",
        `${number(figures.seriesPerPlayer)}, ${number(figures.bytesPerScrape)}`,
        "",
      ],
      [
        "Pushed by an agent with one player, a minute",
        `${number(figures.pushedBytesPerMinute)} bytes in ${number(figures.pushesPerMinute, 1)} requests`,
        "",
      ],
      ["Memory of that agent", megabytes(figures.agentMemoryBytes), ""],
      [`The server with ${number(figures.serverSeries)} series`, server, ""],
      [
        "On its disk, a block of this time; longer blocks take less",
        `${number(figures.bytesPerSample, 1)} bytes a sample`,
        "",
      ],
    ],
  )}`;
}

function wellness({ wellPlayers, watchedMinutes, falseAlarms }: FleetResult): string {
  const alerts = falseAlarms.length;
  return `${number(wellPlayers)} players were well for ${number(watchedMinutes)} minutes of theirs: ${number(alerts)} alerts (${goal("goal 0", alerts === 0)}).`;
}

function lineBytesAnHour({ figures }: Run<{ readonly bytesPerSpot: number; readonly bytesPerProof: number }>): number {
  return figures.bytesPerSpot * SPOTS_AN_HOUR + figures.bytesPerProof * PROOFS_AN_HOUR;
}

function minutes(after: number | null): string {
  return after === null ? "" : number(after, 1);
}

function megabytes(bytes: number): string {
  return `${number(bytes / 1e6)} MB`;
}

const STEPS = [
  ["", 1],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
] as const;

/** Two digits that count: what is multiplied by a fleet is no more exact. */
function withUnit(value: number, unit: string): string {
  if (unit === "") return rough(value);
  const [prefix, size] = STEPS.findLast(([, least]) => value >= least) ?? STEPS[0];
  return `${rough(value / size)} ${prefix}${unit}`;
}

function rough(value: number): string {
  return number(Number(value.toPrecision(2)), value < 10 && !Number.isInteger(value) ? 1 : 0);
}
