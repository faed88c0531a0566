import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ordinaryUser } from "../../../scripts/setup/user.ts";
import type { Program } from "../machine/processes.ts";

/** What the kernel has of a connector with a display that is lit. */
const LIT = { status: "connected", enabled: "enabled", dpms: "On" };

/** A connector, and the monitor that hangs on it, for a display that has neither. */
export interface FakeConnector {
  /** Where the stand-in of `ddcutil` is, for `PATH`. */
  readonly bin: string;
  /** Has the kernel tell something else of the connector. */
  kernel(changes: Partial<typeof LIT>): void;
  /** Has the monitor's power mode read as this, by DDC/CI; null: it does not answer. */
  monitor(mode: string | null): void;
  /** Has the monitor take no order any more, or again. */
  deafen(deaf: boolean): void;
  /** What the monitor was ordered to become, one after the other. */
  orders(): readonly string[];
  /** The program in a world where the kernel tells of this connector, and of no other. */
  around(program: Program): Program;
}

/** As `ddcutil` 1.4 (Debian 12) and later write it, with `--terse`. */
const DDCUTIL = (folder: string) => `#!/bin/sh
case "$1" in
  getvcp) [ -f ${folder}/mode ] || { echo "Display not found"; exit 1; }; echo "VCP D6 SNC x0$(cat ${folder}/mode)" ;;
  setvcp) echo "$3" >> ${folder}/orders; [ -f ${folder}/deaf ] || echo "$3" > ${folder}/mode ;;
esac
`;

/** Whether the kernel lets an ordinary user have mounts of its own, which the fake is made of. */
export function lackingNamespaces(): string | null {
  const { uid, gid } = ordinaryUser();
  const { status } = spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"], { uid, gid, cwd: "/" });
  return status === 0 ? null : "an ordinary user may not mount anything here";
}

/** A connector of that name, in a folder that the player's user may read and write. */
export function fakeConnector(home: string, name: string): FakeConnector {
  const { uid, gid } = ordinaryUser();
  const [folder, bin] = [join(home, "monitor"), join(home, "bin")];
  const connector = join(home, "class", "drm", `card0-${name}`);
  for (const path of [folder, bin, join(connector, "i2c-4")]) mkdirSync(path, { recursive: true });
  chmodSync(folder, 0o777);
  writeFileSync(join(bin, "ddcutil"), DDCUTIL(folder), { mode: 0o755 });
  const kernel = (changes: Partial<typeof LIT>) => {
    for (const [file, text] of Object.entries(changes)) writeFileSync(join(connector, file), `${text}\n`);
  };
  kernel(LIT);
  return {
    bin,
    kernel,
    monitor(mode) {
      if (mode === null) rmSync(join(folder, "mode"), { force: true });
      else writeFileSync(join(folder, "mode"), mode, { mode: 0o666 });
      if (mode !== null) chmodSync(join(folder, "mode"), 0o666);
    },
    deafen(deaf) {
      if (deaf) writeFileSync(join(folder, "deaf"), "");
      else rmSync(join(folder, "deaf"), { force: true });
    },
    orders: () => readOrders(join(folder, "orders")),
    around({ executable, args }) {
      const mounted = `mount --bind "${join(home, "class")}" /sys/class && exec "$@"`;
      const own = ["--user", "--map-root-user", "--mount", "sh", "-c", mounted, "sh"];
      // Root of that world alone, and only to mount: the player's own user again afterwards.
      const back = ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"];
      return { executable: "unshare", args: [...own, ...back, executable, ...args] };
    },
  };
}

function readOrders(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").trim().split("\n");
  } catch {
    return [];
  }
}
