import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { HAS_SMALL_DISKS, smallDisk } from "../support/machine/small-disk.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** An emulator on a data file, and what it has printed. */
function emulator(data: string, more: readonly string[] = []) {
  const flags = ["--port", "0", "--media-port", "0", "--control-port", "0", "--data", data, ...more];
  const child = spawn(process.execPath, [MAIN, "emulator", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.stderr += text;
  });
  return { child, printed };
}

/** An emulator on a data file, with what it said when it was ready. */
async function ready(data: string, ...more: string[]) {
  const { child, printed } = emulator(data, more);
  while (!printed.stdout.includes("\n")) await once(child.stdout, "data");
  return { child, printed, line: JSON.parse(printed.stdout) };
}

async function ended({ child }: Awaited<ReturnType<typeof ready>>) {
  child.kill("SIGTERM");
  await once(child, "close");
}

/** A world of one screen with that title, in a file. */
function worldFile(folder: string, title: string): string {
  const file = join(folder, "world.json");
  const location = { location_id: "l", title: "L" };
  const screen = { screen_id: "wall", title, venue_type_id: "1", location_id: "l" };
  const organization = { org_token: "org_mine", locations: [location], screens: [screen] };
  writeFileSync(file, JSON.stringify({ organizations: [organization] }));
  return file;
}

// An emulator is asked to stop by a signal, and on Windows there is none that another process could send.
describe.skipIf(process.platform === "win32")("spotloop emulator --data", () => {
  it("goes on where it was stopped", async () => {
    const data = join(temporaryFolder(), "state.db");
    const first = await ready(data);
    await fetch(`${first.line.baseUrl}/v3/vendor/org_demo/1/rt_ad/screen_demo`);
    const before = await (await fetch(`${first.line.controlUrl}/control/spots`)).json();
    first.child.kill("SIGTERM");
    const [code] = await once(first.child, "close");

    const second = await ready(data);
    const after = await (await fetch(`${second.line.controlUrl}/control/spots`)).json();

    expect(code).toBe(0);
    expect(after).toEqual(before);
    expect(after).toHaveLength(1);
  });

  it("says that what was kept counts, what differs in an edited world file, and how to begin as that says", async () => {
    const folder = temporaryFolder();
    const data = join(folder, "state.db");
    await ended(await ready(data, "--world", worldFile(folder, "Wall")));
    const world = worldFile(folder, "Wall by the door");
    const second = await ready(data, "--world", world);
    const title = async (controlUrl: string) => {
      const [screen] = await (await fetch(`${controlUrl}/control/screens`)).json();
      return screen.title;
    };

    expect(await title(second.line.controlUrl)).toBe("Wall");
    await ended(second);
    expect(second.printed.stderr).toContain(
      [
        `${data} has kept an earlier run, which goes on: its state counts, and the world file ${world} has been changed since:`,
        '  organizations[org_mine].screens[wall].title: "Wall" is "Wall by the door" now',
        `--reset begins as the world file ${world} says, and forgets what was kept`,
        "",
      ].join("\n"),
    );
    const reset = await ready(data, "--world", world, "--reset");
    expect(await title(reset.line.controlUrl)).toBe("Wall by the door");
    await ended(reset);
    const again = await ready(data, "--world", world);
    await ended(again);
    expect(reset.printed.stderr).not.toContain("has kept");
    expect(again.printed.stderr).toContain(`${data} has kept an earlier run, which goes on; --reset begins anew\n`);
  });

  it.skipIf(!HAS_SMALL_DISKS)("says so where the disk is too full for the last of it, and ends with 1", async () => {
    const disk = smallDisk(1024 * 1024);
    const running = await ready(join(disk.path, "state.db"));
    disk.fill();
    const { baseUrl, orgToken, screenId } = running.line;
    for (let spot = 0; spot < 100; spot++) await fetch(`${baseUrl}/v3/vendor/${orgToken}/1/rt_ad/${screenId}`);
    running.child.kill("SIGTERM");
    expect(await once(running.child, "close")).toEqual([1, null]);
    expect(running.printed.stderr).toMatch(
      /the data file .*state\.db: the last of its state could not be saved \(SQLITE_/,
    );
    expect(running.printed.stderr).not.toContain("Node.js v");
  });

  it("ends with 78 at a file that it cannot use, and leaves it alone", async () => {
    const data = join(temporaryFolder(), "notes.txt");
    const text = "Buy milk.\n".repeat(1000);
    writeFileSync(data, text);
    const { child, printed } = emulator(data);

    expect((await once(child, "close"))[0]).toBe(78);
    const stderr = `the data file ${data} cannot be used: it is not a data file of the emulator\n`;
    expect(printed).toEqual({ stdout: "", stderr });
    expect(readFileSync(data, "utf8")).toBe(text);
  });
});
