import { join } from "node:path";
import type { StoredRow } from "../../../src/player/record/record-row.ts";
import { readCatalogue } from "../creatives/catalogue.ts";
import { plannedSpots } from "../creatives/running-order.ts";
import { checkoutPlayer, eventually, type Running } from "../machine/processes.ts";
import { readHealth } from "../player/health.ts";
import { openRig, type Rig } from "../player/rig.ts";
import { recordRowsIn } from "../player/stores.ts";
import { type FakeConnector, fakeConnector } from "./fake-connector.ts";

/** Programs are asked every half a minute, and each waits for up to 15 s where items come in sight all the time. */
export const ASKED_WITHIN_MS = 120_000;
/** Of the virtual X server's only output. */
const OUTPUT = "screen";

/** A rig whose display can be read back: the kernel tells of its connector, and its monitor answers programs, or does not. */
export interface PanelRig extends Rig {
  readonly connector: FakeConnector;
  /** Starts the player with these changes to its configuration, in a world where the kernel tells of the connector. */
  start(changes?: object): Running;
  /** Resolves when health tells this state of the display. */
  panelIs(state: string): Promise<void>;
  /** The rows about playouts and displays. */
  rows(): readonly StoredRow[];
}

/** One with spots for longer than any test takes; closed as a rig is. */
export async function openPanelRig(): Promise<PanelRig> {
  const { PATH } = process.env;
  const rig = await openRig({ width: 960, height: 540 });
  const connector = fakeConnector(rig.home, OUTPUT);
  process.env.PATH = `${connector.bin}:${PATH}`;
  await rig.emulator.next(plannedSpots(readCatalogue(), 200));
  return {
    ...rig,
    connector,
    start: (changes = {}) => rig.play(["--config", rig.configure(changes)], connector.around(checkoutPlayer())),
    async panelIs(state) {
      const read = async () => ((await readHealth(rig.home))?.panel.state === state ? true : undefined);
      await eventually(`a display that is ${state}`, read, ASKED_WITHIN_MS);
    },
    rows: () => displayRows(rig),
    async close() {
      process.env.PATH = PATH;
      await rig.close();
    },
  };
}

/** The rows about playouts and displays of a rig's player. */
export function displayRows({ home }: Pick<Rig, "home">): readonly StoredRow[] {
  return recordRowsIn(join(home, "data"), "playout", "display");
}
