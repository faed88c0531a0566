import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statfsSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

/** A disk of its own, small enough to be filled. */
export interface SmallDisk {
  readonly path: string;
  /** Fills it to the last block but so many bytes; the function it returns frees them again. */
  fill(leaveBytes?: number): () => void;
  readOnly(yes: boolean): void;
}

/** Whether there can be one here: it is mounted, and only root may do that. */
export const HAS_SMALL_DISKS = process.platform === "linux" && process.getuid?.() === 0 && canMount();

/** A file system in memory of so many bytes, and of so many files where that is said, gone when the test is over. */
export function smallDisk(sizeBytes: number, mostFiles: number | null = null): SmallDisk {
  const path = temporaryFolder();
  const limits = [`size=${sizeBytes}`, ...(mostFiles === null ? [] : [`nr_inodes=${mostFiles}`])];
  mount("-t", "tmpfs", "-o", limits.join(), "none", path);
  onTestFinished(() => void spawnSync("umount", ["-l", path]));
  return {
    path,
    fill(leaveBytes = 0) {
      const { bavail, bsize } = statfsSync(path);
      const filler = join(path, "filler");
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)), { flag: "a" });
      return () => spawnSync("rm", [filler]);
    },
    readOnly: (yes) => mount("-o", yes ? "remount,ro" : "remount,rw", path),
  };
}

/** Whether there can be a disk of Btrfs here: its tools, and a kernel that knows it. */
export const HAS_BTRFS =
  HAS_SMALL_DISKS &&
  readFileSync("/proc/filesystems", "utf8").includes("btrfs") &&
  spawnSync("mkfs.btrfs", ["--version"]).status === 0;

/** The smallest that Btrfs makes. */
const BTRFS_BYTES = 128 * 1024 * 1024;

interface BtrfsDisk {
  readonly path: string;
  /** Takes all that it gives out. */
  fill(): void;
  /** Makes the 4 KiB of a file that begin there unreadable (EIO), as on a worn disk. Nothing may have a file open. */
  wear(file: string, at: number): void;
}

const BLOCK_BYTES = 4_096;

/** A disk of Btrfs in a file, gone when the test is over. */
export function btrfsDisk(): BtrfsDisk {
  const folder = temporaryFolder();
  const [image, path] = [join(folder, "image"), join(folder, "disk")];
  mkdirSync(path);
  writeFileSync(image, "");
  truncateSync(image, BTRFS_BYTES);
  run("mkfs.btrfs", "-q", image);
  mount("-o", "loop", image, path);
  onTestFinished(() => void spawnSync("umount", ["-l", path]));
  return {
    path,
    fill() {
      run("sync", "-f", path);
      // Ends where there is no room for more.
      for (const block of ["1M", "4k"]) {
        spawnSync("dd", ["if=/dev/zero", `of=${join(path, "filler")}`, `bs=${block}`, "oflag=append", "conv=notrunc"]);
      }
      run("sync", "-f", path);
    },
    wear(file, at) {
      run("sync", "-f", path);
      const block = readFileSync(file).subarray(at, at + BLOCK_BYTES);
      run("umount", path);
      const disk = readFileSync(image);
      // Its checksum does not fit any more, by which the file system knows.
      for (let place = 0; place < disk.length; place += BLOCK_BYTES) {
        if (disk.compare(block, 0, BLOCK_BYTES, place, place + BLOCK_BYTES) !== 0) continue;
        disk.writeUInt8(disk.readUInt8(place) ^ 0xff, place);
      }
      writeFileSync(image, disk);
      mount("-o", "loop", image, path);
    },
  };
}

function mount(...args: readonly string[]): void {
  run("mount", ...args);
}

function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
}

/** Root in a container may lack the right to. */
function canMount(): boolean {
  const path = "/tmp";
  return spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", path]).status === 0;
}
