import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "../../scripts/setup/run.mjs";
import { type Command, debianFor, type Release } from "../support/machine/debian.ts";

/** What a virtual PC is switched on with. */
export interface Disks {
  readonly kernel: string;
  readonly initrd: string;
  /** The system: a disk with one ext4 on it. */
  readonly root: string;
  /** `/var/lib/spotloop`: a disk of its own, so that it can be looked at after a power cut without a copy of the system. */
  readonly data: string;
}

export interface DisksOptions {
  /** An empty folder. */
  readonly folder: string;
  readonly debian: Release;
  /** Spotloop's two packages, as they are installed together. */
  readonly debs: readonly string[];
  /** Newer ones, for an upgrade: they lie in `/root` of the machine. */
  readonly newer: readonly string[];
  /** Debian's packages that the machine, which reaches no archive, can install later. */
  readonly later: readonly string[];
  /** Ports of this machine's loopback that are the guest's, too. */
  readonly ports: readonly string[];
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

const ROOT_SIZE = "6G";
const DATA_SIZE = "3G";
const GUEST = join(import.meta.dirname, "guest");

/** A bare system that boots, and curl, which looks at the player's health as an operator would. */
const BARE = ["systemd-sysv", "linux-image-amd64", "initramfs-tools", "kmod", "procps", "curl", "ca-certificates"];

/** Makes the disks of a PC on which both packages have been installed, and nothing is configured. Needs root. */
export async function makeDisks({
  folder,
  debian,
  debs,
  newer,
  later,
  ports,
  signal,
  progress,
}: DisksOptions): Promise<Disks> {
  const command = async (program: string, ...args: string[]) => {
    const { ok, said } = await run(program, args, { signal });
    if (!ok) throw new Error(`${program} ${args.join(" ")}:\n${said}`);
    return said;
  };
  const base = await debianFor(debian, debs, ["Depends", "Recommends"], BARE, command, progress);
  const root = join(folder, "root");
  mkdirSync(root);
  progress("unpacking Debian");
  await command("tar", "--directory", root, "--extract", "--file", base);
  for (const file of [...debs, ...newer]) copyFileSync(file, join(root, "root", basename(file)));
  progress("installing the packages");
  const inside = debs.map((deb) => `/root/${basename(deb)}`);
  const apt = (...args: string[]) => command("chroot", root, "env", ...APT_ENVIRONMENT, "apt-get", ...args);
  await apt("install", "--yes", ...inside);
  if (later.length > 0) {
    await apt("update", "--quiet");
    await apt("install", "--yes", "--download-only", ...later);
  }
  await settle(root, ports, command);
  const [kernel, initrd] = ["vmlinuz-", "initrd.img-"].map((name) => {
    const to = join(folder, name.replace("-", ""));
    copyFileSync(
      join(root, "boot", readdirSync(join(root, "boot")).find((entry) => entry.startsWith(name)) ?? name),
      to,
    );
    return to;
  }) as [string, string];
  progress("writing the disks");
  const disks = { kernel, initrd, root: join(folder, "root.img"), data: join(folder, "data.img") };
  const dataDir = join(root, "var/lib/spotloop");
  await command("mke2fs", "-q", "-t", "ext4", "-d", dataDir, disks.data, DATA_SIZE);
  await command("mke2fs", "-q", "-t", "ext4", "-d", root, disks.root, ROOT_SIZE);
  rmSync(root, { recursive: true, force: true });
  return disks;
}

const APT_ENVIRONMENT = ["DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "HOME=/root"];

/** Makes the machine reachable for the test: its shell, its journal, its way to the screen network. */
async function settle(root: string, ports: readonly string[], command: Command): Promise<void> {
  const units = join(root, "etc/systemd/system");
  const services = ["shell.service", "told.service"];
  for (const name of [...services, "network@.socket", "network@.service"]) {
    copyFileSync(join(GUEST, name), join(units, name));
  }
  copyFileSync(join(GUEST, "wired.network"), join(root, "etc/systemd/network/wired.network"));
  copyFileSync(join(GUEST, "fstab"), join(root, "etc/fstab"));
  await command("systemctl", "--root", root, "enable", ...services, "systemd-networkd.service");
  // As on a server, or where a desktop was switched off: the screen must not need the target of desktops.
  await command("systemctl", "--root", root, "set-default", "multi-user.target");
  const wants = join(units, "sockets.target.wants");
  mkdirSync(wants, { recursive: true });
  for (const port of ports) symlinkSync("../network@.socket", join(wants, `network@${port}.socket`));
}
