import { app, screen, WebContentsView } from "electron";
import { EXIT } from "../recovery/supervisor.ts";

/**
 * Prints what only Electron can tell about this machine as one line of JSON, and ends: the displays in pixels, the primary
 * one first; what the graphics processor does; which codecs play. Asked by the command line, in a process of its own, which
 * keeps its files in `folder`.
 */
export function describeMachine(folder: string): void {
  app.setPath("userData", folder);
  void app.whenReady().then(async () => {
    const machine = { displays: displays(), gpu: app.getGPUFeatureStatus(), codecs: await codecs() };
    process.stdout.write(`${JSON.stringify(machine)}\n`);
    app.exit(EXIT.stopped);
  });
}

function displays() {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id);
  return [primary, ...others].map(({ label, size, scaleFactor }, index) => ({
    name: label || String(index + 1),
    width: Math.round(size.width * scaleFactor),
    height: Math.round(size.height * scaleFactor),
  }));
}

/** What creatives come in, as video elements are asked for it. */
const TYPES = {
  "H.264": 'video/mp4; codecs="avc1.640028"',
  AAC: 'video/mp4; codecs="mp4a.40.2"',
  VP9: 'video/webm; codecs="vp9"',
};

async function codecs(): Promise<Record<string, boolean>> {
  const view = new WebContentsView({ webPreferences: { sandbox: true } });
  await view.webContents.loadURL("about:blank");
  const types = JSON.stringify(Object.values(TYPES));
  const ask = `${types}.map((type) => document.createElement("video").canPlayType(type) !== "")`;
  const answers: readonly boolean[] = await view.webContents.executeJavaScript(ask);
  view.webContents.close();
  return Object.fromEntries(Object.keys(TYPES).map((name, index) => [name, answers[index] === true]));
}
