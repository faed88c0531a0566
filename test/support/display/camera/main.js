// Photographs pages for the tests, as they are at each instant of their animations. The orders are a file of JSON, named
// by the last argument: [{ file, url, width, height, layoutWidth, script, timesMs, out }]. Each writes its pictures one
// after the other to `out`: rows from the top, four bytes (blue, green, red, alpha) for each pixel.
import { createWriteStream, readFileSync } from "node:fs";
import { app, BrowserWindow } from "electron";

const orders = JSON.parse(readFileSync(/** @type {string} */ (process.argv.at(-1)), "utf8"));
/** Side by side: a window that another one covers draws nothing. */
const ACROSS = 2;

app.on("window-all-closed", () => {});

void app
  .whenReady()
  .then(() => Promise.all(orders.map(photograph)))
  .then(
    () => app.exit(0),
    (error) => {
      process.stderr.write(`${error.stack}\n`);
      app.exit(1);
    },
  );

/**
 * @typedef {{ url: string, width: number, height: number, layoutWidth: number, script: string, timesMs: number[],
 *   out: string }} Order
 * @param {Order} order
 * @param {number} index
 */
async function photograph({ url, width, height, layoutWidth, script, timesMs, out }, index) {
  const place = { x: (index % ACROSS) * width, y: Math.floor(index / ACROSS) * height };
  // A page in a file asks for its parts as from a server.
  const webPreferences = { partition: `camera-${index}`, webSecurity: false, backgroundThrottling: false };
  const window = new BrowserWindow({ ...place, width, height, frame: false, hasShadow: false, webPreferences });
  const { webContents } = window;
  await window.loadURL(url);
  webContents.setZoomFactor(width / layoutWidth);
  await webContents.insertCSS("::-webkit-scrollbar { display: none }");
  await webContents.executeJavaScript(`(async () => { await document.fonts.ready; ${script} })()`);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const pictures = createWriteStream(out);
  for (const ms of timesMs) {
    await webContents.executeJavaScript(`new Promise((resolve) => {
      for (const animation of document.getAnimations()) { animation.pause(); animation.currentTime = ${ms}; }
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)));
    })`);
    pictures.write((await webContents.capturePage()).toBitmap());
  }
  await new Promise((resolve) => pictures.end(() => resolve(null)));
  window.destroy();
}
