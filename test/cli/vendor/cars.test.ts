import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { running } from "../../emulator/running.ts";
import { eventually } from "../../support/machine/processes.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../../support/machine/small-disk.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { lines, spotloopAloneOf, spotloopOf } from "./spotloop.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));

describe("spotloop cars", () => {
  it("shows a request, and saves its creative", async () => {
    const emulator = await running();
    const spotloop = spotloopAloneOf(emulator);
    const file = join(temporaryFolder(), "ad.mp4");

    const shown = await spotloop(["cars", "get", "car_cinema", "--save", file]);

    expect(shown).toEqual({
      code: 0,
      stdout: lines(
        "CAR car_cinema",
        "  Status      pending",
        "  Advertiser  Meridian Pictures",
        "  Cities      Hamburg",
        "  Countries   DEU",
        "  Created     2026-01-05T09:00:00.000Z",
        "  Creative    The Long Horizon, in cinemas now",
        "  Type        video/mp4, 221 kB",
        "  Size        1280x560",
        "  Duration    6 s",
        `  Address     ${emulator.mediaUrl}/creatives/ad-cinema.mp4`,
      ),
      stderr: `The creative is in ${file} (220,056 bytes).\n`,
    });
    expect(readFileSync(file).equals(readFileSync("assets/creatives/ad-cinema.mp4"))).toBe(true);
  });

  it("does not write over a file without a yes", async () => {
    const spotloop = spotloopOf(await running());
    const file = join(temporaryFolder(), "ad.mp4");
    writeFileSync(file, "mine");

    const kept = await spotloop(["cars", "get", "car_cinema", "--save", file]);
    expect([kept.code, kept.stderr]).toEqual([64, `${file} is there already; --yes replaces it\n`]);
    expect(readFileSync(file, "utf8")).toBe("mine");

    const replaced = await spotloop(["cars", "get", "car_cinema", "--save", file, "--yes"]);
    expect([replaced.code, readFileSync(file).length]).toEqual([0, 220_056]);
  });

  it.each([[["--yes"]], [[]]])("does not save into the place of a folder %j", async (yes) => {
    const spotloop = spotloopOf(await running());
    const folder = temporaryFolder();

    const kept = await spotloop(["cars", "get", "car_cinema", "--save", folder, ...yes]);

    const example = join(folder, "creative");
    expect([kept.code, kept.stderr]).toEqual([64, `${folder} is a folder; name a file, such as ${example}\n`]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["broken off", { truncateAt: 1000 }, 69, "The creative cannot be had: "],
    ["corrupted", { corrupt: true }, 65, "The creative has the MD5 "],
    ["not there", { status: 404 }, 69, "The creative cannot be had: HTTP 404.\n"],
  ] as const)("saves nothing of a creative that is %s", async (_, faultAction, code, said) => {
    const emulator = await running();
    const folder = temporaryFolder();
    emulator.setFaults([{ match: { route: "media" }, do: faultAction }]);

    const shown = await spotloopOf(emulator)(["cars", "get", "car_cinema", "--save", join(folder, "ad.mp4")]);

    expect(shown.code).toBe(code);
    expect(shown.stderr).toContain(said);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.runIf(HAS_SMALL_DISKS).each([
    ["the last bytes", 212],
    ["most of the bytes", 100],
  ])("says so where the disk has no room for %s of a creative, and saves nothing", async (_, sizeKb) => {
    const { path } = smallDisk(sizeKb * 1024);
    const file = join(path, "ad.mp4");

    const shown = await spotloopOf(await running())(["cars", "get", "car_cinema", "--save", file]);

    expect([shown.code, shown.stderr]).toEqual([1, `${file} cannot be written (ENOSPC)\n`]);
    expect(readdirSync(path)).toEqual([]);
  });

  it("says so where there is no such folder", async () => {
    const file = join(temporaryFolder(), "none", "ad.mp4");

    const shown = await spotloopOf(await running())(["cars", "get", "car_cinema", "--save", file]);

    expect([shown.code, shown.stderr]).toEqual([1, `${file} cannot be written (ENOENT)\n`]);
  });

  it.skipIf(process.platform === "win32")("says so where nothing can be told of the file", async () => {
    const folder = temporaryFolder();
    symlinkSync("loop", join(folder, "loop"));
    const file = join(folder, "loop", "ad.mp4");

    const shown = await spotloopOf(await running())(["cars", "get", "car_cinema", "--save", file]);

    expect([shown.code, shown.stderr]).toEqual([1, `${file} cannot be written (ELOOP)\n`]);
  });

  it("leaves alone what else is in the folder", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "ad.mp4.part"), "mine");

    const { code } = await spotloopOf(await running())(["cars", "get", "car_cinema", "--save", join(folder, "ad.mp4")]);

    expect([code, readdirSync(folder).sort()]).toEqual([0, ["ad.mp4", "ad.mp4.part"]]);
    expect(readFileSync(join(folder, "ad.mp4.part"), "utf8")).toBe("mine");
  });

  it.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM"] as const)(
    "leaves nothing behind when it is stopped by %s, and ends with 130",
    async (signal) => {
      const emulator = await running();
      const folder = temporaryFolder();
      emulator.setFaults([{ match: { route: "media" }, do: { bytesPerSecond: 1_000 } }]);
      const { baseUrl, orgToken } = emulator;
      const env = { ...process.env, HOME: folder, SPOTLOOP_BASE_URL: baseUrl, SPOTLOOP_ORG_TOKEN: orgToken };
      const args = ["cars", "get", "car_cinema", "--save", "ad.mp4"];
      const child = spawn(process.execPath, [MAIN, ...args], { env, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
      await eventually("the first bytes", () => readdirSync(folder)[0]);
      child.kill(signal);

      expect((await once(child, "close"))[0]).toBe(130);
      expect(said).toBe("Interrupted; nothing was saved.\n");
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it.runIf(process.platform === "linux")("opens the creative's own address in the browser", async () => {
    const emulator = await running();
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "xdg-open"),
      `#!/bin/sh\necho "$@" > ${folder}/opened.tmp\nmv ${folder}/opened.tmp ${folder}/opened`,
    );
    chmodSync(join(folder, "xdg-open"), 0o755);
    const PATH = `${folder}:${process.env.PATH}`;

    const shown = await spotloopOf(emulator)(["cars", "get", "car_cinema", "--open"], { env: { PATH } });
    const opened = join(folder, "opened");
    const address = await eventually("the browser", () =>
      existsSync(opened) ? readFileSync(opened, "utf8") : undefined,
    );

    expect(shown.code).toBe(0);
    expect(address).toBe(`${emulator.mediaUrl}/creatives/ad-cinema.mp4\n`);
  });

  it("opens nothing that is not of the web", async () => {
    const emulator = await running();
    emulator.setFaults([{ match: { route: "approval" }, do: { patch: { item: { url: "file:///etc/passwd" } } } }]);

    const shown = await spotloopOf(emulator)(["cars", "get", "car_cinema", "--open"]);

    expect([shown.code, shown.stderr]).toEqual([65, "The creative has no address of the web.\n"]);
  });

  it("rejects nothing without a yes where nobody can be asked", async () => {
    const emulator = await running();

    const kept = await spotloopOf(emulator)(["cars", "reject", "car_cinema", "--reason", "FILTER"]);

    expect([kept.code, kept.stdout]).toEqual([64, ""]);
    expect(kept.stderr).toContain("Nothing was changed. Add --yes to go on without being asked.\n");
    expect(emulator.calls().some(({ method }) => method === "POST")).toBe(false);
  });

  it("rejects a creative, and shows the decision", async () => {
    const spotloop = spotloopOf(await running());
    const reasons = ["--reason", "FILTER", "--reason", "CUSTOM", "--reason", "FILTER", "--message", "Too loud"];

    const rejected = await spotloop(["cars", "reject", "car_cinema", ...reasons, "--yes"]);
    const shown = await spotloop(["cars", "get", "car_cinema"]);
    const json = await spotloop(["cars", "get", "car_cinema", "--json"]);

    expect(rejected).toEqual({
      code: 0,
      stdout: lines("CAR car_cinema is rejected (FILTER, CUSTOM): Too loud."),
      stderr: lines(
        'This rejects "The Long Horizon, in cinemas now" of Meridian Pictures for good; the advertiser is told.',
      ),
    });
    expect(shown.stdout).toContain("\n  Reasons     FILTER, CUSTOM\n  Message     Too loud\n");
    expect(JSON.parse(json.stdout)).toMatchObject({ car_id: "car_cinema", status: "rejected" });
  });

  it("prints the service's object with --json", async () => {
    const spotloop = spotloopOf(await running());

    const rejected = await spotloop(["cars", "reject", "car_cinema", "--reason", "ADVERTISER", "--json", "--yes"]);

    expect(JSON.parse(rejected.stdout)).toMatchObject({
      ...{ id: "car_cinema", status: "rejected", campaign_name: "The Long Horizon" },
      rejection_reasons: ["ADVERTISER"],
    });
  });

  it.each([
    [["reject", "car_cinema"], 64, ["--reason: give one or more of ADVERTISER, INAPPROPRIATE, FILTER, CUSTOM"]],
    [["reject", "car_cinema", "--reason", "CUSTOM"], 65, ["--message: is required with the reason CUSTOM"]],
    [
      ["reject", "car_cinema", "--reason", "loud", "--reason", "CUSTOM", "--message", " "],
      64,
      [
        "2 problems:",
        "  --reason: LOUD is none; give one or more of ADVERTISER, INAPPROPRIATE, FILTER, CUSTOM",
        "  --message: is required with the reason CUSTOM",
      ],
    ],
    [["reject", "car_coffee", "--reason", "FILTER"], 65, ["status: the creative is approved already"]],
    [["reject", "none", "--reason", "FILTER"], 65, ["There is no CAR none in this organization."]],
    [["get", "none"], 65, ["There is no CAR none in this organization."]],
  ])("refuses %j", async (args, code, said) => {
    const emulator = await running();

    expect(await spotloopOf(emulator)(["cars", ...args])).toEqual({ code, stdout: "", stderr: lines(...said) });
    expect(emulator.calls().some(({ method }) => method === "POST")).toBe(false);
  });

  it.each([
    [6, "6 s"],
    [6000, "6 s"],
    [12500, "12.5 s"],
  ])("shows a duration of %i as %s (E6)", async (duration, shown) => {
    const emulator = await running();
    emulator.setFaults([{ match: { route: "approval" }, do: { patch: { item: { duration } } } }]);

    expect((await spotloopOf(emulator)(["cars", "get", "car_cinema"])).stdout).toContain(`  Duration    ${shown}\n`);
  });

  it("keeps others' control characters off the terminal", async () => {
    const emulator = await running();
    const advertiser_name = "\u001b[31mRed\u001b[0m\r\nStatus approved\u0007";
    emulator.setFaults([{ match: { route: "approval" }, do: { patch: { advertiser_name } } }]);

    const shown = await spotloopOf(emulator)(["cars", "get", "car_cinema"]);

    expect(shown.stdout).toContain("  Advertiser  Red Status approved");
    expect(shown.stdout).not.toContain("\u001b");
  });
});
