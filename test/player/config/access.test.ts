import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
  const source: ConfigSource = { path: join(folder, "config.json"), env };
  const reading = readConfig(source);
  if (reading.kind === "bad") throw new Error(JSON.stringify(reading.problems));
  return { isOther: accessChanges(reading.config, source), write, configure, proxy };
}

describe("a player that began now", () => {
  it("would talk to its service as it does where nothing has changed but the time of a file", () => {
    const { isOther, write } = begun();
    write("token", "org_old");
    write("trusted.crt", "those of today");
    expect(isOther()).toBe(false);
  });

  it.each([
    ["another token", "token", "org_new"],
    ["another login for its proxy", "login", "kiosk:new"],
    ["others whom this machine trusts", "trusted.crt", "those of tomorrow"],
  ])("would come with %s", (_, name, text) => {
    const { isOther, write } = begun();
    write(name, text);
    expect(isOther()).toBe(true);
  });

  it("would go to another address, but not by a file that cannot be used", () => {
    const { isOther, configure, write, proxy } = begun();
    write("config.json", "{");
    expect(isOther()).toBe(false);
    configure({ network: proxy, baseUrl: "https://elsewhere.example" });
    expect(isOther()).toBe(true);
  });
});
