// A player such as many write, to be measured beside Spotloop: one full-screen window with one page that does it all.
import { readFileSync } from "node:fs";
import { app, BrowserWindow, screen } from "electron";

const config = process.argv[process.argv.indexOf("--config") + 1] ?? "";
const { baseUrl, orgToken, screenId } = JSON.parse(readFileSync(config, "utf8"));

void app.whenReady().then(() => {
  const { width, height } = screen.getPrimaryDisplay().bounds;
  const window = new BrowserWindow({
    // Without a window manager a window of just the display's size is made a pixel smaller, and everything then scaled.
    ...{ x: 0, y: 0, width: width + 1, height: height + 1 },
    fullscreen: true,
    frame: false,
    backgroundColor: "#000000",
    // The page asks the service itself, which is another origin.
    webPreferences: { webSecurity: false },
  });
  const spot = `${baseUrl}/v3/vendor/${orgToken}/1/rt_ad/${screenId}`;
  void window.loadFile(`${import.meta.dirname}/page.html`, { query: { spot } });
});
