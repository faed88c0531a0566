import { type Display, startDisplay } from "../../../scripts/setup/display.ts";
import {
  checkoutPlayer,
  type EmulatorProcess,
  type Program,
  preferOver,
  type Running,
  startEmulatorProcess,
  startPlayerProcess,
  userFolder,
  writeConfig,
} from "../machine/processes.ts";

/** A display that a player is shown in another way than by an X11 display's name. */
export interface SessionDisplay extends Display {
  /** The variables by which programs find it. */
  readonly env?: Readonly<Record<string, string>>;
  /** What players on it are started with. */
  readonly switches?: readonly string[];
}

/** A display, a screen network and a home for the player's user, each on its own; closed together. */
export interface Rig {
  readonly display: Display;
  readonly emulator: EmulatorProcess;
  readonly home: string;
  /** Writes a configuration that plays against the emulator, with changes; returns its path. */
  configure(changes?: object): string;
  /** Starts the player as an ordinary user with these arguments; `program` is this checkout's by default. */
  play(args: readonly string[], program?: Program): Running;
  close(): Promise<void>;
}

/** What a rig is opened with, where it is not to be as usual. */
export interface RigChanges {
  readonly width?: number;
  readonly height?: number;
  /** Starts the display, instead of a virtual one of that size. */
  readonly start?: () => Promise<SessionDisplay>;
  /** With which more arguments the emulator is started; it may write files for it into the folder. */
  readonly emulate?: (folder: string) => readonly string[];
}

export async function openRig({ width = 1280, height = 720, start, emulate }: RigChanges = {}): Promise<Rig> {
  // The test serves pages itself, and whatever it starts has its priority from the first moment on.
  preferOver(process);
  const folder = userFolder();
  const startDisplayHere = start ?? ((): Promise<SessionDisplay> => startDisplay({ width, height }));
  const started = [startDisplayHere(), startEmulatorProcess(emulate?.(folder.path))] as const;
  const [display, emulator] = await Promise.all(started);
  const players: Running[] = [];
  return {
    display,
    emulator,
    home: folder.path,
    configure(changes = {}) {
      const { baseUrl, orgToken, screenId } = emulator;
      const config = { baseUrl, orgToken, screenId, dataDir: "data", health: { port: 0 }, ...changes };
      return writeConfig(folder.path, config);
    },
    play(args, program = checkoutPlayer()) {
      const player = startPlayerProcess(program, display.env ?? display.name, folder.path, [
        ...(display.switches ?? []),
        ...args,
      ]);
      players.push(player);
      return player;
    },
    async close() {
      await Promise.all(players.map((player) => player.stop()));
      await emulator.stop();
      await display.stop();
      folder.remove();
    },
  };
}
