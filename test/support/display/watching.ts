import type { Display } from "../../../scripts/setup/display.ts";
import { eventually } from "../machine/processes.ts";
import type { Eye, Sight } from "./eye.ts";
import { type Frames, recordDisplay } from "./recording.ts";
import { SightLog } from "./sightings.ts";

/** A recording that is looked at while it goes on. */
export interface Watch {
  /** Resolves when these were in sight one after the other, whatever came in between; counted from the last call's end. */
  until(wanted: readonly ((sight: Sight) => boolean)[]): Promise<void>;
  /** Ends it; resolves with all frames. */
  stop(): Promise<Frames>;
}

/** A slow machine may need long for a lap through a folder. */
const WITHIN_MS = 90_000;

export async function watchDisplay({ name, width, height }: Display, eye: Eye): Promise<Watch> {
  const recording = await recordDisplay(name, width, height);
  let looked = 0;
  return {
    until(wanted) {
      const seen = new SightLog(eye);
      const found = () => {
        const { frames, instants, since } = recording.frames();
        for (; looked < frames.length; looked++) {
          seen.take(frames[looked] as Buffer, instants[looked] as number, since[looked] as number);
        }
        let next = 0;
        for (const { sight } of seen.sightings()) if (wanted[next]?.(sight)) next++;
        return next === wanted.length ? (true as const) : undefined;
      };
      const told = () => seen.sightings().map(({ sight, because = "" }) => `${sight} ${because}`.trim());
      return eventually("what was to be seen", found, WITHIN_MS).then(
        () => {},
        (error) => Promise.reject(new Error(`${error.message}; in sight were ${told().join(", ")}`)),
      );
    },
    stop: () => recording.stop(),
  };
}
