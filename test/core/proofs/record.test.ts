import { describe, expect, it } from "vitest";
import { LONGEST_TEXT, playoutEntry } from "../../../src/core/proofs/record.ts";
import { endedPlayout } from "../../player/record/ended.ts";

const HASH = "00".repeat(32);
const clocks = { bootId: "boot-1", now: 60_000, wall: 1_000_060_000, service: 2_000_060_000 };

describe("the record's row of a playout", () => {
  it("tells when it was on screen by the service's clock, and by which other clocks that was found", () => {
    const entry = playoutEntry(endedPlayout("p", 59_000.4), clocks, HASH);
    expect(entry).toMatchObject({ startedAt: 2_000_049_000, endedAt: 2_000_059_000, clockOffsetMs: 1_000_000_000 });
    expect(entry).toMatchObject({ bootId: "boot-1", startedMonotonicMs: 49_000.4, endedMonotonicMs: 59_000.4 });
  });

  it("tells the time of this machine where the service's is not known, and that it is not", () => {
    const entry = playoutEntry(endedPlayout("p", 59_000), { ...clocks, service: null }, HASH);
    expect(entry).toMatchObject({ endedAt: 1_000_059_000, clockOffsetMs: null });
  });

  it("says of one that failed why, and when it began where it did", () => {
    const outcome = { kind: "failed", reason: "stalled" } as const;
    const begun = endedPlayout("p", 59_000, { outcome, sighting: { startedAt: 58_000 } });
    expect(playoutEntry(begun, clocks, HASH)).toMatchObject({
      ...{ outcome: "failed", reason: "stalled", startedMonotonicMs: 58_000 },
    });
    const never = endedPlayout("p", 59_000, { outcome, sighting: { startedAt: null, digest: null } });
    expect(playoutEntry(never, clocks, HASH)).toMatchObject({
      startedAt: null,
      startedMonotonicMs: null,
      digest: null,
    });
  });

  it("says that the display was hidden of what was cut short for that, whatever was known before", () => {
    const outcome = { kind: "failed", reason: "hidden" } as const;
    expect(playoutEntry(endedPlayout("p", 0, { outcome }), clocks, HASH).display).toBe("hidden");
  });

  it("keeps no more of a title than it has room for, and no half of a character", () => {
    const title = `${"x".repeat(LONGEST_TEXT - 1)}😀`;
    const entry = playoutEntry(endedPlayout("p", 0, { item: { title } }), clocks, HASH);
    expect(entry.title).toBe(`${"x".repeat(LONGEST_TEXT - 1)}\ufffd`);
  });
});
