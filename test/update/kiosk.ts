import { z } from "zod";
import { until } from "../boot/steps.ts";
import type { Container } from "./container.ts";

const healthSchema = z.object({
  status: z.string(),
  proofs: z.object({ owed: z.number(), delivered: z.number() }),
  versions: z.object({ spotloop: z.string() }),
  upgrade: z.object({ phase: z.string(), from: z.string(), to: z.string() }).nullable(),
});

const UPGRADED_WITHIN_MS = 10 * 60_000;

/** What a test does to a kiosk's packages, and asks of it. */
export class Kiosk {
  readonly machine: Container;

  constructor(machine: Container) {
    this.machine = machine;
  }

  /** What the player says of itself; null while nobody answers. */
  async health(): Promise<z.infer<typeof healthSchema> | null> {
    const port = "$(sed -E 's/.*\"port\":([0-9]+).*/\\1/' /var/lib/spotloop/health.json)";
    const said = await this.machine.run(`curl --silent --max-time 5 http://127.0.0.1:${port}/health || true`);
    return said.startsWith("{") ? healthSchema.parse(JSON.parse(said)) : null;
  }

  /** The lines of a scrape that begin with a metric's name. */
  async metric(name: string): Promise<string> {
    const port = "$(sed -E 's/.*\"port\":([0-9]+).*/\\1/' /var/lib/spotloop/health.json)";
    return this.machine.run(`curl --silent http://127.0.0.1:${port}/metrics | grep '^${name}' || true`);
  }

  /** Resolves when a player of this version, as packages name it, has delivered proofs more than `beyond`. */
  proves(version: string, signal: AbortSignal, beyond = 0): Promise<number> {
    return until(signal, async () => {
      const health = await this.health().catch(() => null);
      if (health === null || health.versions.spotloop !== version) return null;
      return health.proofs.delivered > beyond ? health.proofs.delivered : null;
    });
  }

  /** As unattended-upgrades does it in its hours; answers with what that said. */
  async upgrade(): Promise<string> {
    return this.machine.run("apt-get -qq update && unattended-upgrade --verbose", UPGRADED_WITHIN_MS);
  }

  /** Resolves with what the last upgrade came to, once that is so. */
  async phase(phase: string, signal: AbortSignal): Promise<string> {
    return until(signal, async () => {
      const state = await this.machine.run("cat /var/lib/spotloop-update/state 2>/dev/null || true");
      return new RegExp(`^phase=${phase}$`, "m").test(state) ? state.replaceAll("\n", " ") : null;
    });
  }

  /** The version that is installed of both packages; throws where they differ or are not whole. */
  async version(): Promise<string> {
    const said = await this.machine.run(
      "dpkg-query -f '\x24{db:Status-Abbrev}\x24{Version}\\n' -W spotloop spotloop-kiosk",
    );
    const [one = "", other] = said.split("\n").map((line) => line.trim());
    if (one !== other || !one.startsWith("ii ")) throw new Error(`the packages are not whole: ${said}`);
    return one.replace("ii ", "").trim();
  }
}
