// The least that shows a page full screen with Electron. With a clip in it: what Spotloop's memory, processor time and start are compared with.
import { app, BrowserWindow, screen } from "electron";

const url = process.argv[process.argv.indexOf("--url") + 1] ?? "";

void app.whenReady().then(() => {
  const { width, height } = screen.getPrimaryDisplay().bounds;
  const window = new BrowserWindow({
    // Without a window manager a window of just the display's size is made a pixel smaller, and everything then scaled.
    ...{ x: 0, y: 0, width: width + 1, height: height + 1 },
    fullscreen: true,
    frame: false,
    backgroundColor: "#000000",
  });
  void window.loadURL(url);
});
