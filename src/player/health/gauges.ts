import { Gauge } from "prom-client";
import { PROOF_WINDOW_MS } from "../../core/proofs/proof.ts";
import type { MetricSources, ScreenVitals } from "./metric-sources.ts";
import type { Metrics } from "./metrics.ts";
import { isTakenBack } from "./upgrade.ts";

/**
 * Adds a gauge for each of what is read at a scrape; once. Those of one screen have the label `screen` where there are
 * several. What is not known has no series, unless its gauge says otherwise.
 */
export function registerGauges({ registry, several }: Metrics, sources: MetricSources): void {
  for (const { name, help, labels, read } of GAUGES) {
    const labelNames = labels.filter((label) => several || label !== "screen");
    new Gauge({
      name: `spotloop_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        // What cannot be read is left out, and takes nothing else along.
        const readings = await (async () => read(sources))().catch(() => []);
        // From here on without a pause: two scrapes may be under way.
        if (labelNames.length === 0) this.remove();
        else this.reset();
        for (const [labels, value] of readings) {
          const named = labelNames.map((label) => [label, labels[label] ?? ""]);
          if (value !== null) this.set(Object.fromEntries(named), value);
        }
      },
    });
  }
}

type Label = "screen" | "state" | "kind";

/** A value, or null where it is not known. */
type Reading = readonly [labels: Readonly<Partial<Record<Label, string>>>, value: number | null];

interface GaugeEntry {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  readonly read: (sources: MetricSources) => readonly Reading[] | Promise<readonly Reading[]>;
}

const RENDERINGS = ["hardware", "software"] as const;

const GAUGES: readonly GaugeEntry[] = [
  oneOf("screen_state", "What is in sight", {
    states: ["playing", "house", "closed", "hidden", "overridden", "off"],
    of: ({ state }) => state,
  }),
  ofScreens(
    "screen_failing",
    "1 while nothing was shown for ten minutes and the service did not say that it has nothing, as /health says it",
    ({ isFailing }) => Number(isFailing),
  ),
  oneOf("display_state", "How the playout record has the display", {
    states: ["on", "blanked", "hidden", "unknown"],
    of: ({ display }) => display,
  }),
  oneOf("panel_state", "Whether the display is on, as read back from the kernel, the X server, CEC or DDC/CI", {
    states: ["on", "off", "unknown"],
    of: ({ panel }) => panel,
  }),
  ofScreens(
    "panel_failing",
    "1 while a display has not become what display.power switched it to, or cannot be switched so",
    ({ isPanelFailing }) => Number(isPanelFailing),
  ),
  oneOf("ads_state", "Whether ads are possible, by the service's entries of screen and location", {
    states: ["possible", "withheld", "closed", "unapproved", "archived", "unknown"],
    of: ({ ads }) => ads.state,
  }),
  ofScreens("opens_timestamp_seconds", "When the location opens next; nothing while it is open", ({ ads }) =>
    seconds(ads.opensAt),
  ),
  oneOf("service_state", "What the last request for a spot met", {
    states: ["unasked", "ok", "limited", "denied", "unavailable", "refused", "portal"],
    of: ({ service }) => service,
  }),
  ofScreens(
    "last_shown_timestamp_seconds",
    "When an item was last shown in full; 0 before the first of a run",
    ({ shownAt }) => seconds(shownAt ?? 0),
  ),
  ofScreens(
    "last_proved_timestamp_seconds",
    "When the service last took a proof; 0 before the first of a run",
    ({ provedAt }) => seconds(provedAt ?? 0),
  ),
  {
    name: "proofs",
    help: "Proofs of play by state; settled ones are kept for 30 days",
    labels: ["state"],
    read(sources) {
      const { oldestDeadline: _, ...counts } = sources.proofs();
      return Object.entries(counts).map(([state, count]) => [{ state }, count]);
    },
  },
  single(
    "proof_oldest_deadline_seconds",
    "Soonest deadline of the owed proofs, Unix time; 0 when none is owed",
    (sources) => seconds(sources.proofs().oldestDeadline ?? 0),
  ),
  single(
    "proof_oldest_age_seconds",
    "Time since the spot of the oldest owed proof was asked for; nothing when none is owed",
    (sources) => {
      const left = timeLeft(sources);
      return left === null ? null : seconds(PROOF_WINDOW_MS - left);
    },
  ),
  single(
    "proof_oldest_remaining_seconds",
    "Time until the soonest deadline of the owed proofs; nothing when none is owed",
    (sources) => seconds(timeLeft(sources)),
  ),
  single(
    "record_signed_timestamp_seconds",
    "When the last checkpoint of the playout record was signed; 0 before the first",
    (sources) => seconds(Date.parse(sources.record().signedAt ?? EPOCH)),
  ),
  single(
    "record_unwritten_rows",
    "Rows that are not in the playout record: the disk does not take them, or they had to be given up",
    (sources) => sources.record().unwritten,
  ),
  single("cache_bytes", "Size of the media cache", (sources) => sources.cache().bytes),
  single("cache_files", "Files in the media cache", (sources) => sources.cache().files),
  single("cache_limit_bytes", "The most that the media cache may take", (sources) => sources.cache().maxBytes),
  single("data_month_bytes", "Bytes of media downloaded in this calendar month", (sources) => sources.data().usedBytes),
  single(
    "data_month_limit_bytes",
    "The most that media may take of the line in a month; nothing where there is no limit",
    (sources) => sources.data().monthlyBytes,
  ),
  single(
    "data_month_refused",
    "Downloads that this month's data did not suffice for",
    (sources) => sources.data().refused,
  ),
  single("disk_free_bytes", "Free on the disk of the data folder", async (sources) => (await sources.disk()).freeBytes),
  single("disk_size_bytes", "Size of the disk of the data folder", async (sources) => (await sources.disk()).sizeBytes),
  single(
    "disk_reserve_bytes",
    "What the media cache leaves free on the disk",
    (sources) => sources.cache().reserveBytes,
  ),
  single(
    "disk_wear_ratio",
    "Share of its life that the most worn eMMC has used, to the next tenth; nothing where it does not tell",
    async (sources) => (await sources.disk()).wornRatio,
  ),
  {
    name: "process_memory_bytes",
    help: "Memory by kind of process; what several of them share counts in each",
    labels: ["kind"],
    read: (sources) => Object.entries(sources.memory()).map(([kind, bytes]) => [{ kind }, bytes]),
  },
  single(
    "clock_offset_seconds",
    "How far the service's clock is ahead of this machine's; nothing until it is known",
    (sources) => seconds(sources.clock().offsetMs),
  ),
  single(
    "clock_uncertainty_seconds",
    "How far off the offset may be; nothing where the service's answers do not tell",
    (sources) => seconds(sources.clock().uncertaintyMs),
  ),
  {
    name: "rendering_state",
    help: statesIn("What draws", RENDERINGS),
    labels: ["state"],
    read: (sources) => oneHot(RENDERINGS, sources.recovery().rendering),
  },
  single("safe_mode", "1 while the player runs in safe mode", (sources) => Number(sources.recovery().safeMode)),
  single(
    "restarts_in_a_row",
    "Restarts that troubles led to, without a healthy run in between",
    (sources) => sources.recovery().restartsInARow,
  ),
  single("start_timestamp_seconds", "When this run of the player began", (sources) => seconds(sources.startedAt)),
  single(
    "upgrade_taken_back",
    "1 once the last upgrade was taken back, since it did not prove, until another one proves; nothing before the first",
    (sources) => {
      const upgrade = sources.upgrade();
      return upgrade === null ? null : Number(isTakenBack(upgrade));
    },
  ),
  single(
    "remote_connected",
    "1 while the broker of remote commands is connected; nothing where there is none",
    (sources) => {
      const { broker } = sources.remote();
      return broker === null ? null : Number(broker);
    },
  ),
  single(
    "blocklisted_creatives",
    "Creatives that are not played for now, since they failed again and again",
    (sources) => sources.blocklisted(),
  ),
];

const EPOCH = new Date(0).toISOString();

function single(
  name: string,
  help: string,
  read: (sources: MetricSources) => number | null | Promise<number | null>,
): GaugeEntry {
  return { name, help, labels: [], read: async (sources) => [[{}, await read(sources)]] };
}

function ofScreens(name: string, help: string, read: (screen: ScreenVitals) => number | null): GaugeEntry {
  const readAll = (sources: MetricSources) =>
    sources.screens().map((screen): Reading => [{ screen: screen.screenId }, read(screen)]);
  return { name, help, labels: ["screen"], read: readAll };
}

/** As a StateSet of OpenMetrics: a series for each state, and 1 for the one that it is. */
function oneOf<State extends string>(
  name: string,
  help: string,
  { states, of }: { readonly states: readonly State[]; readonly of: (screen: ScreenVitals) => State },
): GaugeEntry {
  const readAll = (sources: MetricSources) =>
    sources.screens().flatMap((screen) => oneHot(states, of(screen), { screen: screen.screenId }));
  return { name, help: statesIn(help, states), labels: ["screen", "state"], read: readAll };
}

function statesIn(help: string, states: readonly string[]): string {
  return `${help}; 1 for one of ${states.join(", ")}`;
}

function oneHot(states: readonly string[], current: string, labels: { readonly screen?: string } = {}): Reading[] {
  return states.map((state) => [{ ...labels, state }, Number(state === current)]);
}

function timeLeft(sources: MetricSources): number | null {
  const { oldestDeadline } = sources.proofs();
  return oldestDeadline === null ? null : oldestDeadline - sources.clock().now;
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}
