import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, onTestFinished } from "vitest";
import { type ConfigReading, watchConfig } from "../../../src/player/config/config.ts";

import type { Environment } from "../../../src/player/config/environment.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const least = { baseUrl: "https://service.example", screenId: "screen-1" };
const OFTEN_MS = 5;

/** The readings of a watched configuration, one by one as they come. */
function watched(path: string, env: Environment = {}) {
  const readings: ConfigReading[] = [];
  let wake = () => {};
  const onReading = (reading: ConfigReading) => {
    readings.push(reading);
    wake();
  };
  onTestFinished(watchConfig({ path, env }, onReading, OFTEN_MS));
  return async (wanted: (reading: ConfigReading) => boolean) => {
    while (!readings.some(wanted)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    readings.length = 0;
  };
}

describe("watching a configuration", () => {
  it("sees it appear, turn bad, replaced and gone", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "config.json");
    const until = watched(path);
    writeFileSync(path, JSON.stringify({ ...least, orgToken: "t" }));
    await until(({ kind }) => kind === "ok");
    writeFileSync(path, "{ broken");
    await until(({ kind }) => kind === "bad");
    writeFileSync(join(folder, "new"), JSON.stringify({ ...least, screenId: "screen-2", orgToken: "t" }));
    renameSync(join(folder, "new"), path);
    await until((reading) => reading.kind === "ok" && reading.config.screens[0]?.screenId === "screen-2");
    rmSync(path);
    await until(({ kind }) => kind === "bad");
  });

  it("sees what changed before it began to look", async () => {
    const path = join(temporaryFolder(), "config.json");
    writeFileSync(path, JSON.stringify({ ...least, orgToken: "t" }));
    await watched(path)(({ kind }) => kind === "ok");
  });

  it("sees the file of the token too, once the configuration names one", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "config.json");
    const until = watched(path);
    writeFileSync(path, JSON.stringify({ ...least, orgTokenFile: "token" }));
    await until(({ watch }) => watch.includes(join(folder, "token")));
    writeFileSync(join(folder, "token"), "t");
    await until((reading) => reading.kind === "ok" && reading.config.orgToken === "t");
  });

  it("sees a token that comes where the unit says that it lies", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "config.json");
    writeFileSync(path, JSON.stringify(least));
    const until = watched(path, { CREDENTIALS_DIRECTORY: folder });
    await until(({ kind }) => kind === "bad");
    writeFileSync(join(folder, "org-token"), "t");
    await until((reading) => reading.kind === "ok" && reading.config.orgToken === "t");
  });
});
