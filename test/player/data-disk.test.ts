import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { changeInPlace, makeRoomToStart, openWithRoom } from "../../src/player/data-disk.ts";
import { mediaFolderIn } from "../../src/player/media/media-cache.ts";
import { Ballast } from "../../src/player/proofs/ballast.ts";
import { openStore, StoreUnusable } from "../../src/player/stores/database.ts";
import { btrfsDisk, HAS_BTRFS, HAS_SMALL_DISKS, smallDisk } from "../support/machine/small-disk.ts";
import { proofStoreIn } from "./proofs/proofs.ts";

const MIB = 1024 * 1024;
const log = pino({ level: "silent" });

/** A disk with a data folder of what a player left on it, filled by others to the last byte. */
function fullDisk(media: Readonly<Record<string, number>>, ballastBytes: number) {
  const disk = smallDisk(24 * MIB);
  const folder = mediaFolderIn(disk.path);
  mkdirSync(folder, { recursive: true });
  for (const [index, [name, sizeBytes]] of Object.entries(media).entries()) {
    writeFileSync(join(folder, name), Buffer.alloc(sizeBytes));
    utimesSync(join(folder, name), 1_000 + index, 1_000 + index);
  }
  const ballast = join(disk.path, "ballast");
  writeFileSync(ballast, Buffer.alloc(ballastBytes));
  const free = disk.fill();
  const left = () => ({ media: readdirSync(folder).sort(), ballast: readdirSync(disk.path).includes("ballast") });
  return { path: disk.path, free, fill: disk.fill, left, ballast: new Ballast(ballast, ballastBytes) };
}

describe.skipIf(!HAS_SMALL_DISKS)("a start on a disk that others have filled", () => {
  it("removes as much of the media as it must, the oldest first, and keeps what is kept aside for proofs", async () => {
    const media = { c: 3 * MIB, a: 3 * MIB, b: 3 * MIB, d: 3 * MIB };
    const { path, ballast, left } = fullDisk(media, 2 * MIB);
    expect(() => proofStoreIn(path)).toThrow(StoreUnusable);
    await makeRoomToStart(path, ballast, log);
    expect(left()).toEqual({ media: ["b", "d"], ballast: true });
    proofStoreIn(path).close();
  });

  it("gives up what is kept aside for proofs where there is no media", async () => {
    const { path, ballast, left } = fullDisk({}, 6 * MIB);
    expect(() => proofStoreIn(path)).toThrow(StoreUnusable);
    await makeRoomToStart(path, ballast, log);
    expect(left()).toEqual({ media: [], ballast: false });
    proofStoreIn(path).close();
  });

  it("gives up the next where one cannot be removed", async () => {
    const { path, ballast, left, free } = fullDisk({ a: 3 * MIB, b: 6 * MIB }, 2 * MIB);
    const [first, other] = ["a", "b"].map((name) => join(mediaFolderIn(path), name)) as [string, string];
    spawnSync("mount", ["--bind", first, first]);
    onTestFinished(() => void spawnSync("umount", ["-l", first]));
    utimesSync(other, 2_000, 2_000);
    await makeRoomToStart(path, ballast, log);
    expect(left()).toEqual({ media: ["a"], ballast: true });
    free();
  });

  it("makes as much as it takes to bring an older version's store forward, and no more", async () => {
    const { path, ballast, left, free, fill } = fullDisk({ a: 3 * MIB, b: 3 * MIB }, 2 * MIB);
    free();
    const old = ["create table page (bytes blob)"];
    const store = openStore(join(path, "store.db"), "normal", old, log);
    const insert = store.prepare("insert into page values (zeroblob(4000))");
    store.transaction(() => {
      for (let count = 0; count < 1_500; count++) insert.run();
    })();
    store.close();
    // A migration that writes all of it once more does not fit, though there is room to start.
    fill(5.5 * MIB);
    const open = () =>
      openStore(join(path, "store.db"), "normal", [...old, "update page set bytes = bytes || 'x'"], log);
    expect(open).toThrow(StoreUnusable);
    (await openWithRoom(open, path, ballast, log)).close();
    expect(left()).toEqual({ media: ["b"], ballast: true });
  });

  it("touches nothing where there is room", async () => {
    const { path, ballast, left, free } = fullDisk({ a: MIB }, 2 * MIB);
    free();
    await makeRoomToStart(path, ballast, log);
    expect(left()).toEqual({ media: ["a"], ballast: true });
  });
});

/** Owes a proof, waits until it is told to go on, and owes others, for which the disk may have no room. */
const OWES = `
  import { once } from "node:events";
  import { proofOf, proofStoreIn } from ${JSON.stringify(new URL("./proofs/proofs.ts", import.meta.url).href)};
  const store = proofStoreIn(process.argv[1]);
  const owe = (id) => store.owe(proofOf(id, 0), { bootId: "b", now: 1, wall: 1, service: 1, serviceWithinMs: 0 }).kind;
  console.log(owe("first"));
  await once(process.stdin, "data");
  for (let i = 0; i < 100; i++) owe("more-" + i);
  console.log("lives");
  process.exit(0);
`;

describe.skipIf(!HAS_BTRFS)("a full Btrfs", () => {
  it("does not end a player by SIGBUS", async () => {
    const { path, fill } = btrfsDisk();
    await changeInPlace(path, log);
    const player = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", OWES, path]);
    const said: string[] = [];
    player.stdout.setEncoding("utf8").on("data", (text: string) => said.push(text));
    await once(player.stdout, "data");
    fill();
    player.stdin.write("go on");
    await once(player, "close");
    expect(said.join("")).toBe("owed\nlives\n");
  });
});
