import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Disks } from "./disks.ts";
import { openShell, type Shell } from "./shell.ts";

/** A PC that runs: its screen, its power switch, and a shell of root's in it. */
export interface VirtualPc {
  readonly shell: Shell;
  /** Resolves when the machine is off: by itself, or because its power was cut. */
  readonly ended: Promise<void>;
  /** Writes a photograph of the screen, a PNG. */
  photograph(file: string): Promise<void>;
  /** Resolves when the machine has left what it ran and begins to boot again. */
  rebooted(signal: AbortSignal): Promise<void>;
  /** The power goes: nothing of the machine's memory gets to its disks. */
  cutPower(): Promise<void>;
}

/** Where the guest finds the ports of this machine's loopback that it may reach (`guest/network@.service`). */
const GATE = "10.0.2.100";
const MEMORY_MB = 3_072;
const STARTS_WITHIN_MS = 30_000;
/** A machine under load lets QEMU wait for its processors, too. */
const ANSWERS_WITHIN_MS = 300_000;

/** The files in a PC's folder, which outlive its power. */
export const CONSOLE = "console.log";
/** The player's journal, line by line, as the guest sent it while it had power. */
export const TOLD = "told.log";

/**
 * Switches a PC on. `ports`: what of this machine's loopback it reaches, and nothing else of any network. Its processor is
 * emulated, so this needs no privileges and runs wherever QEMU does.
 */
export async function switchOn(folder: string, disks: Disks, ports: readonly string[]): Promise<VirtualPc> {
  const [monitorPath, shellPath] = [join(folder, "monitor"), join(folder, "shell")];
  for (const path of [monitorPath, shellPath]) rmSync(path, { force: true });
  const gates = ports.map((port) => `guestfwd=tcp:${GATE}:${port}-cmd:nc -N 127.0.0.1 ${port}`);
  const drive = (file: string) => ["-drive", `file=${file},if=virtio,format=raw,cache=unsafe`];
  const child = spawn("qemu-system-x86_64", [
    // With more modern processors Chromium's GPU process dies under emulation.
    ...["-accel", "tcg,thread=multi", "-cpu", "Westmere", "-smp", "2", "-m", String(MEMORY_MB)],
    ...["-kernel", disks.kernel, "-initrd", disks.initrd, "-append", "root=/dev/vda rw console=ttyS0"],
    // What the guest has written is in this machine's memory and survives the end of QEMU, so that nothing waits for a disk.
    ...drive(disks.root),
    ...drive(disks.data),
    ...["-netdev", ["user", "id=net", "restrict=on", ...gates].join(","), "-device", "virtio-net-pci,netdev=net"],
    ...["-device", "virtio-vga,xres=1280,yres=720", "-display", "none", "-device", "virtio-serial"],
    ...["-chardev", `socket,id=shell,path=${shellPath},server=on,wait=off`],
    ...["-device", "virtserialport,chardev=shell,name=spotloop.shell"],
    ...["-chardev", `file,id=told,path=${join(folder, TOLD)},append=on`],
    ...["-device", "virtserialport,chardev=told,name=spotloop.told"],
    ...["-chardev", `file,id=console,path=${join(folder, CONSOLE)},append=on`, "-serial", "chardev:console"],
    ...["-qmp", `unix:${monitorPath},server=on,wait=off`],
  ]);
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = endOf(child).finally(() => process.off("exit", kill));
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-MOST_SAID);
  });
  const connect = async (path: string) => {
    for (let waitedMs = 0; waitedMs < STARTS_WITHIN_MS && child.exitCode === null; waitedMs += LOOK_EVERY_MS) {
      const socket = existsSync(path) ? await connected(path) : null;
      if (socket !== null) return socket;
      await sleep(LOOK_EVERY_MS);
    }
    kill();
    await ended;
    throw new Error(`QEMU did not start: ${said}`);
  };
  const shell = openShell(await connect(shellPath));
  const monitor = openMonitor(await connect(monitorPath));
  await monitor.execute("qmp_capabilities");
  return {
    ...{ shell, ended },
    photograph: (file) => monitor.execute("screendump", { filename: file, format: "png" }),
    rebooted: (signal) => monitor.heard("RESET", signal),
    async cutPower() {
      kill();
      await ended;
    },
  };
}

const LOOK_EVERY_MS = 100;
/** Enough of what QEMU said last to see why it ended. */
const MOST_SAID = 4_000;

/** The last lines on the first serial port: what kernel and systemd said. */
export function consoleTail(folder: string, lines = 30): string {
  const path = join(folder, CONSOLE);
  if (!existsSync(path)) return "";
  return readFileSync(path, "latin1").replaceAll("\r", "").trimEnd().split("\n").slice(-lines).join("\n");
}

async function endOf(child: ChildProcess): Promise<void> {
  await Promise.race([once(child, "exit"), once(child, "error").then(() => {})]);
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(null));
  });
}

interface Monitor {
  execute(command: string, args?: object): Promise<void>;
  /** Resolves at the next event of that name. */
  heard(event: string, signal: AbortSignal): Promise<void>;
}

const answerSchema = z.object({
  return: z.unknown().optional(),
  error: z.object({ desc: z.string() }).optional(),
  event: z.string().optional(),
});

/** QEMU's own protocol: a JSON object a line. Commands are answered in their order; events come in between. */
function openMonitor(socket: Socket): Monitor {
  const waiting: ((error: Error | null) => void)[] = [];
  const events = new EventTarget();
  // The power goes while QEMU speaks, and readline passes on what its socket says of that.
  socket.on("error", () => {});
  const lines = createInterface({ input: socket }).on("error", () => {});
  lines.on("line", (line) => {
    const { event, error, ...rest } = answerSchema.parse(JSON.parse(line));
    if (event !== undefined) events.dispatchEvent(new Event(event));
    else if (error !== undefined) waiting.shift()?.(new Error(error.desc));
    else if ("return" in rest) waiting.shift()?.(null);
  });
  socket.once("close", () => {
    for (const settle of waiting.splice(0)) settle(new Error("the virtual PC is off"));
  });
  return {
    execute: (command, args = {}) =>
      new Promise((resolve, reject) => {
        const tooLong = () => reject(new Error(`QEMU has not answered ${command} for ${ANSWERS_WITHIN_MS} ms`));
        const timer = setTimeout(tooLong, ANSWERS_WITHIN_MS);
        waiting.push((error) => {
          clearTimeout(timer);
          if (error === null) resolve();
          else reject(error);
        });
        socket.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
      }),
    heard: async (event, signal) => void (await once(events, event, { signal })),
  };
}
