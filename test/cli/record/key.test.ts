import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeRecordKey } from "../../../src/cli/provision/config-file.ts";
import { ExclusiveLock } from "../../../src/player/exclusive-lock.ts";
import { recordKeyPath } from "../../../src/player/record/record-key.ts";
import { recordingIn } from "../../player/record/recording.ts";
import { isPrivate, temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { record, recordedFolder } from "./running.ts";

describe("provisioning", () => {
  it("makes the record's key where the player has a data folder, and leaves it to the player where not", () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, "data");
    const config = join(folder, "config.json");
    const access = { baseUrl: "https://network.example", orgToken: "token", screenId: "door-1" };
    writeFileSync(config, JSON.stringify({ ...access, dataDir }), { mode: 0o600 });
    makeRecordKey(config, {});
    expect(existsSync(dataDir)).toBe(false);
    mkdirSync(dataDir);
    makeRecordKey(config, {});
    expect(isPrivate(recordKeyPath(dataDir))).toBe(true);
  });
});

describe("spotloop record key", () => {
  it("prints the key that verifies the record", async () => {
    const { folder } = await recordedFolder();
    const { out } = await record("key", "--data-dir", folder);
    expect(out).toMatch(/^spotloop\/record\/[0-9a-f-]{36}\+[0-9a-f]{8}\+[\w+/]{44}\n$/);
    expect(await record("verify", "--data-dir", folder, "--key", out.trim())).toMatchObject({ code: 0 });
  });

  it("makes another on demand, which verifies the record from then on, as the old one does", async () => {
    const { folder, file } = await recordedFolder();
    const before = (await record("key", "--data-dir", folder)).out;
    file.close();
    const after = (await record("key", "--rotate", "--data-dir", folder)).out;
    expect(after).not.toBe(before);
    expect((await record("key", "--data-dir", folder)).out).toBe(after);
    const { checkpoints, show, file: again } = recordingIn(folder);
    show("after");
    await checkpoints.stop();
    again.close();
    for (const key of [before, after]) {
      expect(await record("verify", "--data-dir", folder, "--key", key.trim())).toMatchObject({ code: 0 });
    }
  });

  it("makes none while a player runs", async () => {
    const { folder } = await recordedFolder();
    const before = (await record("key", "--data-dir", folder)).out;
    const lock = new ExclusiveLock(`${folder}/sender.lock`);
    lock.take();
    expect(await record("key", "--rotate", "--data-dir", folder)).toMatchObject({
      ...{ code: 1, err: expect.stringContaining("stop it first") },
    });
    lock.release();
    expect((await record("key", "--data-dir", folder)).out).toBe(before);
  });

  it("says that there is none before the first checkpoint, or no record at all", async () => {
    const folder = temporaryFolder();
    expect(await record("key", "--data-dir", folder)).toMatchObject({ code: 1, err: expect.stringContaining(folder) });
    recordingIn(folder).show("a");
    expect(await record("key", "--data-dir", folder)).toMatchObject({
      ...{ code: 1, err: expect.stringContaining("no key yet") },
    });
  });
});
