import { run } from "../setup/run.mjs";
import { Stop } from "../setup/stop.mjs";

/** Photographs a display, from outside of what runs on it, into a PNG or JPEG file. */
export async function photograph(display: string, file: string, signal: AbortSignal): Promise<void> {
  const grab = ["-loglevel", "error", "-y", "-f", "x11grab", "-draw_mouse", "0", "-i", display];
  const { ok, said } = await run("ffmpeg", [...grab, "-frames:v", "1", "-update", "1", file], { signal });
  if (!ok)
    throw new Stop(
      `Taking a screenshot of ${display}`,
      said,
      "See that the folder of the file exists and can be written.",
    );
}
