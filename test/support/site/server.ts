import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, chownSync, constants, readdirSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A server of the system's that a test has started. */
export interface SystemServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Where a program is, or null; daemons are not on every user's path. */
export function programAt(name: string): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A loopback port that is free just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** As whom daemons run that a test starts as root. */
const NOBODY = 65_534;
const STARTS_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 20;

/**
 * Starts a program that listens on a port, in a folder of its own whose files it may write, as an ordinary user; resolves
 * once it listens.
 */
export async function startServer(
  program: string,
  args: readonly string[],
  { folder, port, env = {} }: { readonly folder: string; readonly port: number; readonly env?: NodeJS.ProcessEnv },
): Promise<SystemServer> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    for (const name of ["", ...readdirSync(folder)]) chownSync(join(folder, name), NOBODY, NOBODY);
  }
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const ended = once(child, "exit");
  const endBy = Date.now() + STARTS_WITHIN_MS;
  while (!(await isListening(port))) {
    if (child.exitCode === null && Date.now() < endBy) await sleep(LOOK_EVERY_MS);
    else throw new Error(`${program} does not listen: ${said}`);
  }
  return {
    port,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
