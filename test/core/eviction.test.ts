import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evictions } from "../../src/core/eviction.ts";

const file = (digest: string, sizeBytes: number, usedAt: number) => ({ digest, sizeBytes, usedAt });
const ROOMY = 1e12;

describe("making room in the cache", () => {
  it("removes nothing while everything fits", () => {
    expect(evictions([file("a", 10, 1)], new Set(), ROOMY, 10, { maxBytes: 20, minFreeBytes: 0 })).toEqual([]);
  });

  it("removes what was not used for longest", () => {
    const files = [file("new", 10, 3), file("old", 10, 1), file("middle", 10, 2)];
    expect(evictions(files, new Set(), ROOMY, 0, { maxBytes: 15, minFreeBytes: 0 })).toEqual(["old", "middle"]);
  });

  it("keeps the disk's free space even below its budget", () => {
    const files = [file("a", 10, 1), file("b", 10, 2)];
    expect(evictions(files, new Set(), 5, 0, { maxBytes: 1_000, minFreeBytes: 12 })).toEqual(["a"]);
  });

  it("never removes what is held, and removes enough whenever it can", () => {
    const anyFile = fc.record({ digest: fc.uuid(), sizeBytes: fc.nat(1_000), usedAt: fc.nat() });
    const property = fc.property(
      fc.uniqueArray(anyFile, { selector: ({ digest }) => digest }),
      fc.nat(3_000),
      fc.nat(500),
      (files, maxBytes, incoming) => {
        const held = new Set(files.filter((_, index) => index % 3 === 0).map(({ digest }) => digest));
        const gone = evictions(files, held, ROOMY, incoming, { maxBytes, minFreeBytes: 0 });
        expect(gone.some((digest) => held.has(digest))).toBe(false);
        const left = files.filter(({ digest }) => !gone.includes(digest));
        const total = left.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
        expect(total + incoming <= maxBytes || left.every(({ digest }) => held.has(digest))).toBe(true);
      },
    );
    fc.assert(property);
  });
});
