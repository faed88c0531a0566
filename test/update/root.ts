import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChaosNetwork } from "../chaos/network.ts";
import { type Command, debianFor } from "../support/machine/debian.ts";
import { command, type Packages } from "./versions.ts";

export interface RootOptions {
  /** Where the root is made; it is not there yet. */
  readonly folder: string;
  readonly packages: Packages;
  readonly network: Pick<ChaosNetwork, "baseUrl" | "orgToken" | "screenId">;
  /** Where the repository is served, and what it is trusted by. */
  readonly repository: { readonly url: string; readonly keyFile: string };
  /** How long an upgrade has to prove. */
  readonly withinS: number;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

const BARE = ["systemd-sysv", "procps", "curl", "ca-certificates", "unattended-upgrades", "xvfb", "fonts-dejavu-core"];
const SNIPPETS = join(import.meta.dirname, "../../assets/apt-repository/kiosk");

/** Makes the folder of a kiosk that plays, and takes its upgrades from the repository and from nowhere else. */
export async function makeRoot(options: RootOptions): Promise<void> {
  const { folder, packages, signal, progress } = options;
  const run: Command = (program, ...args) => command(signal, program, ...args);
  const base = await debianFor(12, packages.files, ["Depends"], BARE, run, progress);
  progress("unpacking Debian");
  mkdirSync(folder, { recursive: true });
  await command(signal, "tar", "--directory", folder, "--extract", "--file", base);
  for (const [index, name] of ["spotloop.deb", "kiosk.deb"].entries()) {
    copyFileSync(packages.files[index] ?? "", join(folder, "root", name));
  }
  progress("installing the packages");
  const environment = ["env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"];
  const install = ["apt-get", "install", "--yes", "--no-install-recommends", "/root/spotloop.deb", "/root/kiosk.deb"];
  await command(signal, "chroot", folder, ...environment, ...install);
  rmSync(join(folder, "etc/apt/sources.list"), { force: true });
  settle(options);
}

/** What an operator sets up, and a display without a screen. */
function settle({ folder, network, repository, withinS }: RootOptions): void {
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const { baseUrl, screenId, orgToken } = network;
  // Ports are this machine's: any free one.
  write(
    "etc/spotloop/config.json",
    JSON.stringify({ baseUrl, screenId, orgTokenFile: "org-token", health: { port: 0 } }),
  );
  write("etc/spotloop/org-token", orgToken);
  const sources = readFileSync(join(SNIPPETS, "spotloop.sources"), "utf8");
  write("etc/apt/sources.list.d/spotloop.sources", sources.replace(/^URIs: .*/m, `URIs: ${repository.url}`));
  const places = {
    "spotloop.pref": "etc/apt/preferences.d/spotloop",
    "spotloop-upgrades.conf": "etc/apt/apt.conf.d/60spotloop-upgrades",
    "hours.conf": "etc/systemd/system/apt-daily-upgrade.timer.d/hours.conf",
  };
  for (const [from, to] of Object.entries(places)) {
    mkdirSync(join(folder, to, ".."), { recursive: true });
    copyFileSync(join(SNIPPETS, from), join(folder, to));
  }
  mkdirSync(join(folder, "etc/apt/keyrings"), { recursive: true });
  copyFileSync(repository.keyFile, join(folder, "etc/apt/keyrings/spotloop.asc"));
  write(
    "etc/systemd/system/spotloop-display.service.d/display.conf",
    "[Service]\nExecStart=\nExecStart=/usr/bin/Xvfb :0 -screen 0 1280x720x24 -nolisten tcp -nolisten local\n",
  );
  write(
    "etc/systemd/system/spotloop-update-guard.service.d/within.conf",
    `[Service]\nEnvironment=SPOTLOOP_UPDATE_WITHIN=${withinS}\n`,
  );
  // Nothing is upgraded but when the test says so.
  for (const timer of ["apt-daily.timer", "apt-daily-upgrade.timer"]) {
    rmSync(join(folder, "etc/systemd/system/timers.target.wants", timer), { force: true });
  }
}
