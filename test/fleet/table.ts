import type { Outcome } from "./judge.ts";
import type { Figures } from "./monitoring/figures.ts";
import type { FleetResult } from "./run.ts";
import type { ScreensResult } from "./screens.ts";

const HEADING = ["", "alert", "cause", "due", "fired", "told", "held back"];

/** What a run found, for people. Times are minutes of the fleet. */
export function fleetTable(result: FleetResult, speed: number): string {
  const { outcomes, falseAlarms, wellPlayers, watchedMinutes } = result;
  const pace =
    speed === 1
      ? "All durations are the true ones.\n"
      : `Players, screen network, rules and Prometheus live ${speed} times as fast; minutes are theirs.\n`;
  const well = `${wellPlayers} players were well for ${watchedMinutes.toFixed(0)} minutes: ${falseAlarms.length} alerts.\n`;
  const complaints = [
    ...falseAlarms,
    ...outcomes.flatMap((one) => one.complaints.map((text) => `${one.cause.name}: ${text}`)),
  ];
  const wrong = complaints.map((text) => `  wrong: ${text}\n`).join("");
  const broken = outcomes.length === 0 ? "" : `\n${rowsOf(outcomes)}`;
  return `${pace}${well}${broken}${wrong}\n${figuresOf(result.figures)}`;
}

/** Whether each alert fired on its cause, and no other. */
export function isClean({ outcomes, falseAlarms }: FleetResult): boolean {
  return falseAlarms.length === 0 && outcomes.every(({ complaints }) => complaints.length === 0);
}

/** What simulated screens found, for people. */
export function screensTable(result: ScreensResult): string {
  const {
    screens,
    seconds,
    spots,
    proofs,
    failed,
    late,
    spotMs,
    bytesPerSpot,
    bytesPerProof,
    processorShare,
    memoryBytes,
  } = result;
  const failures = Object.entries(failed).map(([what, count]) => `${count} times ${what}`);
  const lines = [
    `spots: ${spots}, proofs: ${proofs}: ${((spots + proofs) / seconds).toFixed(0)} requests a second`,
    `failed: ${failures.join(", ") || 0}; turns that came more than a second late: ${late}`,
    `time to a spot, connection included: p50 ${spotMs.p50.toFixed(1)} ms, p99 ${spotMs.p99.toFixed(1)} ms, most ${spotMs.most.toFixed(0)} ms`,
    `bytes of a spot: ${bytesPerSpot.toFixed(0)}, of a proof: ${bytesPerProof.toFixed(0)}, question and answer`,
    `the emulator: ${(processorShare * 100).toFixed(0)} % of a core, ${megabytes(memoryBytes)}`,
  ];
  return `${screens} simulated screens for ${seconds.toFixed(0)} s, at their own pace:\n${lines.map((one) => `  ${one}\n`).join("")}`;
}

function rowsOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ cause, firedAfter, toldAfter, silenced, besides, complaints }) => [
    complaints.length === 0 ? "ok" : "NO",
    [cause.alert ?? "none", ...besides].join(", "),
    cause.what,
    cause.alert === null ? "" : String(cause.dueMinutes),
    minutes(firedAfter),
    minutes(toldAfter),
    silenced.join(", "),
  ]);
  const widths = HEADING.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `  ${cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd()}\n`;
  return [HEADING, ...rows].map(line).join("");
}

function minutes(after: number | null): string {
  return after === null ? "" : after.toFixed(1);
}

function figuresOf(figures: Figures): string {
  const calls = Object.entries(figures.callsPerHour)
    .filter(([, count]) => count >= 0.05)
    .map(([route, count]) => `${route} ${count.toFixed(1)}`);
  const lines = [
    `calls of a player in an hour: ${calls.join(", ")}; ${figures.failedCalls} failed in all`,
    `series of a player: ${figures.seriesPerPlayer}`,
    `a scrape: ${figures.bytesPerScrape} bytes`,
    `pushed by a player's agent in a minute: ${figures.pushedBytesPerMinute.toFixed(0)} bytes, in ${figures.pushesPerMinute.toFixed(1)} requests`,
    `an agent's memory: ${megabytes(figures.agentMemoryBytes)}`,
    `the server with ${figures.seenPlayers} players, ${figures.serverSeries} series: ${megabytes(figures.serverMemoryBytes)}, ${(figures.serverProcessorShare * 100).toFixed(1)} % of a core`,
    `on the server's disk: ${figures.bytesPerSample.toFixed(2)} bytes a sample, of ${figures.samplesInBlock}`,
  ];
  const kept = figures.scrapedShare;
  if (kept < KEPT_UP) {
    const share = `${(kept * 100).toFixed(0)} %`;
    lines.push(
      `only ${share} of all scrapes came: the machine cannot keep up, take a lower --speed or fewer --players`,
    );
  }
  return `Measured on ${figures.players} players in ${figures.minutes.toFixed(0)} minutes:\n${lines.map((one) => `  ${one}\n`).join("")}`;
}

/** With fewer of its scrapes an alert begins to wait anew now and then. */
const KEPT_UP = 0.95;

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
