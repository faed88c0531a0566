import { z } from "zod";
import type { Disks } from "./disks.ts";
import type { ScreenReader, Turn } from "./screen.ts";
import { until } from "./steps.ts";
import { switchOn, type VirtualPc } from "./virtual-pc.ts";

/** What systemd says of the player's unit. */
export interface Unit {
  readonly mainPid: number;
  readonly restarts: number;
  readonly isActive: boolean;
  readonly status: string;
  /** Whether systemd keeps it from what a player has no use for. */
  readonly isHardened: boolean;
}

const healthSchema = z.object({
  onAir: z.union([z.object({ kind: z.string() }), z.enum(["house", "nothing"])]),
  next: z.unknown(),
  proofs: z.object({ owed: z.number(), delivered: z.number() }),
  versions: z.record(z.string(), z.string()),
});

/** What the player says of itself. */
export type Health = z.infer<typeof healthSchema>;

export interface MachineParts {
  readonly folder: string;
  readonly disks: Disks;
  readonly ports: readonly string[];
  readonly reader: ScreenReader;
  /** Where its screen is photographed to. */
  readonly photograph: string;
}

/** From power-on to root's shell, on a machine that has other work. */
const BOOT_MS = 600_000;
const COMMAND_MS = 300_000;

/** The PC that is tested: switched on and off, and looked at, again and again on the same disks. */
export class Machine {
  readonly #parts: MachineParts;
  #pc: VirtualPc | null = null;

  constructor(parts: MachineParts) {
    this.#parts = parts;
  }

  /** Resolves when root's shell answers. */
  async switchOn(): Promise<void> {
    const { folder, disks, ports } = this.#parts;
    this.#pc = await switchOn(folder, disks, ports);
    await this.#on().shell.run("true", BOOT_MS);
  }

  /** Asks it to boot again; resolves when root's shell answers then. */
  async reboot(signal: AbortSignal): Promise<void> {
    const rebooted = this.#on().rebooted(signal);
    this.#on().shell.tell("systemctl reboot");
    await rebooted;
    await this.#on().shell.run("true", BOOT_MS);
  }

  /** Asks it to switch itself off; resolves when it has. */
  async switchOff(): Promise<void> {
    const pc = this.#on();
    pc.shell.tell("systemctl poweroff");
    await pc.ended;
    this.#pc = null;
  }

  /** The power goes; nothing happens where there is none. */
  async cutPower(): Promise<void> {
    await this.#pc?.cutPower();
    this.#pc = null;
  }

  /** Runs a command as root; answers with what it wrote, and throws where it fails. */
  run(command: string, withinMs = COMMAND_MS): Promise<string> {
    return this.#on().shell.run(command, withinMs);
  }

  /** Resolves with the creative that the screen shows, so far turned, as soon as it shows one. */
  spot(signal: AbortSignal, turn: Turn = 0): Promise<string> {
    const { photograph, reader } = this.#parts;
    return until(signal, async () => {
      await this.#on().photograph(photograph);
      return reader.creative(photograph, turn);
    });
  }

  /** Resolves with the text on the screen as soon as `pattern` is in it. */
  text(pattern: RegExp, signal: AbortSignal): Promise<string> {
    const { photograph, reader } = this.#parts;
    return until(signal, async () => {
      await this.#on().photograph(photograph);
      const text = reader.text(photograph);
      return pattern.test(text) ? text : null;
    });
  }

  async photograph(): Promise<void> {
    await this.#pc?.photograph(this.#parts.photograph);
  }

  async unit(): Promise<Unit> {
    const said = await this.run(
      "systemctl show spotloop.service -p MainPID,NRestarts,ActiveState,StatusText,NoNewPrivileges",
    );
    const properties = new Map(said.split("\n").map((line) => line.split(/=(.*)/s, 2) as [string, string]));
    return {
      mainPid: Number(properties.get("MainPID")),
      restarts: Number(properties.get("NRestarts")),
      isActive: properties.get("ActiveState") === "active",
      status: properties.get("StatusText") ?? "",
      isHardened: properties.get("NoNewPrivileges") === "yes",
    };
  }

  /** Null as long as nobody answers. */
  async health(): Promise<Health | null> {
    const said = await this.run("curl --silent --max-time 20 http://127.0.0.1:8790/health || true");
    return said.startsWith("{") ? healthSchema.parse(JSON.parse(said)) : null;
  }

  #on(): VirtualPc {
    if (this.#pc === null) throw new Error("the virtual PC is off");
    return this.#pc;
  }
}
