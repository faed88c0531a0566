import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { readTextFile, removeSmallFile, replaceFile, type TextReading, writeSmallFile } from "../small-file.ts";
import { codeOf } from "../stores/database.ts";

/** The Ed25519 key that checkpoints of the record are signed with. It is made on this machine and never leaves it. */
export interface RecordKey {
  readonly privateKey: KeyObject;
  /** 32 bytes. */
  readonly publicKey: Buffer;
}

export type KeyOpening =
  | {
      readonly kind: "open";
      readonly key: RecordKey;
      /** Where the file is now that held no key, and in whose place this one was made; else null. */
      readonly setAside: string | null;
    }
  /** In words, without anything of what the file holds. */
  | { readonly kind: "unusable"; readonly problem: string };

const fileSchema = z.object({ privateKey: z.string().startsWith("-----BEGIN PRIVATE KEY-----") });

export function recordKeyPath(dataDir: string): string {
  return join(dataDir, "record.key");
}

/**
 * The key of a data folder, made where there is none. A file that holds none, as a broken disk leaves it, is set aside: the
 * record could never be signed again, nor its old rows removed. One that this user may not read is left as it is.
 */
export function openRecordKey(dataDir: string): KeyOpening {
  const path = recordKeyPath(dataDir);
  const file = readTextFile(path, LARGEST_BYTES);
  if (file.kind === "unreadable" && !GONE.includes(file.code)) return unusable(`${path} ${file.why}`);
  const known = keyIn(file);
  if (known !== null) return { kind: "open", key: known, setAside: null };
  const setAside = file.kind === "unreadable" && file.code === MISSING ? null : `${path}.damaged`;
  try {
    if (setAside !== null) replaceFile(path, setAside);
  } catch (error) {
    return unusable(`${path} holds no key, and cannot be set aside (${codeOf(error) ?? String(error)})`);
  }
  const key = newRecordKey();
  return writeKey(path, key) ? { kind: "open", key, setAside } : unusable(`${path} cannot be written`);
}

/** Larger than any key. */
const LARGEST_BYTES = 64 * 1024;
const MISSING = "ENOENT";
/** Of what no key can be read any more, whoever tries: it is not there, the disk has lost it, or it is another file altogether. */
const GONE: readonly (string | null)[] = [MISSING, "EIO", null];

function newRecordKey(): RecordKey {
  return withPublic(generateKeyPairSync("ed25519").privateKey);
}

/**
 * Puts a new key in place of the old one; `announce` commits a checkpoint that says so, signed by the old one. Whatever is
 * cut off, either the old key is in place and nothing was announced, or `finishRotation` completes it.
 */
export function rotateRecordKey(dataDir: string, announce: (next: RecordKey) => void): RecordKey {
  const path = recordKeyPath(dataDir);
  const next = newRecordKey();
  if (!writeKey(nextPath(path), next)) throw new Error(`${nextPath(path)} cannot be written`);
  announce(next);
  replaceFile(nextPath(path), path);
  return next;
}

/** Ends a rotation that was cut off: the new key takes over where the record announces it, else it is thrown away. */
export function finishRotation(dataDir: string, origin: string, announced: string | null): void {
  const path = recordKeyPath(dataDir);
  const next = readKey(nextPath(path));
  if (next === null) return;
  if (verifierKey(origin, next.publicKey) === announced) replaceFile(nextPath(path), path);
  else removeSmallFile(nextPath(path));
}

function nextPath(path: string): string {
  return `${path}.next`;
}

function writeKey(path: string, { privateKey }: RecordKey): boolean {
  return writeSmallFile(path, { privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) });
}

function readKey(path: string): RecordKey | null {
  return keyIn(readTextFile(path, LARGEST_BYTES));
}

function keyIn(file: TextReading): RecordKey | null {
  if (file.kind === "unreadable") return null;
  try {
    return withPublic(createPrivateKey(fileSchema.parse(JSON.parse(file.text)).privateKey));
  } catch {
    return null;
  }
}

function withPublic(privateKey: KeyObject): RecordKey {
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  return { privateKey, publicKey: Buffer.from(x, "base64url") };
}

function unusable(problem: string): KeyOpening {
  return { kind: "unusable", problem };
}

/** Ed25519 among the signature types of signed notes (c2sp.org/signed-note, "Signature types"). */
const ED25519 = Buffer.of(1);

/** The text of a checkpoint (c2sp.org/tlog-checkpoint, "Note text"). */
export function checkpointText(origin: string, size: number, root: Buffer): string {
  return `${origin}\n${size}\n${root.toString("base64")}\n`;
}

/** A text with one signature under it (c2sp.org/signed-note, "Format"). */
export function signedNote(text: string, name: string, privateKey: KeyObject, publicKey: Buffer): string {
  const signature = sign(null, Buffer.from(text), privateKey);
  return `${text}\n— ${name} ${Buffer.concat([keyId(name, publicKey), signature]).toString("base64")}\n`;
}

/** A public key as those write it who verify notes: name, id and key, `origin+7c1e2a90+AQ…`. */
export function verifierKey(name: string, publicKey: Buffer): string {
  return `${name}+${keyId(name, publicKey).toString("hex")}+${Buffer.concat([ED25519, publicKey]).toString("base64")}`;
}

/** The first line of a checkpoint. */
export function originOf(note: string): string {
  return note.slice(0, note.indexOf("\n"));
}

function keyId(name: string, publicKey: Buffer): Buffer {
  return createHash("sha256").update(`${name}\n`).update(ED25519).update(publicKey).digest().subarray(0, 4);
}
