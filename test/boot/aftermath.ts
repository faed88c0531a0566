import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { run } from "../../scripts/setup/run.mjs";
import type { ListedProof } from "../../src/player/proofs/proof-archive.ts";
import { flawsIn, proofsIn } from "../support/player/stores.ts";

/** What is on the data disk of a machine that is off. */
export interface Aftermath {
  /** Media under their digests, and how many of these their bytes do not have. */
  readonly files: number;
  readonly flaws: readonly string[];
  readonly proofs: readonly ListedProof[];
}

/** An address in the media cache: the SHA-256 of the bytes. */
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Looks at the data disk as the next boot will find it, in a copy: the file system's journal is played back, and nothing
 * else is mended. `scratch` is made anew.
 */
export async function lookAt(disk: string, scratch: string, signal: AbortSignal): Promise<Aftermath> {
  await rm(scratch, { recursive: true, force: true });
  const dataDir = join(scratch, "data");
  await mkdir(dataDir, { recursive: true });
  const copy = join(scratch, "data.img");
  await must("cp", ["--sparse=always", disk, copy], signal);
  const { ok, said } = await run("e2fsck", ["-f", "-p", copy], { signal });
  const flaws = ok || !/UNEXPECTED INCONSISTENCY/.test(said) ? [] : [`the file system: ${said}`];
  await must("debugfs", ["-R", `rdump / ${dataDir}`, copy], signal);
  await rm(copy);
  const media = await mediaIn(dataDir);
  for (const path of media) {
    if ((await digestOf(path)) !== basename(path)) flaws.push(`${basename(path)}: other bytes than its name says`);
  }
  const unsound = flawsIn(dataDir, scratch);
  // Which also reads what is still in the write-ahead log; by then the databases have been looked at.
  const proofs = unsound.some((flaw) => flaw.startsWith("proofs.db")) ? [] : proofsIn(dataDir);
  return { files: media.length, flaws: [...flaws, ...unsound], proofs };
}

async function mediaIn(dataDir: string): Promise<readonly string[]> {
  const entries = await readdir(join(dataDir, "media"), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((one) => one.isFile() && DIGEST.test(one.name)).map((one) => join(one.parentPath, one.name));
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

async function must(program: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  const { ok, said } = await run(program, args, { signal });
  if (!ok) throw new Error(`${program} ${args.join(" ")}: ${said}`);
}
