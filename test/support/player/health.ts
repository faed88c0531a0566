import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HealthReport } from "../../../src/player/health/health-report.ts";

/** Asks the player whose data folder is `home`/data how it is, or `undefined` while it cannot be asked. */
export async function readHealth(home: string): Promise<HealthReport | undefined> {
  const answer = await ask(home, "health");
  return answer === undefined ? undefined : (JSON.parse(answer) as HealthReport);
}

/** The id of the item on air, or `undefined` where there is none, or nobody can be asked. */
export async function onAirIn(home: string): Promise<string | undefined> {
  const onAir = (await readHealth(home))?.onAir;
  return typeof onAir === "object" ? onAir.id : undefined;
}

/** How many pages were raised and drawn so far, those included that were loaded anew in sight; 0 while it cannot be asked. */
export async function pagesSeen(home: string): Promise<number> {
  const metrics = await readMetrics(home);
  return Number(/^spotloop_page_age_seconds_count (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

/** What a scrape of it brings; nothing while it cannot be asked. */
export async function readMetrics(home: string): Promise<string> {
  return (await ask(home, "metrics")) ?? "";
}

async function ask(home: string, path: string): Promise<string | undefined> {
  try {
    const { port } = JSON.parse(readFileSync(join(home, "data", "health.json"), "utf8")) as { port: number };
    return await (await fetch(`http://127.0.0.1:${port}/${path}`)).text();
  } catch {
    return undefined;
  }
}
