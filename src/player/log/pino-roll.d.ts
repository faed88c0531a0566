// pino-roll 4 comes without types: this is what of it is used.
declare module "pino-roll" {
  import type { EventEmitter } from "node:events";

  interface RollOptions {
    /** The files are `<file>.<n>.<extension>`, n counting up. */
    readonly file: string;
    readonly extension: string;
    /** Such as `1048576b`: a file that has grown to it is the last but one. */
    readonly size: string;
    /** `count`: files that are kept. */
    readonly limit: { readonly count: number; readonly removeOtherLogFiles: boolean };
    /** Bytes that wait for the disk at most; what comes then is dropped. */
    readonly maxLength: number;
    /** Whether each line is written before `write` returns. */
    readonly sync: boolean;
  }

  interface RollingFile extends EventEmitter {
    /** The one that is written. */
    readonly file: string;
    /** Its descriptor; -1 where it could not be opened. */
    readonly fd: number;
    /** Opens it by its name again. */
    reopen(): void;
    write(line: string): boolean;
    end(): void;
  }

  function roll(options: RollOptions): Promise<RollingFile>;
  export = roll;
}
