import type { Eye, Sight } from "./eye.ts";
import { FRAME_MS, type Frames } from "./recording.ts";

/** The same thing in sight for a while. */
export interface Sighting {
  readonly sight: Sight;
  /** Its place among the frames of the recording. */
  readonly firstFrame: number;
  readonly frames: number;
  /** When its first frame came in sight: seconds from the beginning of the recording. */
  readonly startS: number;
  /** The same instant in milliseconds of the monotonic clock. */
  readonly startAt: number;
  /** Until the first frame came in sight that showed something else. */
  readonly lengthMs: number;
  /** Of a foreign sight: what its first frame is most like, and where it is not. */
  readonly because?: string;
}

/** Says of each frame what is in sight, and joins equal neighbours. */
export function sightingsIn({ frames, instants, since }: Frames, eye: Eye): readonly Sighting[] {
  const log = new SightLog(eye);
  for (const [index, frame] of frames.entries()) {
    log.take(frame, instants[index] as number, since[index] as number);
  }
  return log.sightings();
}

type Begun = Pick<Sighting, "sight" | "firstFrame" | "startAt" | "because"> & { frames: number };

/** Takes in frames as they come, and keeps only what was in sight from when to when. */
export class SightLog {
  readonly #eye: Eye;
  readonly #seen: Begun[] = [];
  #count = 0;
  #lastAt = 0;

  constructor(eye: Eye) {
    this.#eye = eye;
  }

  /** How often what is in sight has changed so far. */
  get changes(): number {
    return this.#seen.length;
  }

  take(frame: Buffer, at: number, since: number): void {
    const { sight, because } = this.#eye.look(frame);
    const last = this.#seen.at(-1);
    if (last?.sight === sight) last.frames++;
    else {
      const found = { sight, firstFrame: this.#count, startAt: since, frames: 1 };
      this.#seen.push(because === undefined ? found : { ...found, because });
    }
    this.#count++;
    this.#lastAt = at;
  }

  /** The last sighting counts as ended a frame after the last one that was grabbed. */
  sightings(): readonly Sighting[] {
    const beganAt = this.#seen[0]?.startAt ?? 0;
    return this.#seen.map((one, index) => ({
      ...one,
      startS: (one.startAt - beganAt) / 1000,
      lengthMs: (this.#seen[index + 1]?.startAt ?? this.#lastAt + FRAME_MS) - one.startAt,
    }));
  }
}
