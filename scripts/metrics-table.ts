import { registerGauges } from "../src/player/health/gauges.ts";
import type { MetricSources } from "../src/player/health/metric-sources.ts";
import { createMetrics } from "../src/player/health/metrics.ts";

/** What describes a metric of the player. */
export interface MetricDescription {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Every metric of a player of several screens, in the order of a scrape. */
export function metricDescriptions(): readonly MetricDescription[] {
  const metrics = createMetrics(true);
  // Nothing is read from them: only what describes the metrics is asked for.
  registerGauges(metrics, {} as MetricSources);
  // The names of the labels are there, and not in the package's types.
  const described = metrics.registry.getMetricsAsArray() as unknown as readonly (MetricDescription & {
    readonly labelNames: readonly string[];
  })[];
  return described.map(({ name, type, help, labelNames }) => ({ name, type, help, labels: labelNames }));
}

/** The metrics as a table in Markdown. */
export function metricsTable(): string {
  const rows = metricDescriptions().map(({ name, type, help, labels }) => {
    const labelled = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${type} | ${labelled} | ${unitOf(name)} | ${help} |\n`;
  });
  return `| Name | Type | Labels | Unit | Tells |\n|---|---|---|---|---|\n${rows.join("")}`;
}

const UNITS: readonly (readonly [name: RegExp, unit: string])[] = [
  [/_timestamp_seconds$|_deadline_seconds$/, "Unix time, s"],
  [/_seconds(_total)?$/, "s"],
  [/_bytes(_total)?$/, "bytes"],
  [/_ratio$/, "ratio"],
  [/_state$|_failing$|_mode$|_info$/, "0 or 1"],
];

function unitOf(name: string): string {
  return UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? "number";
}
