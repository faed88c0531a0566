import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { oneAtATime } from "../../../scripts/setup/lock.mjs";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const { signal } = new AbortController();

function teller() {
  const notes: string[] = [];
  return { notes, begin: () => ({ progress() {}, done() {} }), note: (text: string) => void notes.push(text) };
}

describe("the setup's lock", () => {
  it("lets one setup work at a time, and tells the other what it waits for", async () => {
    const lock = join(temporaryFolder(), "dist", "lock");
    const say = teller();
    const order: string[] = [];
    const waited = new AbortController();
    const note = (text: string) => {
      say.note(text);
      waited.abort();
    };
    let second = Promise.resolve(0);
    const first = async () => {
      second = oneAtATime({ ...say, note }, signal, async () => order.push("second"), lock);
      await once(waited.signal, "abort");
      order.push("first");
    };
    await oneAtATime(say, signal, first, lock);
    await second;
    expect(order).toEqual(["first", "second"]);
    expect(say.notes).toHaveLength(1);
    expect(existsSync(lock)).toBe(false);
  });

  it("is taken over from a setup that was killed", async () => {
    const lock = join(temporaryFolder(), "lock");
    writeFileSync(lock, "4194305");
    expect(await oneAtATime(teller(), signal, async () => "done", lock)).toBe("done");
  });

  it("is given back when the work fails", async () => {
    const lock = join(temporaryFolder(), "lock");
    await expect(oneAtATime(teller(), signal, () => Promise.reject(new Error("no")), lock)).rejects.toThrow("no");
    expect(existsSync(lock)).toBe(false);
  });
});
