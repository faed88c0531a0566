import { type Display, startDisplay } from "../../scripts/setup/display.ts";
import {
  checkoutPlayer,
  type EmulatorProcess,
  type Program,
  type Running,
  startEmulatorProcess,
  startPlayerProcess,
  userFolder,
  writeConfig,
} from "./processes.ts";

/** A display, a screen network and a home for the player's user, each on its own; closed together. */
export interface Rig {
  readonly display: Display;
  readonly emulator: EmulatorProcess;
  readonly home: string;
  /** Writes a configuration that plays against the emulator, with changes; returns its path. */
  configure(changes?: object): string;
  /** Starts the player as an ordinary user with these arguments; `program` is this checkout's unless told otherwise. */
  play(args: readonly string[], program?: Program): Running;
  close(): Promise<void>;
}

/** With a virtual display of a size, unless another is handed in. */
export async function openRig({ width = 1280, height = 720, start = () => startDisplay({ width, height }) } = {}) {
  return rigOn(await start());
}

async function rigOn(display: Display): Promise<Rig> {
  const emulator = await startEmulatorProcess();
  const folder = userFolder();
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
      const player = startPlayerProcess(program, display.name, folder.path, args);
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
