import { chownSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeRecordKey, writePrivately } from "../../../src/cli/provision/config-file.ts";
import { openRecordKey, recordKeyPath } from "../../../src/player/record/record-key.ts";
import { isPrivate, temporaryFolder } from "../../support/machine/temporary-folder.ts";

describe("a file that is written for its owner only", () => {
  it("is that though one that others may read was left behind half written", () => {
    const path = join(temporaryFolder(), "org-token");
    writeFileSync(`${path}.new`, "half", { mode: 0o644 });
    writePrivately(path, "token\n");
    expect([readFileSync(path, "utf8"), isPrivate(path)]).toEqual(["token\n", true]);
  });

  it("is not written through a link that somebody has put in its way", () => {
    const folder = temporaryFolder();
    const [path, elsewhere] = [join(folder, "org-token"), join(folder, "elsewhere")];
    writeFileSync(elsewhere, "theirs");
    symlinkSync(elsewhere, `${path}.new`);
    writePrivately(path, "token\n");
    expect([readFileSync(elsewhere, "utf8"), readFileSync(path, "utf8")]).toEqual(["theirs", "token\n"]);
    expect(lstatSync(path).isFile()).toBe(true);
  });
});

const isRoot = process.getuid?.() === 0;
const PLAYER = 12_345;

describe.skipIf(!isRoot)(`the record's key, where root makes it${isRoot ? "" : " (this is not root)"}`, () => {
  const dataFolder = () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, "data");
    mkdirSync(dataDir);
    chownSync(dataDir, PLAYER, PLAYER);
    const config = join(folder, "config.json");
    const access = { baseUrl: "https://network.example", orgToken: "token", screenId: "door-1" };
    writeFileSync(config, JSON.stringify({ ...access, dataDir }), { mode: 0o600 });
    return { folder, dataDir, config };
  };

  it("belongs to whom the data folder belongs to", () => {
    const { dataDir, config } = dataFolder();
    makeRecordKey(config, {});
    expect(statSync(recordKeyPath(dataDir)).uid).toBe(PLAYER);
  });

  it("hands over nothing that a link leads to", () => {
    const { folder, dataDir, config } = dataFolder();
    openRecordKey(folder);
    symlinkSync(recordKeyPath(folder), recordKeyPath(dataDir));
    makeRecordKey(config, {});
    expect(statSync(recordKeyPath(folder)).uid).toBe(0);
  });
});
