/** PromQL, and how Grafana names the series that it gives. */
type Query = readonly [expr: string, legend: string];

interface Panel {
  readonly type: "stat" | "timeseries" | "state-timeline" | "table";
  readonly title: string;
  readonly queries: readonly Query[];
  /** Of the board's 24 columns. */
  readonly width: number;
  /** As Grafana calls it. */
  readonly unit?: string;
  /** Names in place of the values 0, 1, 2… */
  readonly states?: readonly State[];
}

type State = readonly [name: string, color: string];

interface Row {
  readonly title: string;
  readonly height: number;
  readonly panels: readonly Panel[];
}

/** The series of the machines that are chosen on the board. */
const HERE = 'job="spotloop",instance=~"$instance"';
const EACH = "{{instance}} {{screen}}";

const SCREEN: readonly State[] = [
  ["playing", "green"],
  ["house", "yellow"],
  ["closed", "gray"],
  ["hidden", "red"],
  ["overridden", "purple"],
  ["off", "dark-blue"],
];
const ADS: readonly State[] = [
  ["possible", "green"],
  ["withheld", "yellow"],
  ["closed", "gray"],
  ["unapproved", "orange"],
  ["archived", "gray"],
  ["unknown", "purple"],
];
const PANEL: readonly State[] = [
  ["on", "green"],
  ["off", "red"],
  ["unknown", "gray"],
];
const SERVICE: readonly State[] = [
  ["ok", "green"],
  ["unasked", "gray"],
  ["limited", "yellow"],
  ["denied", "red"],
  ["unavailable", "orange"],
  ["refused", "red"],
  ["portal", "purple"],
];

const ROWS: readonly Row[] = [
  {
    title: "Now",
    height: 4,
    panels: [
      stat("Players that answer", `sum(up{${HERE}})`),
      ...SCREEN.map(([state]) => stat(`Screens: ${state}`, `sum(spotloop_screen_state{${HERE},state="${state}"})`)),
      stat("Alerts", 'count(ALERTS{alertname=~"Spotloop.+",alertstate="firing",instance=~"$instance"}) or vector(0)'),
    ],
  },
  {
    title: "Screens",
    height: 8,
    panels: [
      timeline("What is in sight", "screen_state", SCREEN),
      timeline("Whether the display is on", "panel_state", PANEL),
      timeline("Whether ads are possible", "ads_state", ADS),
      timeline("What requests for spots met", "service_state", SERVICE),
      graph("Time since an item was shown", "s", [[since("last_shown"), EACH]]),
      graph("Items shown in an hour", "short", [
        [`sum by (kind) (increase(spotloop_items_shown_total{${HERE}}[1h]))`, "{{kind}}"],
      ]),
      graph("Items that failed in an hour", "short", [
        [`sum by (reason) (increase(spotloop_items_failed_total{${HERE}}[1h]))`, "{{reason}}"],
      ]),
      graph("Share of time with house content", "percentunit", [
        [`rate(spotloop_house_seconds_total{${HERE}}[30m])`, EACH],
      ]),
      graph("Lateness of items, and age of pages when first seen (95 %)", "s", [
        [quantile("take_lateness_seconds"), "lateness"],
        [quantile("page_age_seconds"), "age of pages"],
      ]),
    ],
  },
  {
    title: "Proofs",
    height: 8,
    panels: [
      graph("Time since a proof was taken", "s", [[since("last_proved"), EACH]]),
      graph("Owed", "short", [[`spotloop_proofs{${HERE},state="owed"}`, "{{instance}}"]]),
      graph("Time left for the oldest one owed", "s", [
        [`spotloop_proof_oldest_remaining_seconds{${HERE}}`, "{{instance}}"],
      ]),
      graph("Settled in an hour", "short", [
        [`sum by (outcome) (increase(spotloop_proofs_settled_total{${HERE}}[1h]))`, "{{outcome}}"],
      ]),
      graph("From the end of an item to its delivery (95 %)", "s", [[quantile("proof_delay_seconds"), "delay"]]),
      graph("Time since the record was signed", "s", [
        [`time() - (spotloop_record_signed_timestamp_seconds{${HERE}} > 0)`, "{{instance}}"],
      ]),
    ],
  },
  {
    title: "Machines",
    height: 8,
    panels: [
      graph("Disk free", "bytes", [[`spotloop_disk_free_bytes{${HERE}}`, "{{instance}}"]]),
      graph("Wear of eMMC", "percentunit", [[`spotloop_disk_wear_ratio{${HERE}}`, "{{instance}}"]]),
      graph("Memory by kind of process", "bytes", [
        [`sum by (kind) (spotloop_process_memory_bytes{${HERE}})`, "{{kind}}"],
      ]),
      graph("Media downloaded this month", "bytes", [
        [`spotloop_data_month_bytes{${HERE}}`, "{{instance}}"],
        [`spotloop_data_month_limit_bytes{${HERE}}`, "{{instance}}: limit"],
      ]),
      graph("The service's clock is ahead by", "s", [[`spotloop_clock_offset_seconds{${HERE}}`, "{{instance}}"]]),
      graph("Starts in an hour", "short", [[`changes(spotloop_start_timestamp_seconds{${HERE}}[1h])`, "{{instance}}"]]),
      graph("Rendering in software, and safe mode", "short", [
        [`spotloop_rendering_state{${HERE},state="software"}`, "{{instance}}: software"],
        [`spotloop_safe_mode{${HERE}}`, "{{instance}}: safe mode"],
      ]),
      graph("Upgrades that were taken back", "short", [[`spotloop_upgrade_taken_back{${HERE}}`, "{{instance}}"]]),
      graph("Creatives that are not played for now", "short", [
        [`spotloop_blocklisted_creatives{${HERE}}`, "{{instance}}"],
      ]),
      {
        type: "table",
        title: "Versions",
        width: 24,
        queries: [[`count by (version, electron, chromium) (spotloop_build_info{${HERE}})`, ""]],
      },
    ],
  },
];

/** The board for a fleet, as Grafana imports it. */
export function grafanaBoard(): object {
  return {
    title: "Spotloop",
    uid: "spotloop",
    tags: ["spotloop"],
    schemaVersion: 38,
    editable: true,
    refresh: "1m",
    time: { from: "now-24h", to: "now" },
    templating: { list: [sourceVariable(), instanceVariable()] },
    panels: panels(),
  };
}

const SOURCE = { type: "prometheus", uid: "$datasource" };

function sourceVariable(): object {
  return { name: "datasource", type: "datasource", query: "prometheus", label: "Source" };
}

function instanceVariable(): object {
  return {
    ...{ name: "instance", type: "query", label: "Machine", datasource: SOURCE, refresh: 2, sort: 1 },
    ...{ multi: true, includeAll: true, allValue: ".*", current: { text: "All", value: "$__all" } },
    query: { query: 'label_values(up{job="spotloop"}, instance)', refId: "instance" },
  };
}

const COLUMNS = 24;

/** One after the other from left to right, each row below a heading of its own. */
function panels(): readonly object[] {
  const laid: object[] = [];
  let [x, y] = [0, 0];
  for (const { title, height, panels: shown } of ROWS) {
    laid.push({ id: laid.length + 1, type: "row", title, collapsed: false, gridPos: { x: 0, y, w: COLUMNS, h: 1 } });
    y += 1;
    for (const panel of shown) {
      if (x + panel.width > COLUMNS) [x, y] = [0, y + height];
      laid.push({ id: laid.length + 1, ...drawn(panel), gridPos: { x, y, w: panel.width, h: height } });
      x += panel.width;
    }
    [x, y] = [0, y + height];
  }
  return laid;
}

function drawn({ type, title, queries, unit = "short", states = [] }: Panel): object {
  const named = Object.fromEntries(states.map(([text, color], value) => [value, { text, color }]));
  const mappings = states.length === 0 ? [] : [{ type: "value", options: named }];
  const once =
    type === "stat" || type === "table" ? { instant: true, format: type === "table" ? "table" : "time_series" } : {};
  return {
    ...{ type, title, datasource: SOURCE },
    fieldConfig: { defaults: { unit, mappings, noValue: "–" }, overrides: [] },
    targets: queries.map(([expr, legendFormat], index) => {
      return { refId: String.fromCharCode(65 + index), datasource: SOURCE, expr, legendFormat, ...once };
    }),
  };
}

function stat(title: string, expr: string): Panel {
  return { type: "stat", title, queries: [[expr, ""]], width: 4 };
}

function graph(title: string, unit: string, queries: readonly Query[]): Panel {
  return { type: "timeseries", title, queries, unit, width: 8 };
}

/** A metric of states, each drawn as its place among them. */
function timeline(title: string, metric: string, states: readonly State[]): Panel {
  const each = states.map(([state], place) => `${place} * (spotloop_${metric}{${HERE},state="${state}"} == 1)`);
  const expr = each.map((one) => `max without (state) (${one})`).join(" or ");
  return { type: "state-timeline", title, queries: [[expr, EACH]], states, width: 8 };
}

/** 0 is before the first of a run. */
function since(what: string): string {
  return `time() - (spotloop_${what}_timestamp_seconds{${HERE}} > 0)`;
}

function quantile(histogram: string): string {
  return `histogram_quantile(0.95, sum by (le) (rate(spotloop_${histogram}_bucket{${HERE}}[1h])))`;
}
