import { dateOf } from "../../client/retry-after.ts";
import type { LoopEvent } from "../../core/loop.ts";
import type { RestReason } from "../../core/rest.ts";
import type { PlayerParts } from "../player.ts";
import type { ServiceClock } from "../service-clock.ts";
import { OpeningWatch } from "./opening-watch.ts";
import { screenFile } from "./screen-file.ts";
import { type Inventory, ScreenWatch } from "./screen-watch.ts";

/** What the service says of one screen, and the hours that the screen keeps by it. */
export interface ScreenHours {
  /** Why the screen rests from the start. */
  reasons(): readonly RestReason[];
  /** Begins to read, and tells the screen's loop when to rest. */
  start(tell: (event: LoopEvent) => void): void;
}

/** What a screen's hours are read and kept with. */
export interface ScreenHoursParts
  extends Pick<PlayerParts, "config" | "clock" | "log" | "dice" | "fetch" | "spotRetryMs"> {
  readonly screenId: string;
  readonly serviceClock: ServiceClock;
  readonly signal: AbortSignal;
  readonly onTitle?: ((title: string) => void) | undefined;
}

/** Hours are kept only where the configuration says so; the screen's title is read in any case. */
export function openScreenHours(parts: ScreenHoursParts): ScreenHours {
  const { screenId, config, clock, log, dice, serviceClock, signal } = parts;
  const { respect } = config.openingHours;
  const watch = new ScreenWatch({
    ...{ screenId, path: screenFile(config.dataDir, screenId), withHours: respect },
    ...{ clock, dice, log, signal },
    openInventory: () => openInventory(parts),
    onRead({ title, opening }) {
      hours?.learn(opening);
      if (title !== null) parts.onTitle?.(title);
    },
  });
  const { title, opening } = watch.facts();
  const hours = respect ? new OpeningWatch({ clock, serviceClock, opening, log, signal }) : null;
  return {
    reasons: () => hours?.reasons() ?? [],
    start(tell) {
      if (title !== null) parts.onTitle?.(title);
      hours?.start(tell);
      watch.start(hours !== null && hours.reasons().length > 0);
    },
  };
}

/** Its answers tell the service's time, too: a screen that is closed asks for nothing else. */
async function openInventory({ config, fetch, spotRetryMs, serviceClock }: ScreenHoursParts): Promise<Inventory> {
  const { VendorService } = await import("../../client/vendor-service.ts");
  return new VendorService({
    baseUrl: config.baseUrl,
    orgToken: config.orgToken,
    async fetch(...request) {
      const reply = await fetch(...request);
      serviceClock.hear(dateOf(reply.headers));
      return reply;
    },
    timeoutMs: config.spot.timeoutSeconds * 1000,
    ...(spotRetryMs === undefined ? {} : { retryMs: spotRetryMs }),
  });
}
