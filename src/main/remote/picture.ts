import { desktopCapturer, screen } from "electron";
import { screenshotOf } from "../operator/health.ts";
import type { StageWindow } from "../stage/stage-window.ts";

const QUALITY = 80;
/** Where the system must ask somebody first, nobody answers. */
const TAKEN_WITHIN_MS = 5_000;

/** A picture of what a screen shows. */
export interface Picture {
  readonly jpeg: Buffer;
  /** Whether it is what is really on the display, or, where the system does not tell that, what the player draws. */
  readonly of: "the display" | "the player's window";
}

/** Takes a picture of a screen's display, whatever is in front of the player; null where there is nothing to see. */
export async function pictureOf(stage: StageWindow): Promise<Picture | null> {
  const display = stage.display();
  if (display === null || !stage.window.isVisible()) return null;
  const real = await realPicture(display);
  if (real !== null) return { jpeg: real, of: "the display" };
  const drawn = await screenshotOf(stage.window);
  return drawn === null ? null : { jpeg: drawn, of: "the player's window" };
}

async function realPicture({ id, size, scaleFactor }: Electron.Display): Promise<Buffer | null> {
  // Under Wayland a person has to allow it, and there is none.
  if (process.env.WAYLAND_DISPLAY) return null;
  const thumbnailSize = { width: Math.round(size.width * scaleFactor), height: Math.round(size.height * scaleFactor) };
  const late = new Promise<readonly Electron.DesktopCapturerSource[]>((resolve) => {
    setTimeout(resolve, TAKEN_WITHIN_MS, []);
  });
  const sources = await Promise.race([
    desktopCapturer.getSources({ types: ["screen"], thumbnailSize }).catch(() => []),
    late,
  ]);
  const only = screen.getAllDisplays().length === 1 ? sources[0] : undefined;
  const image = (sources.find(({ display_id }) => display_id === String(id)) ?? only)?.thumbnail;
  return image === undefined || image.isEmpty() ? null : image.toJPEG(QUALITY);
}
