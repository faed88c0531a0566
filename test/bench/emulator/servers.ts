import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../../../scripts/setup/paths.mjs";

/** What the demo network's screen asks for. */
export const SPOT_PATH = "/v3/vendor/org_demo/1/rt_ad/screen_demo";

/** A server in a process of its own. */
export interface Server {
  readonly pid: number;
  /** The line that it said when it was ready, without a trailing slash in its URLs. */
  readonly ready: { readonly baseUrl: string; readonly mediaUrl: string; readonly controlUrl: string };
  stop(): Promise<void>;
}

/** The emulator as it is started from a shell; `args` are more of its arguments, `flags` are for Node. */
export function startEmulator(args: readonly string[] = [], flags: readonly string[] = []): Promise<Server> {
  const ports = ["--port", "0", "--media-port", "0", "--control-port", "0"];
  return started([...flags, join(ROOT, "dist/cli/main.js"), "emulator", ...ports, ...args]);
}

/** A bare `@hono/node-server` that says hello at `/`. */
export function startHello(): Promise<Server> {
  return started([join(import.meta.dirname, "hello.ts")]);
}

/** Each server is held to one core, so that neither collects its garbage on another; who asks it has the others. */
const ONE_CORE = ["--cpu-list", "0"] as const;

async function started(args: readonly string[]): Promise<Server> {
  const child = spawn("taskset", [...ONE_CORE, process.execPath, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const line = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}`)));
  });
  return {
    pid: child.pid ?? 0,
    ready: JSON.parse(await line),
    async stop() {
      child.kill();
      await ended;
    },
  };
}
