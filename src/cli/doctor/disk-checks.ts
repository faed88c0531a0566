import { accessSync, constants, existsSync, lstatSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { open, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CacheLimits } from "../../core/media/cache-policy.ts";
import type { Config } from "../../player/config/config.ts";
import { surveyHouse } from "../../player/house/house-folder.ts";
import { ProofArchive } from "../../player/proofs/proof-archive.ts";
import type { RefusedProof } from "../../player/proofs/proof-records.ts";
import { codeOf, openDatabase, remedyFor, StoreUnusable } from "../../player/stores/database.ts";
import { refusedText } from "../proofs/write.ts";
import { count } from "../text.ts";
import { type Finding, failure, fine, warning } from "./finding.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

interface KeptData extends Pick<Config, "dataDir"> {
  readonly cache: CacheLimits;
}

/** Looks at where the player keeps its things: room, speed, SQLite, and the proofs that wait. Leaves nothing behind. */
export async function diskFindings({ dataDir, cache }: KeptData): Promise<Finding[]> {
  const folder = nearestExisting(dataDir);
  const unfit = unfitness(folder);
  const isReached = unfit?.kind !== "unreached";
  return [
    unfit === null ? await folderFinding(dataDir, folder) : unfitFinding(unfit, dataDir, folder),
    ...(isReached ? [await room(folder, cache)] : []),
    // The speed of another disk would say nothing.
    ...(unfit === null ? [await speed(folder)] : []),
    await sqlite(unfit === null ? folder : tmpdir()),
    ...(isReached ? [outbox(join(dataDir, "proofs.db"))] : []),
    ...(await temporaryFindings()),
  ];
}

/** Why nothing can be written below a path; `code` is the system's. */
type Unfitness =
  | { readonly kind: "file" | "read-only" | "denied" }
  | { readonly kind: "unreached"; readonly code: string };

function unfitness(path: string): Unfitness | null {
  try {
    if (!statSync(path).isDirectory()) return { kind: "file" };
  } catch (error) {
    return { kind: "unreached", code: codeIn(error) };
  }
  try {
    accessSync(path, constants.W_OK);
    return null;
  } catch (error) {
    return { kind: codeIn(error) === "EROFS" ? "read-only" : "denied" };
  }
}

function unfitFinding(unfit: Unfitness, dataDir: string, nearest: string): Finding {
  const isThere = nearest === dataDir;
  switch (unfit.kind) {
    case "file": {
      const text = isThere ? `${dataDir} is a file` : `${dataDir} cannot be made: ${nearest} is a file`;
      return failure("data folder", text, "Have dataDir name a folder.");
    }
    case "read-only": {
      const advice =
        "Check the disk: a damaged one is mounted so. Else mount it for writing, or use another for dataDir.";
      return failure("data folder", `${dataDir} is on a disk that is mounted read-only`, advice);
    }
    case "denied":
      return deniedFinding(`${dataDir} cannot be ${nearest === dataDir ? "written" : "made"}`);
    case "unreached": {
      const { code } = unfit;
      if (code === "EACCES") return deniedFinding(`${dataDir} cannot be reached`);
      const isLink = code === "ENOENT";
      const text = isLink ? `cannot be made: ${nearest} is a link to what is not there` : `cannot be reached (${code})`;
      return failure("data folder", `${dataDir} ${text}`, "See that its disk is mounted, or use another for dataDir.");
    }
  }
}

function deniedFinding(what: string): Finding {
  const text = `${what} by this user; it may belong to the player's own user`;
  return warning("data folder", text, "Run this as that user.");
}

/** File systems by the type that Linux has for them: of memory, or over another one for as long as the machine runs. */
const UNKEPT: ReadonlyMap<number, string> = new Map([
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
  [0x794c7630, "overlayfs"],
]);
/** Those of other machines. */
const REMOTE: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
]);

/** Looks at what `dataDir` is on, which is what the nearest folder that there is yet is on. */
async function folderFinding(dataDir: string, nearest: string): Promise<Finding> {
  const type = process.platform === "linux" ? (await statfs(nearest)).type >>> 0 : 0;
  const [unkept, remote] = [UNKEPT.get(type), REMOTE.get(type)];
  const folder = nearest === dataDir ? dataDir : `${dataDir} is not there yet; the player makes it`;
  if (unkept !== undefined) {
    const text = `${folder}, on ${unkept}: a restart may lose proofs that wait, and all media`;
    return warning("data folder", text, "Put dataDir on a disk that keeps what is written.");
  }
  if (remote !== undefined) {
    const text = `${folder}, on ${remote}: SQLite is not safe there, and the player stands still with it`;
    return warning("data folder", text, "Put dataDir on a disk of this machine.");
  }
  return fine("data folder", folder);
}

async function room(folder: string, { maxBytes, minFreeBytes }: CacheLimits): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const text = `${(freeBytes / GIB).toFixed(1)} GiB free`;
  // Some file systems do not count files: they say that they have none in all.
  if (files > 0 && ffree === 0) return failure("disk", `${text}, but it takes no more files`, "Remove files there.");
  const advice = "Free some, or lower cache.minFreeBytes and cache.maxBytes.";
  if (freeBytes < minFreeBytes) {
    return failure("disk", `${text}, less than cache.minFreeBytes: nothing can be downloaded`, advice);
  }
  if (freeBytes < minFreeBytes + maxBytes / 8) return warning("disk", `${text}: hardly any room for media`, advice);
  return fine("disk", text);
}

const WRITTEN_BYTES = 16 * MIB;
/** A slow memory card; below it a download holds up the loop's own writes. */
const SLOW_BYTES_PER_SECOND = 10 * MIB;

async function speed(folder: string): Promise<Finding> {
  try {
    const perSecond = await inTrial(folder, (trial) => bytesPerSecond(join(trial, "written")));
    const text = `${Math.round(perSecond / MIB)} MiB/s`;
    if (perSecond >= SLOW_BYTES_PER_SECOND) return fine("write speed", text);
    return warning("write speed", `${text} is slow`, "Use another disk or memory card for dataDir.");
  } catch (error) {
    return failure("write speed", `nothing can be written (${codeIn(error)})`, "Look at the disk.");
  }
}

async function bytesPerSecond(path: string): Promise<number> {
  const file = await open(path, "w");
  try {
    const startedAt = performance.now();
    await file.writeFile(Buffer.alloc(WRITTEN_BYTES, 1));
    await file.sync();
    return WRITTEN_BYTES / ((performance.now() - startedAt) / 1000);
  } finally {
    await file.close();
  }
}

async function sqlite(folder: string): Promise<Finding> {
  try {
    return await inTrial(folder, (trial) => databaseFinding(join(trial, "trial.db")));
  } catch (error) {
    const code = codeOf(error);
    if (code !== null) return noDatabase(code);
    return failure("sqlite", error instanceof Error ? error.message : String(error), "Install Spotloop again.");
  }
}

function databaseFinding(path: string): Finding {
  const opening = openDatabase({ path, durability: "full", migrations: [] });
  if (opening.kind === "unusable") return noDatabase(opening.code);
  if (opening.kind === "newer") throw new Error("an empty database is no newer version's");
  const row = opening.database.prepare<[], { version: string }>("select sqlite_version() as version").get();
  opening.database.close();
  return fine("sqlite", `SQLite ${row?.version ?? "?"}`);
}

function noDatabase(code: string): Finding {
  return failure("sqlite", `a database cannot be opened (${code}): ${remedyFor(code)}`, null);
}

/** Does something in a folder of its own, which is gone afterwards. */
async function inTrial<T>(folder: string, act: (trial: string) => T | Promise<T>): Promise<T> {
  const trial = mkdtempSync(join(folder, ".spotloop-doctor-"));
  try {
    return await act(trial);
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

/** Nothing, but where no temporary files can be made: this command asks Electron with them, the player may share memory by them. */
async function temporaryFindings(): Promise<Finding[]> {
  try {
    await inTrial(tmpdir(), () => {});
    return [];
  } catch (error) {
    const text = `none can be made in ${tmpdir()} (${codeIn(error)})`;
    return [warning("temporary files", text, "Make room there, or have TMPDIR name another folder.")];
  }
}

function outbox(path: string): Finding {
  if (!existsSync(path)) return fine("proofs", "none yet");
  try {
    const archive = new ProofArchive(path);
    const { owed, delivered, refused, expired } = archive.counts();
    const last = archive.lastRefused(null);
    archive.close();
    const text = `${owed} waiting, ${delivered} delivered, ${refused} refused, ${expired} expired`;
    if (refused + expired === 0) return fine("proofs", text);
    const unpaid = `${count(refused + expired, "play")} will not be paid: look at the log.`;
    return warning("proofs", text, last === null ? unpaid : `${unpaid} ${lastRefusedText(last)}`);
  } catch (error) {
    if (error instanceof StoreUnusable) return warning("proofs", error.message, "Update the player, or this command.");
    const code = codeOf(error);
    if (code === null) throw error;
    const remedy = /^SQLITE_(CORRUPT|NOTADB)/.test(code)
      ? "The player sets a broken one aside by itself."
      : "Run this as the player's user.";
    return warning("proofs", `${path} cannot be read (${code})`, remedy);
  }
}

function lastRefusedText(refused: RefusedProof): string {
  const day = new Date(refused.at).toISOString().slice(0, DATE_LENGTH);
  return `The last refused: ${day} ${refusedText(refused, "UTC")}, UTC.`;
}

const DATE_LENGTH = "2026-01-31".length;

/** The folder, or the nearest above it that there is. A link that leads nowhere is there, and what a disk that went was mounted at. */
function nearestExisting(folder: string): string {
  return isThere(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !/^(ENOENT|ENOTDIR|EACCES)$/.test(codeIn(error));
  }
}

function codeIn(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** How many skipped files are named; the others are counted. */
const MOST_NAMED = 5;

/** Looks at what is shown when there is no spot: what the operator's folder holds, and what of it cannot be shown. */
export async function houseFinding(dir: string | null): Promise<Finding> {
  if (dir === null) return fine("house content", "the packaged slate");
  const { entries, skipped, problem } = await surveyHouse(dir);
  const names = skipped.slice(0, MOST_NAMED).map(({ name, why }) => `${name} ${why}`);
  const more = skipped.length > MOST_NAMED ? [`${skipped.length - MOST_NAMED} more`] : [];
  const passedOver = skipped.length === 0 ? "" : `; skipped: ${[...names, ...more].join(", ")}`;
  if (problem !== null) {
    const text = `${dir}: ${problem}, so the packaged slate is shown${passedOver}`;
    return warning(
      "house content",
      text,
      "Put images (jpg, png, webp, gif, avif, svg), clips (mp4, mov, webm) or pages (html) there.",
    );
  }
  const kinds = [
    count(entries.filter(({ form }) => form === "image").length, "image"),
    count(entries.filter(({ form }) => form === "video").length, "clip"),
    count(entries.filter(({ form }) => form === "page").length, "page"),
  ];
  const text = `${dir}: ${kinds.join(", ")}${passedOver}`;
  return skipped.length === 0 ? fine("house content", text) : warning("house content", text);
}
