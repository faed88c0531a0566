import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import type { WorldFile } from "../../../src/emulator/world/schema.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { spotloopOf } from "./spotloop.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));
const ROWS = 10_000;
/**
 * Plain JavaScript objects of 10,000 rows with all that is planned for them have to fit in. Left to itself V8 gives new
 * objects more than that, and then collects garbage all the time.
 */
const HEAP = ["--max-old-space-size=64", "--max-semi-space-size=16"];
/** One approved location with one screen, in a network that asks to wait now and then. */
const world: WorldFile = {
  organizations: [
    {
      org_token: "org_bulk",
      locations: [{ location_id: "hall", title: "Hall", status: "APPROVED", ...reviewed() }],
      screens: [{ screen_id: "s-0", title: "Old", venue_type_id: "101", location_id: "hall" }],
    },
  ],
  faults: [
    { match: { route: "screen" }, skip: 2_000, times: 3, do: { retryAfter: 1 } },
    { match: { route: "screens" }, skip: 300, times: 3, do: { retryAfter: 1 } },
  ],
};

function reviewed() {
  const opening_168 = Array<boolean>(168).fill(true);
  return { venue_type_id: "101", lat: 1, long: 2, opening_168, visitors_7: [1, 1, 1, 1, 1, 1, 1] };
}

/** An emulator in a process of its own, so that neither slows the other. */
async function emulatorOf(file: string) {
  const ports = ["--port", "0", "--media-port", "0", "--control-port", "0"];
  const child = spawn(process.execPath, [MAIN, "emulator", ...ports, "--seed", "1", "--world", file], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(child.stdout, "data");
  return JSON.parse(String(line)) as { baseUrl: string; controlUrl: string; orgToken: string };
}

async function counts(controlUrl: string) {
  const json = async (path: string) => (await fetch(`${controlUrl}/control/${path}`)).json();
  const [organization] = (await json("organizations")) as { screens: number }[];
  const faults = (await json("faults")) as { applied: number }[];
  return { screens: organization?.screens ?? 0, waits: faults.map(({ applied }) => applied) };
}

/** Resolves when the first rows are written. */
async function begun(controlUrl: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && (await counts(controlUrl)).screens < 500) {
    await fetch(`${controlUrl}/control/journal/wait?route=screens&count=1&timeout_ms=1000`).then((reply) =>
      reply.text(),
    );
  }
}

it.skipIf(process.platform === "win32")(
  "applies 10,000 rows in bounded memory within the service's limit, and goes on after an interruption",
  async () => {
    const folder = temporaryFolder();
    const [worldFile, file] = [join(folder, "world.json"), join(folder, "screens.csv")];
    writeFileSync(worldFile, JSON.stringify(world));
    const rows = Array.from({ length: ROWS }, (_, n) => `s-${n},Screen ${n},hall,10101,1920x1080,60`);
    writeFileSync(file, ["id,title,location,venue-type,size,loop", ...rows].join("\n"));
    const emulator = await emulatorOf(worldFile);
    const args = ["screens", "apply", file, "--yes"];

    const env = { ...process.env, SPOTLOOP_BASE_URL: emulator.baseUrl, SPOTLOOP_ORG_TOKEN: emulator.orgToken };
    const interrupted = spawn(process.execPath, [...HEAP, MAIN, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
    onTestFinished(() => void interrupted.kill("SIGKILL"));
    const said: string[] = [];
    interrupted.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
    await begun(emulator.controlUrl, interrupted);
    interrupted.kill("SIGINT");
    const [code] = await once(interrupted, "close");
    const half = await counts(emulator.controlUrl);

    expect(code).toBe(130);
    expect(said.join("")).toMatch(/^[\d,]+ rows left undone\. Run the same command again to go on\.\n$/);
    expect(half.screens).toBeGreaterThanOrEqual(500);
    expect(half.screens).toBeLessThan(ROWS);

    const resumed = await spotloopOf(emulator)(args, { node: HEAP });
    const whole = await counts(emulator.controlUrl);

    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain(`${ROWS - half.screens} to create`.replace(/(\d)(\d{3}) /, "$1,$2 "));
    expect(resumed.stdout).toMatch(new RegExp(`\\ncreated ${ROWS - half.screens}, updated [01], failed 0\\n$`));
    expect(whole.screens).toBe(ROWS);
    expect(whole.waits).toEqual([3, 3]);
  },
  300_000,
);
