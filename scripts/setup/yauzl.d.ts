/** The part of yauzl that `unzip.ts` uses; the package brings no types. */
declare module "yauzl" {
  import type { Readable } from "node:stream";

  export interface Entry {
    readonly fileName: string;
    readonly uncompressedSize: number;
    /** The Unix mode is in the upper 16 bits. */
    readonly externalFileAttributes: number;
  }

  export interface ZipFile {
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry): Promise<Readable>;
  }

  export function openPromise(path: string): Promise<ZipFile>;
}
