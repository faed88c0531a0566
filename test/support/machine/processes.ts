import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";

import { electronRuntime, PLAYER_SWITCHES } from "../../../scripts/setup/electron.ts";
import { ROOT } from "../../../scripts/setup/paths.mjs";
import { ordinaryUser } from "../../../scripts/setup/user.ts";
import type { PlannedSpot } from "../../../src/emulator/spot/planned.ts";

/** A process that ends by itself or when it is stopped; its lines are kept. */
export interface Running {
  readonly pid: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** Resolves with the exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
  stop(signal?: NodeJS.Signals): Promise<number | string>;
}

/** A process that is asked to stop and does not is killed; the player itself gives up waiting before. */
const STOP_WITHIN_MS = 15_000;
const LAST_LINES_MS = 1_000;

function running(child: ChildProcess): Running {
  const stdout: string[] = [];
  const stderr: string[] = [];
  if (child.stdout !== null) createInterface({ input: child.stdout }).on("line", (line) => stdout.push(line));
  if (child.stderr !== null) createInterface({ input: child.stderr }).on("line", (line) => stderr.push(line));
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      // The last lines come with "close"; a grandchild that lives on and holds the pipes must not keep them from us.
      const done = () => resolve(code ?? signal ?? "unknown");
      child.once("close", done);
      setTimeout(done, LAST_LINES_MS);
    });
  });
  return {
    pid: child.pid ?? 0,
    stdout,
    stderr,
    ended,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const timer = setTimeout(() => {
        console.error(`does not stop: ${stderr.at(-1)}\n${whereItIs(child.pid ?? 0)}`);
        child.kill("SIGKILL");
      }, STOP_WITHIN_MS);
      return ended.finally(() => clearTimeout(timer));
    },
  };
}

/** What each thread of a process waits for in the kernel, a line each; threads may end while they are asked. */
function whereItIs(pid: number): string {
  const threads = `/proc/${pid}/task`;
  try {
    const lines = readdirSync(threads).map((id) => {
      const [comm, wchan, state] = ["comm", "wchan", "status"].map((name) =>
        readFileSync(join(threads, id, name), "utf8"),
      );
      return `${comm?.trim()} ${wchan} ${/State:\s(.)/.exec(state ?? "")?.[1]}`;
    });
    return lines.join("\n");
  } catch (error) {
    return `cannot be told: ${error}`;
  }
}

const readySchema = z.object({
  ready: z.literal(true),
  baseUrl: z.string(),
  mediaUrl: z.string(),
  controlUrl: z.string(),
  orgToken: z.string(),
  screenId: z.string(),
});

/** One item of the emulator's ledger. */
export interface LedgerItem {
  readonly id: string;
  readonly url: string;
  readonly media: readonly { readonly complete: boolean }[];
  readonly pops: readonly { readonly at: string; readonly status: number; readonly verdict: string }[];
}
export interface LedgerSpot {
  readonly requestId: string;
  readonly issued_at: string;
  readonly newsFirst: boolean;
  readonly news: LedgerItem | null;
  readonly ad: LedgerItem | null;
}

export type EmulatorProcess = Running &
  z.infer<typeof readySchema> & {
    /** Of the demo's first screen unless another is named; so is the ledger. */
    next(spots: readonly PlannedSpot[], screenId?: string): Promise<void>;
    ledger(screenId?: string): Promise<readonly LedgerSpot[]>;
    /** Calls the control API; throws what it complains about. */
    control(method: "PUT" | "POST" | "DELETE", path: string, body: unknown): Promise<void>;
  };

/** Starts the emulator as a process of its own, on ports that are free, with more arguments where there are any. */
export async function startEmulatorProcess(more: readonly string[] = []): Promise<EmulatorProcess> {
  const args = ["emulator", "--port", "0", "--media-port", "0", "--control-port", "0", "--seed", "7", ...more];
  const child = running(spawn(...onALeash(process.execPath, [join(ROOT, "dist/cli/main.js"), ...args])));
  const line = await eventually("the emulator's ready line", () => child.stdout[0]);
  const ready = readySchema.parse(JSON.parse(line));
  return {
    ...child,
    ...ready,
    async next(spots, screenId = ready.screenId) {
      const headers = { "content-type": "application/json" };
      const screen = `${ready.controlUrl}/control/screens/${screenId}`;
      const response = await fetch(`${screen}/next`, { method: "POST", headers, body: JSON.stringify({ spots }) });
      if (!response.ok) throw new Error(await response.text());
    },
    async control(method, path, body) {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${ready.controlUrl}${path}`, { method, headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(await response.text());
    },
    async ledger(screenId = ready.screenId) {
      const response = await fetch(`${ready.controlUrl}/control/spots?screen_id=${screenId}`);
      return (await response.json()) as LedgerSpot[];
    },
  };
}

/** A folder that the ordinary user owns, and that goes with `remove`. */
export function userFolder(): { path: string; remove(): void } {
  const { uid, gid } = ordinaryUser();
  const path = mkdtempSync(join(tmpdir(), "spotloop-e2e-"));
  chownSync(path, uid, gid);
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }) };
}

/** Writes a configuration for the player into a folder, readable by nobody but its user. */
export function writeConfig(folder: string, config: object): string {
  const path = join(folder, "config.json");
  writeFileSync(path, JSON.stringify(config));
  chmodSync(path, 0o600);
  const { uid, gid } = ordinaryUser();
  chownSync(path, uid, gid);
  return path;
}

/** What starts a player: an executable, and the arguments before the player's own. */
export interface Program {
  readonly executable: string;
  readonly args: readonly string[];
}

/** The player of this checkout in the runtime at hand. */
export function checkoutPlayer(app = ROOT): Program {
  const { executable, args } = electronRuntime(false);
  return { executable, args: [...args, ...PLAYER_SWITCHES, app] };
}

/**
 * Starts a player as an ordinary user, so with Chromium's sandbox on; `display` is an X11 display's name, the variables by
 * which another one is found, or null for none at all.
 */
export function startPlayerProcess(
  program: Program,
  display: string | Readonly<Record<string, string>> | null,
  home: string,
  args: readonly string[],
): Running {
  const { uid, gid } = ordinaryUser();
  const { PATH } = process.env;
  const env = { PATH, HOME: home, LANG: "C.UTF-8", ...(typeof display === "string" ? { DISPLAY: display } : display) };
  const child = spawn(...onALeash(program.executable, [...program.args, ...args]), { uid, gid, cwd: home, env });
  preferOver(child);
  last = running(child);
  return last;
}

let last: Running | undefined;

/** The player that was started last, running or not. */
export function lastPlayer(): Running | undefined {
  return last;
}

/**
 * What is measured goes before whatever else this machine does, as far as the user running this may say so: before the
 * other processes of its session, and its session before others, where the kernel shares the processors among sessions
 * first (sched(7), autogroup).
 */
export function preferOver({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined || process.getuid?.() !== 0) return;
  setPriority(pid, constants.priority.PRIORITY_HIGH);
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(SESSION_PRIORITY), { flag: "r+" });
  } catch {
    // No such file where the kernel does not group sessions; EINVAL where this session is in the root group, whose share
    // is fixed. The priority above is all there is then.
  }
}

/** Nine times the share of an ordinary session: with more, the kernel itself has too little of a busy machine. */
const SESSION_PRIORITY = -10;

/** A program that ends with the process that started it, however that ends: a suite may be killed. */
export function onALeash(executable: string, args: readonly string[]): [string, string[]] {
  return ["setpriv", ["--pdeathsig", "KILL", executable, ...args]];
}

/** A watcher that nobody stopped, because its test failed, does not keep this process alive. */
export function letGo(child: ChildProcess): void {
  child.unref();
  for (const pipe of [child.stdout, child.stderr]) if (pipe instanceof Socket) pipe.unref();
}

/** Asks again and again until there is an answer; an error after half a minute. */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  withinMs = 30_000,
  everyMs = 50,
): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > until) throw new Error(`${what} did not come within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
