import { type BaseWindow, WebContentsView } from "electron";

const QUALITY = 80;

/** What is on top of a window's stage, as a JPEG, or `null` while there is nothing. */
export async function screenshotOf(window: BaseWindow): Promise<Buffer | null> {
  const top = window.contentView.children.at(-1);
  if (!(top instanceof WebContentsView) || top.webContents.isDestroyed()) return null;
  const image = await top.webContents.capturePage();
  return image.isEmpty() ? null : image.toJPEG(QUALITY);
}
