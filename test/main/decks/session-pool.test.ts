import type { Session } from "electron";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SessionPool, type SessionReset } from "../../../src/main/decks/session-pool.ts";

const opened: string[] = [];
const openSession = (partition: string) => {
  opened.push(partition);
  return { partition } as unknown as Session;
};
const nameOf = (session: Session) => (session as unknown as { partition: string }).partition;

/** How the next sessions are emptied. */
let empty: SessionReset<string>["empty"];
const reset: SessionReset<string> = { prepare: async () => {}, empty: (session) => empty(session) };

beforeEach(() => {
  opened.length = 0;
  empty = async () => {};
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a pool of sessions", () => {
  it("lends each again once it was emptied, and opens no more than it was given", async () => {
    const pool = new SessionPool(["a", "b"], reset, openSession);
    for (let turn = 0; turn < 5; turn++) {
      const lease = await pool.lease("owner");
      lease.release();
      lease.release();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(new Set(opened).size).toBeLessThanOrEqual(2);
  });

  it("lets a deck that comes when all are lent wait for the next that is given back", async () => {
    const pool = new SessionPool(["a"], reset, openSession);
    const first = await pool.lease("one");
    const second = pool.lease("two");
    first.release();
    expect(nameOf((await second).session)).toBe("a");
  });

  it.each<[how: string, empty: SessionReset<string>["empty"]]>([
    ["fails", () => Promise.reject(new Error("cannot be cleared"))],
    ["never ends", () => new Promise(() => {})],
  ])(
    "replaces a session whose emptying %s, so that none is lost and none is lent with something in it",
    async (_, broken) => {
      const pool = new SessionPool(["a", "b"], reset, openSession);
      empty = broken;
      const [first, second] = await Promise.all([pool.lease("one"), pool.lease("two")]);
      first.release();
      second.release();
      const third = pool.lease("three");
      const fourth = pool.lease("four");
      await vi.advanceTimersByTimeAsync(60_000);
      const names = [nameOf((await third).session), nameOf((await fourth).session)];
      expect(names).not.toContain("a");
      expect(names).not.toContain("b");
      expect(new Set(names).size).toBe(2);
    },
  );

  it("replaces a session that could not be sealed, which is lent to nobody", async () => {
    const prepare = vi.fn<SessionReset<string>["prepare"]>().mockRejectedValueOnce(new Error("no proxy"));
    const pool = new SessionPool(["a"], { ...reset, prepare }, openSession);
    await expect(pool.lease("one")).rejects.toThrow("no proxy");
    expect(nameOf((await pool.lease("two")).session)).not.toBe("a");
  });
});
