// Run by the chaos harness: a whole player with a stage that shows nothing, which tells line by line what it does.
import { createHash } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import { basename } from "node:path";
import type { Playout } from "../../src/core/spot.ts";
import { systemClock } from "../../src/player/clock.ts";
import { readConfig } from "../../src/player/config/config.ts";
import { createMetrics } from "../../src/player/health/metrics.ts";
import { openLog } from "../../src/player/log/log.ts";
import { startPlayer } from "../../src/player/player.ts";
import type { Stage } from "../../src/player/screen/stage.ts";
import { SimulatedStage } from "../support/player/simulated-stage.ts";
import type { Told } from "./told.ts";

/** Written before it returns: whatever was told, was so before the process was killed. */
const tell = (told: Told) => writeSync(1, `${JSON.stringify(told)}\n`);

const reading = readConfig({ path: process.argv[2] ?? null, env: process.env });
if (reading.kind === "bad") throw new Error(JSON.stringify(reading.problems));
const { config } = reading;
const clock = systemClock(null);
const log = await openLog({ ...config.log, secrets: [config.orgToken], echo: process.stderr });
const stage = new SimulatedStage(clock);
let taken: Playout | null = null;
const player = await startPlayer({
  ...{ config, clock, log: log.logger, metrics: createMetrics(), fetch, random: Math.random },
});
const told: Stage = {
  record: (playout, media, signal) => stage.record(playout, media, signal),
  cue(playout, media) {
    const digest = createHash("sha256").update(readFileSync(media.path)).digest("hex");
    tell({ what: "cued", whole: digest === media.digest && digest === basename(media.path) });
    stage.cue(playout, media);
  },
  take(playout) {
    taken = playout;
    stage.take(playout);
  },
  clear: (playout) => stage.clear(playout),
  blank: () => stage.blank(),
  unblank: () => stage.unblank(),
};
const { loop } = player.play(config.screens[0]?.screenId ?? "", told, {
  onSettled({ requestId, item }, outcome) {
    if (outcome.kind === "shown") tell({ what: "shown", requestId, kind: item.kind });
  },
});
stage.connect((event) => {
  if (event.kind === "deck-painted" && event.playout === taken?.id) {
    const { requestId, item } = taken;
    tell({ what: "painted", requestId, kind: item.kind, at: Date.now(), durationMs: item.durationMs });
  }
  loop.dispatch(event);
});
tell({ what: "started" });
process.once("SIGTERM", () => {
  void player
    .stop()
    .then(() => log.close())
    .then(() => process.exit(0));
});
