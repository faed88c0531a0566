import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { until } from "../boot/steps.ts";

/** A machine that boots Debian out of a folder beside this one's, on the same kernel and network: systemd, apt and all. */
export interface Container {
  /** Runs a command as root; answers with what it wrote, and throws where it fails or is not done in time. */
  run(command: string, withinMs?: number): Promise<string>;
  /** Ends everything in it on the spot. What was written is in the folder: the disk's own losses are not tried. */
  cutPower(): Promise<void>;
}

const BOOTED_WITHIN_MS = 180_000;
const COMMAND_MS = 120_000;

/** Boots what is in a folder; `log`: the file that its console goes to. Needs root, and systemd-nspawn. */
export async function boot(root: string, log: string, signal: AbortSignal): Promise<Container> {
  const console = openSync(log, "a");
  const options = ["--quiet", "--register=no", "--keep-unit", "--console=pipe", "--resolv-conf=off", "--timezone=off"];
  const child = spawn("systemd-nspawn", [...options, "--directory", root, "--boot"], {
    stdio: ["ignore", console, console],
  });
  const ended = once(child, "exit");
  const kill = () => killAll(child);
  process.once("exit", kill);
  void ended.finally(() => process.off("exit", kill));
  const leader = await until(AbortSignal.any([signal, AbortSignal.timeout(BOOTED_WITHIN_MS)]), async () => {
    if (child.exitCode !== null) throw new Error(`it does not boot:\n${readFileSync(log, "utf8").slice(-2_000)}`);
    return leaderOf(child);
  });
  const run = (command: string, withinMs = COMMAND_MS) => inside(leader, command, withinMs);
  const isUp = "systemctl is-system-running | grep -qE 'running|degraded'";
  await until(AbortSignal.any([signal, AbortSignal.timeout(BOOTED_WITHIN_MS)]), () =>
    run(isUp).then(
      () => true,
      () => null,
    ),
  );
  return {
    run,
    async cutPower() {
      kill();
      await ended;
    },
  };
}

/** The first process in it, which takes all others along. */
function leaderOf({ pid }: ChildProcess): number | null {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const leader = children.map(Number).find((one) => one > 0 && commandOf(one).endsWith("systemd"));
  return leader ?? null;
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
}

function killAll(child: ChildProcess): void {
  const leader = child.exitCode === null ? leaderOf(child) : null;
  if (leader !== null) process.kill(leader, "SIGKILL");
  child.kill("SIGKILL");
}

function inside(leader: number, command: string, withinMs: number): Promise<string> {
  const enter = ["--target", String(leader), "--mount", "--uts", "--ipc", "--pid", "--"];
  const env = ["env", "-i", "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", `PATH=${PATH}`];
  return new Promise((resolve, reject) => {
    execFile(
      "nsenter",
      [...enter, ...env, "/bin/sh", "-c", `exec 2>&1; cd; ${command}`],
      { timeout: withinMs, killSignal: "SIGKILL", encoding: "utf8", maxBuffer: 4 * 1024 * 1024 },
      (error, said) => {
        if (error === null) resolve(said.trim());
        else reject(new Error(`${command} ended with ${error.code ?? error.signal}: ${said.trim().slice(-3_000)}`));
      },
    );
  });
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
