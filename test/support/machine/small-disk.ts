import { spawnSync } from "node:child_process";
import { statfsSync, writeFileSync } from "node:fs";
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

/** A file system in memory of so many bytes, gone when the test is over. */
export function smallDisk(sizeBytes: number): SmallDisk {
  const path = temporaryFolder();
  mount("-t", "tmpfs", "-o", `size=${sizeBytes}`, "none", path);
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

function mount(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("mount", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`mount ${args.join(" ")}: ${stderr}`);
}

/** Root in a container may lack the right to. */
function canMount(): boolean {
  const path = "/tmp";
  return spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", path]).status === 0;
}
