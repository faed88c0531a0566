import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Child, startChild } from "../../../scripts/setup/child.ts";
import type { KioskSpec, KiosksSpec, Mishap, MishapTold } from "./player.ts";

/** A process in which kiosks play, which can be killed and started again on the same data. */
export interface KioskProcess {
  readonly kiosks: readonly KioskSpec[];
  /** Starts it, and resolves once all its players play. */
  start(): Promise<void>;
  /** Lets something happen to the kiosk of this name; resolves once it has. */
  tell(name: string, mishap: Mishap): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

const PROGRAM = join(import.meta.dirname, "player.ts");

/** Kiosks that share a process; nothing runs before `start`. */
export function kioskProcess(spec: KiosksSpec): KioskProcess {
  let child: Child | null = null;
  const ask = async (told: KiosksSpec | MishapTold) => {
    if (child === null) throw new Error("these kiosks do not run");
    const { process: running, ended, complaint } = child;
    const done = once(running, "message").then(() => null);
    running.send(told);
    const end = await Promise.race([done, ended]);
    if (end !== null) throw new Error(`kiosks ended with ${end}: ${complaint()}`);
  };
  return {
    kiosks: spec.kiosks,
    async start() {
      for (const { dataDir } of spec.kiosks) mkdirSync(dataDir, { recursive: true });
      child = startChild(process.execPath, [PROGRAM], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
      await ask(spec);
    },
    tell: (name, mishap) => ask({ name, mishap }),
    async kill() {
      child?.process.kill("SIGKILL");
      await child?.ended;
      child = null;
    },
  };
}
