import { statfsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Mishap } from "./kiosks/player.ts";
import type { KioskProcess } from "./kiosks/process.ts";
import type { FleetNetwork, Place } from "./network.ts";

/** A kiosk that is to be broken, and what there is around it. */
export interface Patient {
  readonly name: string;
  readonly screenId: string;
  readonly dataDir: string;
  readonly process: KioskProcess;
  readonly network: FleetNetwork;
  /** Ends the agent of this kiosk without a word. */
  killAgent(): Promise<void>;
  /** So much of the fleet's time. */
  pass(fleetMs: number): Promise<void>;
  /** Calls this when the fleet is closed. */
  onClose(act: () => void): void;
}

/** Something that goes wrong with one kiosk, and what comes of it. */
export interface Cause {
  /** The kiosk's name too. */
  readonly name: string;
  readonly what: string;
  /** The alert that it is for; null where there must be none. */
  readonly alert: string | null;
  /** When that is due, in minutes of the fleet from when it broke. */
  readonly dueMinutes: number;
  /** Other alerts that this is a cause of, told. */
  readonly besides?: readonly string[];
  /** Alerts that follow from `alert`, so that nobody is told. */
  readonly silenced?: readonly string[];
  readonly place?: Place;
  /** Whether the kiosk has an agent of its own and a disk of its own; the others share theirs. */
  readonly ownAgent?: true;
  readonly ownDisk?: true;
  breakDown(patient: Patient): Promise<void>;
}

const MINUTE_MS = 60_000;

/** All of them; an alert has one cause at least. */
export const CAUSES: readonly Cause[] = [
  {
    name: "paints-nothing",
    what: "its decks load, and no frame of them comes",
    alert: "SpotloopScreenDark",
    dueMinutes: 15,
    silenced: ["SpotloopNothingProved"],
    breakDown: told({ kind: "paints-nothing" }),
  },
  {
    name: "hidden",
    what: "something is in front of its window",
    alert: "SpotloopScreenDark",
    dueMinutes: 15,
    silenced: ["SpotloopNothingProved"],
    breakDown: told({ kind: "hidden" }),
  },
  {
    name: "no-spots",
    what: "the service has nothing for this screen",
    alert: "SpotloopNothingProved",
    dueMinutes: 40,
    breakDown: struck("spot", { empty: true }),
  },
  {
    name: "proofs-held",
    what: "its proofs are answered 503",
    alert: "SpotloopProofsExpiring",
    dueMinutes: 47,
    besides: ["SpotloopNothingProved"],
    breakDown: struck("pop", { status: 503 }),
  },
  {
    name: "clock-off",
    what: "its clock is set 95 s back",
    alert: "SpotloopClockOff",
    dueMinutes: 15,
    breakDown: told({ kind: "clock-off", aheadMs: -95_000 }),
  },
  {
    name: "disk-full",
    what: "something else fills its disk, a file system of its own",
    alert: "SpotloopDiskFull",
    dueMinutes: 15,
    ownDisk: true,
    breakDown: async ({ dataDir }) => fillDisk(dataDir),
  },
  {
    name: "restarts",
    what: "it is killed every 5 minutes, and started again",
    alert: "SpotloopRestartLoop",
    // Four starts in half an hour, the first of them at once.
    dueMinutes: 15,
    async breakDown({ process, pass }) {
      for (let start = 0; start < 5; start++) {
        await process.kill();
        await process.start();
        await pass(5 * MINUTE_MS);
      }
    },
  },
  {
    name: "portal",
    what: "a captive portal answers in place of its hosts",
    alert: "SpotloopPortal",
    dueMinutes: 5,
    silenced: ["SpotloopScreenDark", "SpotloopNothingProved", "SpotloopProofsExpiring"],
    async breakDown({ name, process, onClose }) {
      const portal = await openPortal();
      onClose(portal.close);
      await process.tell(name, { kind: "portal", origin: portal.origin });
    },
  },
  {
    name: "killed",
    what: "its player is killed; its agent goes on",
    alert: "SpotloopPlayerGone",
    dueMinutes: 10,
    breakDown: ({ process }) => process.kill(),
  },
  {
    name: "off",
    what: "the machine goes off, its agent with it",
    alert: "SpotloopPlayerGone",
    dueMinutes: 10,
    ownAgent: true,
    async breakDown({ process, killAgent }) {
      await killAgent();
      await process.kill();
    },
  },
  {
    name: "software",
    what: "it renders in software",
    alert: "SpotloopSoftwareRendering",
    dueMinutes: 360,
    breakDown: told({ kind: "software-rendering" }),
  },
  {
    name: "message",
    what: "the operator's message is not taken back",
    alert: "SpotloopOverridden",
    dueMinutes: 720,
    breakDown: told({ kind: "message", text: "Back soon" }),
  },
  {
    name: "display-off",
    what: "the operator's word has its display off",
    alert: "SpotloopOverridden",
    dueMinutes: 720,
    breakDown: told({ kind: "display-off" }),
  },
  {
    name: "display-disobeys",
    what: "its display stays on when it is switched off",
    alert: "SpotloopDisplayDisobeys",
    dueMinutes: 15,
    breakDown: told({ kind: "display-disobeys" }),
  },
  {
    name: "taken-back",
    what: "its upgrade was taken back",
    alert: "SpotloopUpgradeTakenBack",
    dueMinutes: 0,
    breakDown: told({ kind: "upgrade-taken-back" }),
  },
  {
    name: "closed",
    what: "its place is closed, and the player is killed",
    alert: null,
    dueMinutes: 0,
    place: "closed",
    breakDown: ({ process }) => process.kill(),
  },
  {
    name: "unapproved",
    what: "its place is not approved, and the player is killed",
    alert: null,
    dueMinutes: 0,
    place: "unapproved",
    breakDown: ({ process }) => process.kill(),
  },
];

function told(mishap: Mishap): Cause["breakDown"] {
  return ({ name, process }) => process.tell(name, mishap);
}

function struck(route: string, effect: { readonly empty: true } | { readonly status: number }): Cause["breakDown"] {
  return ({ name, network, screenId: screen_id }) =>
    network.addFault({ name, match: { screen_id, route }, do: effect });
}

/** Less than the alert allows, more than the player needs to go on. */
const LEFT_BYTES = 40 * 1024 * 1024;

function fillDisk(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const filler = Buffer.alloc(Math.max(0, bavail * bsize - LEFT_BYTES));
  writeFileSync(join(folder, "filler"), filler);
}

/** Answers each request by leading it to a page of its own, as portals do. */
async function openPortal(): Promise<{ readonly origin: string; close(): void }> {
  const page = "<!doctype html><title>Welcome</title><h1>Welcome to our network</h1>";
  const server = createServer((request, response) => {
    if (request.url === "/welcome") return response.writeHead(200, { "content-type": "text/html" }).end(page);
    return response.writeHead(302, { location: "http://welcome.example/welcome" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${port}`, close };
}
