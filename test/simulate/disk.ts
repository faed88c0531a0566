import { spawnSync } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { memoryFolder } from "../support/machine/memory-folder.ts";
import type { Chance } from "./chance.ts";

/** A month of proofs, twice: a run that vanished is copied before the next one begins. */
const SIZE_BYTES = 1024 ** 3;

/** What a disk does to what is written. */
export type DiskTrouble = "full" | "read-only";

/**
 * The disk of the simulated machine: a folder in memory where there is one, since a commit on a real disk takes longer
 * than all else. As root on Linux it is a file system of its own, which really fills up and really becomes read-only.
 */
export class SimulatedDisk {
  readonly root: string;
  readonly #mounted: boolean;
  #runs = 0;

  constructor() {
    this.root = mkdtempSync(join(memoryFolder(SIZE_BYTES), "spotloop-simulate-"));
    this.#mounted =
      process.platform === "linux" &&
      process.getuid?.() === 0 &&
      mount("-t", "tmpfs", "-o", `size=${SIZE_BYTES}`, "none", this.root);
    mkdirSync(this.folder);
  }

  /** Whether it can be made to fail. */
  get canFail(): boolean {
    return this.#mounted;
  }

  /** The player's data folder. */
  get folder(): string {
    return join(this.root, `run-${this.#runs}`);
  }

  fail(trouble: DiskTrouble): void {
    const { blocks, bfree, bsize } = statfsSync(this.root);
    const size = (blocks - bfree + 1) * bsize;
    const how = trouble === "full" ? `remount,size=${size}` : "remount,ro";
    if (!mount("-o", how, this.root)) throw new Error(`the simulated disk cannot become ${trouble}`);
  }

  mend(): void {
    if (this.#mounted) mount("-o", `remount,rw,size=${SIZE_BYTES}`, this.root);
  }

  /** What a power cut leaves: everything as it is now, in a new folder; the old one is what a ghost may still write to. */
  leaveBehind(): string {
    const old = this.folder;
    this.#runs++;
    cpSync(old, this.folder, { recursive: true });
    return old;
  }

  close(): void {
    if (this.#mounted) spawnSync("umount", ["-l", this.root]);
    rmSync(this.root, { recursive: true, force: true });
  }
}

function mount(...args: readonly string[]): boolean {
  return spawnSync("mount", args).status === 0;
}

const POPS = /http:\/\/127\.0\.0\.1:8788\/pop\/[\w-]+(?:\?s=[0-9a-f]+%3d%7E&v=1)?/g;
const PAGE_BYTES = 4_096;

/** Damages a database between two runs, and returns the proofs that stood where it was struck. */
export function damageDatabase(
  path: string,
  chance: Chance,
  question: string,
): { readonly how: string; readonly struck: readonly string[] } {
  const how = chance.weighed({ header: 3, page: 4, tail: 2, nothing: 1 }, `${question} how`);
  const before = popsIn(path);
  const file = openSync(path, "r+");
  const pages = Math.floor(fstatSync(file).size / PAGE_BYTES);
  const number = how === "header" ? 0 : chance.whole(0, Math.max(0, pages - 1), `${question} page`);
  try {
    if (how === "tail") ftruncateSync(file, number * PAGE_BYTES + (number === 0 ? 0 : 100));
    else
      writeSync(
        file,
        Buffer.alloc(how === "nothing" ? 0 : 100, 0xa5),
        0,
        how === "nothing" ? 0 : 100,
        number * PAGE_BYTES,
      );
    const struck = how === "page" ? popsOn(file, number) : [];
    const left = popsIn(path);
    return { how, struck: [...struck, ...[...before].filter((pop) => !left.has(pop))] };
  } finally {
    closeSync(file);
  }
}

function popsOn(file: number, number: number): string[] {
  const page = Buffer.alloc(PAGE_BYTES);
  readSync(file, page, 0, PAGE_BYTES, number * PAGE_BYTES);
  return page.toString("latin1").match(POPS) ?? [];
}

function popsIn(path: string): ReadonlySet<string> {
  const texts = [path, `${path}-wal`].filter((one) => existsSync(one)).map((one) => readFileSync(one, "latin1"));
  return new Set(texts.flatMap((text) => text.match(POPS) ?? []));
}

/** Files of the media cache, by name, in an order that is always the same. */
function mediaFilesIn(folder: string): readonly string[] {
  const media = join(folder, "media", "v1");
  return existsSync(media)
    ? readdirSync(media)
        .filter((name) => /^[0-9a-f]{64}$/.test(name))
        .sort()
    : [];
}

/** Flips a bit of a file of the media cache, or removes it; one of the `wanted`, where they are there, every other time. */
export function damageMedia(
  folder: string,
  how: "flip" | "remove",
  wanted: ReadonlySet<string>,
  chance: Chance,
  question: string,
): void {
  const all = mediaFilesIn(folder);
  const next = all.filter((name) => wanted.has(name));
  const names = next.length > 0 && chance.happens(0.5, `${question} next`) ? next : all;
  if (names.length === 0) return;
  const path = join(folder, "media", "v1", chance.pick(names, question));
  if (how === "remove") {
    rmSync(path);
    return;
  }
  const bytes = readFileSync(path);
  const at = chance.whole(0, bytes.length - 1, `${question} at`);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.whole(0, 7, `${question} bit`));
  writeFileSync(path, bytes);
}
