import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HealthReport } from "../../src/player/health/health-report.ts";

/** Asks the player whose data folder is `home`/data how it is, or `undefined` while it cannot be asked. */
export async function readHealth(home: string): Promise<HealthReport | undefined> {
  try {
    const { port } = JSON.parse(readFileSync(join(home, "data", "health.json"), "utf8")) as { port: number };
    const response = await fetch(`http://127.0.0.1:${port}/health`);
    return (await response.json()) as HealthReport;
  } catch {
    return undefined;
  }
}
