import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { ExclusiveLock } from "../../../src/player/exclusive-lock.ts";
import { LOOK_EVERY_MS } from "../../../src/player/proofs/courier.ts";
import { askForRetry } from "../../../src/player/proofs/proof-archive.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../../support/machine/small-disk.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { accepted, courierRun, MINUTE, SECOND, unreachable } from "./proofs.ts";

const lockIn = (folder: string) => new ExclusiveLock(join(folder, "sender.lock"));

describe("the sender's lock", () => {
  it("is held by one, and free for the next once it is released", () => {
    const folder = temporaryFolder();
    const [one, other] = [lockIn(folder), lockIn(folder)];
    expect([one.take(), one.take(), other.take()]).toEqual([true, true, false]);
    one.release();
    expect(other.take()).toBe(true);
    other.release();
    expect(readdirSync(folder)).toEqual(["sender.lock"]);
  });

  it("is a lock like any other though there is garbage in its file", () => {
    const path = join(temporaryFolder(), "sender.lock");
    writeFileSync(path, Buffer.alloc(2_000, 0x5a));
    const [first, second] = [new ExclusiveLock(path), new ExclusiveLock(path)];
    expect([first.take(), second.take()]).toEqual([true, false]);
    first.release();
    expect(second.take()).toBe(true);
    second.release();
  });

  it.skipIf(!HAS_SMALL_DISKS)("is held by nobody where its file cannot be written", () => {
    const disk = smallDisk(64 * 1024);
    const [one, other] = [lockIn(disk.path), lockIn(disk.path)];
    one.take();
    one.release();
    disk.readOnly(true);
    expect(() => one.take()).toThrow(expect.objectContaining({ code: "SQLITE_READONLY" }));
    expect(() => other.take()).toThrow(expect.objectContaining({ code: "SQLITE_READONLY" }));
    expect([one.held, other.held]).toEqual([false, false]);
    disk.readOnly(false);
    expect([one.take(), other.take()]).toEqual([true, false]);
    one.release();
  });

  it("is free the moment that its holder is killed, whatever is left on the disk", async () => {
    const folder = temporaryFolder();
    const code = `
      import { ExclusiveLock } from ${JSON.stringify(import.meta.resolve("../../../src/player/exclusive-lock.ts"))};
      // Held on to: what nobody refers to is closed.
      globalThis.lock = new ExclusiveLock(process.argv[1]);
      console.log(globalThis.lock.take());
      setInterval(() => {}, 1000);`;
    const args = ["--input-type=module", "-e", code, join(folder, "sender.lock")];
    const holder = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [said] = await once(createInterface({ input: holder.stdout }), "line");
    expect(said).toBe("true");
    const lock = lockIn(folder);
    expect(lock.take()).toBe(false);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(lock.take()).toBe(true);
    lock.release();
  });
});

describe("two players on one data folder (G10)", () => {
  function pair() {
    const folder = temporaryFolder();
    const clock = new ManualClock();
    const sender = courierRun(folder, clock, () => accepted, { lock: lockIn(folder) });
    const other = courierRun(folder, clock, () => accepted, { lock: lockIn(folder), runId: "run-2" });
    sender.courier.start();
    other.courier.start();
    return { folder, clock, sender, other };
  }

  it("have one sender, which also sends what the other owes", async () => {
    const { clock, sender, other } = pair();
    sender.owe("a");
    other.owe("b");
    await clock.advance(2 * LOOK_EVERY_MS);
    sender.owe("c");
    await clock.advance(LOOK_EVERY_MS);
    expect(sender.sent.map(([id]) => id)).toEqual(["a", "b", "c"]);
    expect(other.sent).toEqual([]);
    await Promise.all([sender.courier.stop(), other.courier.stop()]);
  });

  it("have the other take over soon after the sender has ended", async () => {
    const { clock, sender, other } = pair();
    await sender.courier.stop();
    other.owe("a");
    await clock.advance(LOOK_EVERY_MS);
    expect(other.settled).toEqual(["a delivered"]);
    await other.courier.stop();
  });
});

describe("an operator who wants what is owed sent now", () => {
  it("has it sent by the player that is running, within seconds", async () => {
    const folder = temporaryFolder();
    const clock = new ManualClock();
    const { courier, owe, sent } = courierRun(folder, clock, () =>
      clock.now() < 10 * MINUTE ? unreachable : accepted,
    );
    courier.start();
    owe("a");
    owe("b");
    await clock.advance(10 * MINUTE);
    const before = sent.length;
    expect(askForRetry(join(folder, "proofs.db"))).toBe(2);
    await clock.advance(LOOK_EVERY_MS);
    expect(sent.length).toBe(before + 2);
    expect(askForRetry(join(folder, "proofs.db"))).toBe(0);
    await courier.stop();
  });

  it("has nothing sent a second time that is on its way", async () => {
    const folder = temporaryFolder();
    const clock = new ManualClock();
    const { courier, owe, sent } = courierRun(folder, clock, async () => {
      await new Promise<void>((resolve) => clock.alarm(clock.now() + 8 * SECOND, resolve));
      return accepted;
    });
    courier.start();
    owe("a");
    await clock.settle();
    askForRetry(join(folder, "proofs.db"));
    await clock.advance(MINUTE);
    expect(sent).toHaveLength(1);
    await courier.stop();
  });
});
