import { app } from "electron";
import { EXIT } from "./recovery/supervisor.ts";

// What it is started from may have closed its end, and the disk of a log of the desktop's may be full: that costs lines.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

// Electron answers an error that nobody caught with a dialog, and there is nobody at a kiosk to close it: so this comes
// before anything else is loaded, and asks the supervisor for a new start instead.
const giveUp = (error: unknown) => {
  process.stderr.write(`spotloop: ${error instanceof Error ? error.stack : String(error)}\n`);
  app.exit(EXIT.restart);
};
process.on("uncaughtException", giveUp);
process.on("unhandledRejection", giveUp);

const { start } = await import("./boot/start.ts");
await start();
