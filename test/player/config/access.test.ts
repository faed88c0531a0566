import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, linkSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { accessChanges } from "../../../src/player/config/access.ts";
import { type ConfigSource, readConfig } from "../../../src/player/config/config.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

/** A player that has begun by files of its own, which go on to change. */
function begun() {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  const settings = { baseUrl: "https://service.example", screenId: "screen-1", orgTokenFile: "token" };
  const configure = (more: object) => write("config.json", JSON.stringify({ ...settings, ...more }));
  const proxy = { proxy: "http://proxy.example:3128", proxyAuthFile: "login" };
  write("token", "org_old");
  write("login", "kiosk:old");
  write("trusted.crt", "those of today");
  configure({ network: proxy });
  const env = { SSL_CERT_FILE: join(folder, "trusted.crt"), STATE_DIRECTORY: folder };
  let looks = 0;
  const source: ConfigSource = {
    get path() {
      looks++;
      return join(folder, "config.json");
    },
    env,
  };
  const reading = readConfig(source);
  if (reading.kind === "bad") throw new Error(JSON.stringify(reading.problems));
  const isOther = accessChanges(reading, source);
  /** What it tells once it has looked. */
  const found = async () => {
    const before = looks;
    isOther();
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before), 10_000);
    return isOther();
  };
  return { folder, isOther, found, write, configure, proxy };
}

describe("a player that began now", () => {
  it("would talk to its service as it does where nothing has changed but the time of a file", async () => {
    const { found, write } = begun();
    write("token", "org_old");
    write("trusted.crt", "those of today");
    expect(await found()).toBe(false);
  });

  it.each([
    ["another token", "token", "org_new"],
    ["another login for its proxy", "login", "kiosk:new"],
    ["others whom this machine trusts", "trusted.crt", "those of tomorrow"],
  ])("would come with %s", async (_, name, text) => {
    const { found, write } = begun();
    write(name, text);
    expect(await found()).toBe(true);
  });

  it("would go to another address, but not by a file that cannot be used", async () => {
    const { found, configure, write, proxy } = begun();
    configure({ network: proxy, baseUrl: "https://elsewhere.example" });
    expect(await found()).toBe(true);
    write("config.json", "{");
    expect(await found()).toBe(false);
  });

  it.skipIf(process.platform !== "linux")("keeps nobody waiting for a share that does not answer", async () => {
    const { folder, isOther, found, write } = begun();
    const [token, silent, answered] = ["token", "silent", "answered"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    // Whoever opens a pipe that nobody else has open waits; it answers after a while, lest the test wait for ever.
    execFileSync("mkfifo", [silent]);
    rmSync(token);
    linkSync(silent, token);
    const answering = spawn("sh", ["-c", 'sleep 5; touch "$1"; : > "$0"', silent, answered]);
    onTestFinished(() => void answering.kill());
    expect([isOther(), existsSync(answered)]).toEqual([false, false]);
    rmSync(token);
    write("token", "org_new");
    const other = openSync(silent, "r+");
    onTestFinished(() => closeSync(other));
    expect(await found()).toBe(true);
  });
});
