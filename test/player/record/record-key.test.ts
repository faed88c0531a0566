import { createPrivateKey, createPublicKey } from "node:crypto";
import { chmodSync, chownSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  checkpointText,
  finishRotation,
  openRecordKey,
  type RecordKey,
  recordKeyPath,
  rotateRecordKey,
  signedNote,
  verifierKey,
} from "../../../src/player/record/record-key.ts";
import { isPrivate, temporaryFolder } from "../../support/machine/temporary-folder.ts";

function keyIn(folder: string): string {
  const opening = openRecordKey(folder);
  if (opening.kind !== "open") throw new Error(opening.problem);
  return verifierKey("o", opening.key.publicKey);
}

const NOBODY = 65_534;

/** What comes of it where the folder is this user's and its files are somebody else's. */
function asAnother<T>(folder: string, act: () => T): T {
  chmodSync(recordKeyPath(folder), 0);
  const user = process.geteuid?.();
  if (user === 0) chownSync(folder, NOBODY, NOBODY);
  if (user === 0) process.seteuid?.(NOBODY);
  try {
    return act();
  } finally {
    if (user === 0) process.seteuid?.(user);
    chmodSync(recordKeyPath(folder), 0o600);
  }
}

describe("the record's key", () => {
  it("is made once, for its owner's eyes only", () => {
    const folder = temporaryFolder();
    const made = keyIn(folder);
    expect(keyIn(folder)).toBe(made);
    expect(isPrivate(recordKeyPath(folder))).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["zeros, as a power cut leaves them", "\0".repeat(180)],
    ["no key", "{}"],
  ])("is made anew where its file holds %s, which is kept beside it", (_, damaged) => {
    const folder = temporaryFolder();
    writeFileSync(recordKeyPath(folder), damaged);
    const made = openRecordKey(folder);
    expect(made).toMatchObject({ kind: "open", setAside: `${recordKeyPath(folder)}.damaged` });
    expect(readFileSync(`${recordKeyPath(folder)}.damaged`, "utf8")).toBe(damaged);
    expect(openRecordKey(folder)).toMatchObject({ kind: "open", setAside: null });
  });

  it.skipIf(process.platform === "win32")(
    "is not made anew where this user may not read it: it signs on once somebody gives it back",
    () => {
      const folder = temporaryFolder();
      const made = keyIn(folder);
      expect(asAnother(folder, () => openRecordKey(folder))).toMatchObject({
        kind: "unusable",
        problem: expect.stringContaining("record.key"),
      });
      expect(keyIn(folder)).toBe(made);
    },
  );

  it("is another after a rotation, which announces that one first", () => {
    const folder = temporaryFolder();
    const before = keyIn(folder);
    let announced: RecordKey | null = null;
    const next = rotateRecordKey(folder, (key) => {
      announced = key;
      expect(keyIn(folder)).toBe(before);
    });
    expect(announced).toBe(next);
    expect(keyIn(folder)).toBe(verifierKey("o", next.publicKey));
    expect(keyIn(folder)).not.toBe(before);
  });

  it.each([true, false])("survives a rotation that is cut off, announced: %s", (isAnnounced) => {
    const folder = temporaryFolder();
    const before = keyIn(folder);
    let next = "";
    const cutOff = () =>
      rotateRecordKey(folder, (key) => {
        next = verifierKey("o", key.publicKey);
        throw new Error("the power is gone");
      });
    expect(cutOff).toThrow("the power is gone");
    finishRotation(folder, "o", isAnnounced ? next : before);
    expect(keyIn(folder)).toBe(isAnnounced ? next : before);
    expect(existsSync(`${recordKeyPath(folder)}.next`)).toBe(false);
  });
});

/** The key and the note of the examples of golang.org/x/mod/sumdb/note. */
const SEED = Buffer.from("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz", "base64").subarray(1);
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), SEED]),
  format: "der",
  type: "pkcs8",
});
const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" }).subarray(-32);

it("names a key as other programs that verify notes do", () => {
  expect(verifierKey("PeterNeumann", publicKey)).toBe(
    "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
  );
});

it("signs a note as they do", () => {
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
  const signature = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=";
  expect(signedNote(text, "PeterNeumann", privateKey, publicKey)).toBe(`${text}\n— PeterNeumann ${signature}\n`);
});

it("writes a checkpoint as origin, size and root", () => {
  const root = Buffer.from("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=", "base64");
  expect(checkpointText("example.com/behind-the-sofa", 20_852_163, root)).toBe(
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
  );
});
