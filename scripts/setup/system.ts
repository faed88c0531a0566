// Run before anything that opens a window, watches the screen or compiles: the system's own libraries and tools.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Ready } from "../ready.mjs";
import { run } from "./run.mjs";
import { Stop } from "./stop.mjs";

/** What something is needed for. */
export type Need =
  | "electron"
  | "display"
  | "displays"
  | "sessions"
  | "watching"
  | "browser"
  | "compiling"
  | "site"
  | "disks"
  | "monitoring"
  | "broker"
  | "machines"
  | "virtual-pc"
  | "container"
  | "wine"
  | "installer";

/** There when any of the commands or packages is. Ubuntu renamed some packages: the first name that apt can install is taken. */
interface Requirement {
  readonly commands: readonly string[];
  readonly packages: readonly string[];
}

const STEP = "Installing system packages";

const REQUIREMENTS: Readonly<Record<Need, readonly Requirement[]>> = {
  electron: [
    library("libgtk-3-0t64", "libgtk-3-0"),
    library("libnss3"),
    library("libasound2t64", "libasound2"),
    library("libgbm1"),
    library("libatk-bridge2.0-0t64", "libatk-bridge2.0-0"),
    library("libxss1"),
  ],
  display: [tool("Xvfb", "xvfb")],
  displays: [
    tool("Xorg", "xserver-xorg-core"),
    library("xserver-xorg-video-dummy"),
    tool("Xephyr", "xserver-xephyr"),
    tool("xrandr", "x11-xserver-utils"),
    tool("xdotool", "xdotool"),
  ],
  // What a kiosk may have on its display: window managers, one of them compositing, and Wayland's compositor.
  sessions: [
    tool("openbox", "openbox"),
    tool("icewm", "icewm"),
    tool("picom", "picom"),
    tool("cage", "cage"),
    tool("Xwayland", "xwayland"),
    tool("xterm", "xterm"),
  ],
  // What records a display, and what holds a process up as a slow disk does.
  watching: [tool("ffmpeg", "ffmpeg"), tool("strace", "strace")],
  browser: [
    { commands: ["chromium", "chromium-browser", "google-chrome"], packages: ["chromium", "chromium-browser"] },
  ],
  // A site's network: its proxy, and a server by a certificate of its own.
  site: [{ commands: ["squid"], packages: ["squid-openssl", "squid"] }, tool("nginx", "nginx-light")],
  // A disk that puts each change elsewhere.
  disks: [tool("mkfs.btrfs", "btrfs-progs")],
  // What reads the metrics: rules and configuration are checked by the programs that use them.
  monitoring: [tool("promtool", "prometheus"), tool("amtool", "prometheus-alertmanager")],
  // The broker of remote commands.
  broker: [tool("mosquitto", "mosquitto")],
  // What judges the unit, the example of a role and the shell's scripts.
  machines: [
    tool("systemd-analyze", "systemd"),
    tool("ansible-playbook", "ansible-core"),
    tool("shellcheck", "shellcheck"),
  ],
  // Makes a disk with Debian on it, boots it, and reads what its screen says.
  "virtual-pc": [
    tool("mmdebstrap", "mmdebstrap"),
    tool("mke2fs", "e2fsprogs"),
    tool("qemu-system-x86_64", "qemu-system-x86"),
    tool("nc", "netcat-openbsd"),
    tool("tesseract", "tesseract-ocr"),
    tool("ffmpeg", "ffmpeg"),
  ],
  // Boots a machine out of a folder, and makes the repository that its upgrades come from.
  container: [
    tool("mmdebstrap", "mmdebstrap"),
    tool("systemd-nspawn", "systemd-container"),
    tool("aptly", "aptly"),
    tool("apt-ftparchive", "apt-utils"),
    tool("gpg", "gnupg"),
  ],
  // Makes a folder with another Debian in it, whose wine is new enough, and runs that there.
  wine: [tool("mmdebstrap", "mmdebstrap"), tool("unshare", "util-linux")],
  // Compiles what Windows' installer does beyond electron-builder's own.
  installer: [tool("makensis", "nsis")],
  compiling: [tool("python3", "python3"), tool("make", "make"), tool("g++", "g++")],
};

/** As root on Debian or Ubuntu installs what is missing, elsewhere stops with the command that would. */
export async function ensureSystem(needs: readonly Need[], ready: Ready): Promise<void> {
  const { absent, debian, mayInstall } = lookFor(needs);
  if (absent.length === 0) return;
  if (!mayInstall) throw new Stop(STEP, `Not installed: ${firstNames(absent)}.`, remedy(debian, absent));
  await install(absent, ready);
}

/** The same for what can be done without: where it cannot be installed here, says so and goes on. */
export async function offerSystem(needs: readonly Need[], ready: Ready): Promise<void> {
  const { absent, mayInstall } = lookFor(needs);
  if (absent.length === 0) return;
  if (mayInstall) await install(absent, ready);
  else ready.say.note(`Not installed, and done without: ${firstNames(absent)}.`);
}

function lookFor(needs: readonly Need[]) {
  const wanted = process.platform === "linux" ? needs.flatMap((need) => REQUIREMENTS[need]) : [];
  const debian = onPath("dpkg-query") && onPath("apt-get");
  const absent = missing(wanted, { onPath, installed: debian ? installedPackages(wanted) : null });
  return { absent, debian, mayInstall: debian && process.getuid?.() === 0 };
}

async function install(absent: readonly Requirement[], { say, signal }: Ready): Promise<void> {
  const step = say.begin(`${STEP}: ${firstNames(absent)}`);
  await apt(["update"], { step, signal });
  const names = absent.map((requirement) => installable(requirement, aptCandidates(requirement.packages)));
  await withoutServices(() => apt(["install", "--yes", "--no-install-recommends", ...names], { step, signal }));
  step.done();
}

/** Debian asks this program whether a service that is being installed may be started. */
const POLICY = "/usr/sbin/policy-rc.d";

/** Installs servers without starting them: who needs one here starts one of their own. */
async function withoutServices(act: () => Promise<void>): Promise<void> {
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    await act();
  } finally {
    if (isOurs) rmSync(POLICY, { force: true });
  }
}

/** The requirements that nothing on this machine meets. Without dpkg (`installed` null) libraries are taken on trust. */
export function missing(
  wanted: readonly Requirement[],
  machine: { onPath(command: string): boolean; installed: ReadonlySet<string> | null },
): Requirement[] {
  return wanted.filter(({ commands, packages }) => {
    if (commands.some((command) => machine.onPath(command))) return false;
    if (machine.installed === null) return commands.length > 0;
    return !packages.some((name) => machine.installed?.has(name));
  });
}

/** The names in the answer of `apt-cache policy` that apt can really install; a merely virtual name has no candidate. */
export function candidates(policy: string): Set<string> {
  const names = new Set<string>();
  let name = "";
  for (const line of policy.split("\n")) {
    if (/^\S.*:$/.test(line)) name = line.slice(0, -1);
    if (/^ +Candidate: (?!\(none\))/.test(line)) names.add(name);
  }
  return names;
}

/** The packages in the answer of `dpkg-query` that are installed, without their architecture. */
export function installedIn(answer: string): Set<string> {
  const lines = answer.split("\n").filter((line) => line.endsWith(" installed"));
  return new Set(lines.map((line) => (line.split(/[ :]/, 1)[0] ?? "").trim()));
}

function library(...packages: string[]): Requirement {
  return { commands: [], packages };
}

function tool(command: string, name: string): Requirement {
  return { commands: [command], packages: [name] };
}

export function onPath(command: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function installedPackages(wanted: readonly Requirement[]): Set<string> {
  const names = wanted.flatMap((requirement) => requirement.packages);
  const query = spawnSync("dpkg-query", ["--show", "--showformat=\x24{Package} \x24{db:Status-Status}\n", ...names]);
  return installedIn(query.stdout.toString());
}

function aptCandidates(names: readonly string[]): Set<string> {
  const policy = spawnSync("apt-cache", ["policy", ...names], { env: { ...process.env, LC_ALL: "C" } });
  return candidates(policy.stdout.toString());
}

function installable({ packages }: Requirement, known: ReadonlySet<string>): string {
  return packages.find((name) => known.has(name)) ?? packages.at(-1) ?? "";
}

function firstNames(absent: readonly Requirement[]): string {
  return absent.map(({ packages }) => packages.at(-1)).join(", ");
}

function remedy(debian: boolean, absent: readonly Requirement[]): string {
  if (!debian)
    return "Install them with this system's package manager (the names are Debian's), then say the same again.";
  const names = absent.map((requirement) => installable(requirement, aptCandidates(requirement.packages)));
  return `sudo apt-get update && sudo apt-get install ${names.join(" ")}`;
}

/** apt reports `pmstatus:xvfb:42.8571:Unpacking xvfb` and the like when it is given a stream to report on. */
async function apt(
  args: readonly string[],
  { step, signal }: { step: { progress(text: string): void }; signal: AbortSignal },
) {
  const { ok, said } = await run("apt-get", ["--quiet", "--option", "APT::Status-Fd=1", ...args], {
    signal,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    hear(line) {
      const status = /^(?:pm|dl)status:[^:]*:([\d.]+):/.exec(line);
      if (status) step.progress(`${args[0]} ${Math.round(Number(status[1]))} %`);
      return !/^(?:pm|dl)(?:status|conffile|error):/.test(line);
    },
  });
  if (!ok) throw new Stop(STEP, said, `See what \`apt-get ${args.join(" ")}\` says, then say the same again.`);
}
