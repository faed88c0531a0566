import type { Display } from "../../scripts/setup/display.ts";
import type { Catalogue } from "./catalogue.ts";
import { eventually } from "./processes.ts";
import { type Frames, recordDisplay } from "./recording.ts";
import { type Sight, sightingsIn } from "./sightings.ts";

/** A recording that is looked at while it goes on. */
export interface Watch {
  /** Resolves when these were in sight one after the other, whatever came in between; counted from the last call's end. */
  until(wanted: readonly ((sight: Sight) => boolean)[]): Promise<void>;
  /** Ends it; resolves with all frames. */
  stop(): Promise<Frames>;
}

/** A slow machine may need long for a lap through a folder. */
const WITHIN_MS = 90_000;

export async function watchDisplay({ name, width, height }: Display, catalogue: Catalogue): Promise<Watch> {
  const recording = await recordDisplay(name, width, height);
  let from = 0;
  return {
    until: (wanted) =>
      eventually(
        "what was to be seen",
        () => {
          const { frames, frameMs } = recording.frames();
          const seen = sightingsIn({ frames: frames.slice(from), frameMs }, catalogue);
          let found = 0;
          for (const { sight } of seen) if (wanted[found]?.(sight)) found++;
          if (found < wanted.length) return undefined;
          from = frames.length;
          return true as const;
        },
        WITHIN_MS,
      ).then(() => {}),
    stop: () => recording.stop(),
  };
}
