// Run by the end-to-end tests as root: Chromium's sandbox wants an ordinary user, so one is made.
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { ROOT } from "./paths.mjs";
import { Stop } from "./stop.mjs";

/** Whom to start a process as: spread it into the options of `spawn`, and give the process HOME. */
export interface OrdinaryUser {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

const STEP = "Running as an ordinary user";
const NAME = "spotloop-test";

/** The user that runs this or, when that is root, the user `spotloop-test`, made on first use; able to read this checkout. */
export function ordinaryUser(): OrdinaryUser {
  if (process.getuid?.() !== 0)
    return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1, home: process.env.HOME ?? "/" };
  const user = account() ?? made();
  const closed = closedFolder(ROOT, user);
  if (closed === null) return user;
  const why = `This checkout is in ${closed}, which ${NAME} may not enter.`;
  throw new Stop(STEP, why, `Move the checkout elsewhere, or let others pass: chmod o+x ${closed}`);
}

function account(): OrdinaryUser | null {
  const entry = spawnSync("getent", ["passwd", NAME]).stdout.toString().trim().split(":");
  if (entry.length < 6) return null;
  return { uid: Number(entry[2]), gid: Number(entry[3]), home: entry[5] ?? "/" };
}

function made(): OrdinaryUser {
  const { status, stderr } = spawnSync("useradd", [
    "--create-home",
    "--user-group",
    "--shell",
    "/usr/sbin/nologin",
    NAME,
  ]);
  const user = account();
  if (status === 0 && user !== null) return user;
  throw new Stop(STEP, `useradd said: ${stderr}`, `Make a user named ${NAME}, then say the same again.`);
}

/** The outermost folder on the way to `path` that the user may not enter or, at its end, not read. */
export function closedFolder(path: string, { uid, gid }: OrdinaryUser): string | null {
  const outer = dirname(path) === path ? null : closedFolder(dirname(path), { uid, gid, home: "" });
  if (outer !== null) return outer;
  return spawnSync("test", ["-x", path], { uid, gid, cwd: "/" }).status === 0 ? null : path;
}
