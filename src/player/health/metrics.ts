import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** What the player counts, for Prometheus. Its own registry: nothing is shared with others in the process. */
export interface Metrics {
  readonly registry: Registry;
  /** Whether there are several screens, so that what is of one has the label `screen`. */
  readonly several: boolean;
  /** By outcome: `spot`, `empty`, `limited`, `denied`, `unavailable`, `refused`. */
  readonly spotRequests: Counter<"outcome" | "screen">;
  readonly itemsShown: Counter<"kind" | "screen">;
  readonly itemsFailed: Counter<"kind" | "reason" | "screen">;
  /** Seconds between the instant that an item was planned for and its first frame. */
  readonly takeLateness: Histogram<"screen">;
  readonly houseSeconds: Counter<"screen">;
  /** By outcome: `delivered`, `refused`, `expired`. */
  readonly proofsSettled: Counter<"outcome">;
  /** Seconds between the end of an item and the delivery of its proof. */
  readonly proofDelay: Histogram;
  readonly downloadedBytes: Counter;
  /** Requests of HTML creatives that were refused or could not be answered. */
  readonly pageMisses: Counter;
  /** Seconds from the beginning of an HTML creative to the first frame of it that anybody sees (F22). */
  readonly pageAge: Histogram;
  /** By what they are and what came of them: `done`, `failed`, or why they were refused. */
  readonly remoteCommands: Counter<"command" | "outcome">;
  /** Connections to the broker of remote commands, by what came of them: `connected`, `certificate`, `refused`, `network`. */
  readonly remoteConnections: Counter<"outcome">;
  /** Of the player, since the machine was started. */
  readonly restarts: Gauge;
  /** Always 1; the versions are its labels. */
  readonly build: Gauge<"version" | "electron" | "chromium" | "node">;
  /** What is counted for each screen, for one of them. */
  of(screenId: string): ScreenMetrics;
}

/** What is counted for one screen. */
export interface ScreenMetrics
  extends Pick<Metrics, "spotRequests" | "itemsShown" | "itemsFailed" | "takeLateness" | "houseSeconds"> {
  /** To be given with everything that is counted; none where there is only one screen. */
  readonly labels: { readonly screen?: string };
}

/** From a frame at 60 Hz to what everybody sees. */
const LATENESS_SECONDS = [0.005, 0.01, 0.017, 0.034, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** A page that comes from the cache is loaded in some tenths of a second; one that loads for 20 s is given up. */
const AGE_SECONDS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2, 5, 10, 20];

/** From one answer of the service to the end of the hour. */
const DELAY_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 1_800, 3_600];

/**
 * Makes what the player counts, all at 0; what is read at each scrape is added by `registerGauges`. What is counted for
 * each screen has the label `screen` where there are `several`.
 */
export function createMetrics(several = false): Metrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name: `spotloop_${name}`, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `spotloop_${name}`, help, labelNames, registers });

  const screen = several ? (["screen"] as const) : [];
  const ofScreens = {
    spotRequests: counter("spot_requests_total", "Requests for a spot by what came of them", ["outcome", ...screen]),
    itemsShown: counter("items_shown_total", "Items shown in full", ["kind", ...screen]),
    itemsFailed: counter("items_failed_total", "Items not shown in full, by reason", ["kind", "reason", ...screen]),
    takeLateness: new Histogram({
      name: "spotloop_take_lateness_seconds",
      help: "Time between the instant an item was planned for and its first frame",
      labelNames: screen,
      buckets: LATENESS_SECONDS,
      registers,
    }),
    houseSeconds: counter("house_seconds_total", "Time for which house content was on screen", screen),
  };

  return {
    registry,
    several,
    ...ofScreens,
    of: (screenId) => ({ ...ofScreens, labels: several ? { screen: screenId } : {} }),
    proofsSettled: counter("proofs_settled_total", "Proofs of play by what became of them in this run", ["outcome"]),
    proofDelay: new Histogram({
      name: "spotloop_proof_delay_seconds",
      help: "Time between the end of an item and the delivery of its proof",
      buckets: DELAY_SECONDS,
      registers,
    }),
    downloadedBytes: counter("downloaded_bytes_total", "Bytes of media downloaded"),
    pageMisses: counter("page_misses_total", "Requests of HTML creatives that were refused or could not be answered"),
    pageAge: new Histogram({
      name: "spotloop_page_age_seconds",
      help: "Time between the beginning of an HTML creative and its first frame in sight",
      buckets: AGE_SECONDS,
      registers,
    }),
    remoteCommands: counter("remote_commands_total", "Commands from afar by what came of them", ["command", "outcome"]),
    remoteConnections: counter("remote_connections_total", "Connections to the broker by what came of them", [
      "outcome",
    ]),
    restarts: gauge("restarts", "Restarts of the player since the machine was started"),
    build: gauge("build_info", "Always 1, with the versions as labels", ["version", "electron", "chromium", "node"]),
  };
}
