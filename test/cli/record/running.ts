import { recordingIn } from "../../player/record/recording.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { run } from "../running.ts";

/** Runs `spotloop record` with these arguments. */
export function record(...args: readonly string[]) {
  return run("record", ...args);
}

const MINUTE = 60_000;

/**
 * A folder whose record has 9 playouts on two screens, two of them failed, over three hours, with a checkpoint at each: rows
 * 0 (begun), 1-3, 4 (key), 5-7, 8-10, each third of a screen called `attic`; and one row after the last checkpoint.
 */
export async function recordedFolder() {
  const folder = temporaryFolder();
  const recording = recordingIn(folder);
  recording.checkpoints.start();
  for (let hour = 0; hour < 3; hour++) {
    for (let item = 0; item < 3; item++) {
      await recording.clock.advance(10_000);
      const id = `${hour}-${item}`;
      if (item === 1 && hour > 0) recording.fail(id);
      else recording.show(id, item === 2 ? { screenId: "attic" } : {});
    }
    await recording.clock.advance((hour === 0 ? 59 : 60) * MINUTE + (hour === 0 ? 30_000 : -30_000));
  }
  recording.show("late");
  return { folder, ...recording };
}
