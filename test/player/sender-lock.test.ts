import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SenderLock } from "../../src/player/sender-lock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the lock of the one sender", () => {
  it("is taken though a power cut left garbage in its file, and by one only", () => {
    const path = join(temporaryFolder(), "sender.lock");
    writeFileSync(path, Buffer.alloc(2_000, 0x5a));
    const [one, other] = [new SenderLock(path), new SenderLock(path)];
    expect(one.take()).toBe(true);
    expect(other.take()).toBe(false);
    expect(statSync(path).size).toBe(0);
    one.release();
    expect(other.take()).toBe(true);
    other.release();
  });
});
