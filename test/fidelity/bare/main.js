// The least that shows a page with Electron: what the player's picture of the same page is compared with.
// Each line on stdin opens a window or closes one; each answer is a line on stdout.
import { createInterface } from "node:readline";
import { app, BrowserWindow } from "electron";

const windows = new Map();

app.on("window-all-closed", () => {});

void app.whenReady().then(() => {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { name, open } = JSON.parse(line);
    if (open !== undefined) return void show(name, open);
    windows.get(name)?.destroy();
    windows.delete(name);
  });
  process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
});

/** @param {string} name @param {{ url: string, x: number, y: number, width: number, height: number }} page */
async function show(name, { url, ...bounds }) {
  const webPreferences = { partition: `bare-${name}`, disableDialogs: true };
  const window = new BrowserWindow({ ...bounds, frame: false, hasShadow: false, webPreferences });
  windows.set(name, window);
  // A second window would cover the others.
  window.webContents.setWindowOpenHandler(() => ({ action: "deny" }));
  // Until a window has drawn something, a page that is read at once is told another device scale than the window has, and
  // chooses its pictures by it.
  await window.loadURL("about:blank");
  // A document that a server refuses, or that goes elsewhere while it loads, is shown as it is.
  const failure = await window.loadURL(url).then(
    () => null,
    ({ message }) => message,
  );
  // What shows a creative calls its start hook, as networks agree.
  window.webContents.executeJavaScript("void window.BroadSignPlay?.()").catch(() => {});
  process.stdout.write(`${JSON.stringify({ name, failure })}\n`);
}
