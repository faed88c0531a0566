import { chmodSync, chownSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ordinaryUser } from "../../../scripts/setup/user.ts";

const creatives = new URL("../../../assets/creatives/", import.meta.url).pathname;

/** A folder of house content in the home of the player's user, filled with sample creatives. */
export class HouseFolderOnDisk {
  readonly path: string;

  constructor(home: string) {
    this.path = join(home, "house");
    mkdirSync(this.path);
    this.#hand("");
  }

  /** Puts a sample creative, a file or a folder, into it under a name. */
  put(name: string, creative: string): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    cpSync(join(creatives, creative), join(this.path, name), { recursive: true });
    this.#hand(name);
  }

  /** Writes a file of another making into it. */
  write(name: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    writeFileSync(join(this.path, name), content);
    this.#hand(name);
  }

  #hand(name: string): void {
    const { uid, gid } = ordinaryUser();
    chownSync(join(this.path, name), uid, gid);
    chmodSync(join(this.path, name), 0o755);
  }
}
