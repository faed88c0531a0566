import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Absence,
  APART_MS,
  absentAgain,
  bytesOnDisk,
  evictions,
  freshUntil,
  isFont,
  isFresh,
  isPagesOwn,
  LONGEST_FRESH_MS,
  MOST_FILES,
  missingBytes,
  SHORTEST_FRESH_MS,
  surplusFiles,
} from "../../../src/core/media/cache-policy.ts";

const KIB = 1024;
const file = (digest: string, sizeBytes: number) => ({ digest, sizeBytes });
const evicted = (...given: Parameters<typeof evictions>) => evictions(...given).map(({ digest }) => digest);
const ROOMY = 1e12;

describe("making room in the cache", () => {
  it("needs none while everything fits", () => {
    expect(missingBytes(8 * KIB, ROOMY, 8 * KIB, { maxBytes: 16 * KIB, minFreeBytes: 0 })).toBe(0);
    expect(evicted([file("a", 10)], new Set(), 0)).toEqual([]);
  });

  it("removes what was not used for longest", () => {
    const files = [file("old", 4 * KIB), file("middle", 4 * KIB), file("new", 4 * KIB)];
    expect(missingBytes(12 * KIB, ROOMY, 0, { maxBytes: 6 * KIB, minFreeBytes: 0 })).toBe(6 * KIB);
    expect(evicted(files, new Set(), 6 * KIB)).toEqual(["old", "middle"]);
  });

  it("keeps the disk's free space even below its budget", () => {
    expect(missingBytes(20, 5 * KIB, 1, { maxBytes: 1e6, minFreeBytes: 12 * KIB })).toBe(11 * KIB);
  });

  it("counts each file as the blocks that it takes on a disk", () => {
    expect([0, 1, 600, 4096, 4097].map(bytesOnDisk)).toEqual([0, 4096, 4096, 4096, 8192]);
    expect(missingBytes(0, ROOMY, 4097, { maxBytes: 0, minFreeBytes: 0 })).toBe(8192);
    expect(evicted([file("a", 600), file("b", 600), file("c", 600)], new Set(), 8192)).toEqual(["a", "b"]);
  });

  it("removes as many files as it is told to, however large they are, and no more at a time than it may", () => {
    const files = [file("a", 10), file("b", 10), file("c", 10)];
    expect(evicted(files, new Set(["a"]), 1, 2)).toEqual(["b", "c"]);
    expect(evicted(files, new Set(), 0, 1)).toEqual(["a"]);
    expect(evicted(files, new Set(), ROOMY, 3, 2)).toEqual(["a", "b"]);
  });

  it("has as many files too many as there are more than there may be", () => {
    const limits = { maxBytes: 1, minFreeBytes: 1 };
    expect([MOST_FILES - 1, MOST_FILES, MOST_FILES + 7].map((files) => surplusFiles(files, limits))).toEqual([0, 0, 7]);
    expect(surplusFiles(5, { ...limits, maxFiles: 2 })).toBe(3);
  });

  it("looks at no file more than it needs", () => {
    function* endless() {
      for (let number = 0; ; number++) yield file(`${number}`, 4 * KIB);
    }
    expect(evicted(endless(), new Set(["0"]), 6 * KIB)).toEqual(["1", "2"]);
    expect(evicted(endless(), new Set(), -1)).toEqual([]);
  });

  it("never removes what is held, and removes enough whenever it can", () => {
    const anyFile = fc.record({ digest: fc.uuid(), sizeBytes: fc.nat(20_000) });
    const property = fc.property(
      fc.uniqueArray(anyFile, { selector: ({ digest }) => digest }),
      fc.nat(60_000),
      fc.nat(10_000),
      (files, maxBytes, incoming) => {
        const held = new Set(files.filter((_, index) => index % 3 === 0).map(({ digest }) => digest));
        const sum = (of: readonly { sizeBytes: number }[]) =>
          of.reduce((total, { sizeBytes }) => total + bytesOnDisk(sizeBytes), 0);
        const gone = evicted(files, held, missingBytes(sum(files), ROOMY, incoming, { maxBytes, minFreeBytes: 0 }));
        expect(gone.some((digest) => held.has(digest))).toBe(false);
        const left = files.filter(({ digest }) => !gone.includes(digest));
        const fits = sum(left) + bytesOnDisk(incoming) <= maxBytes;
        expect(fits || left.every(({ digest }) => held.has(digest))).toBe(true);
      },
    );
    fc.assert(property);
  });
});

it.each([
  ["max-age=3600", 3_600_000],
  ["public, max-age=7200, immutable", 7_200_000],
  ['max-age="3600"', 3_600_000],
  ["s-maxage=99999, max-age=1200", 1_200_000],
  ["max-age=5", SHORTEST_FRESH_MS],
  ["no-store", SHORTEST_FRESH_MS],
  ["max-age=31536000", LONGEST_FRESH_MS],
  ["max-age=99999999999999999999", LONGEST_FRESH_MS],
  ["max-age=soon", SHORTEST_FRESH_MS],
  [null, SHORTEST_FRESH_MS],
])("Cache-Control %s keeps a file fresh for %i ms", (cacheControl, ms) => {
  expect(freshUntil(cacheControl, 1_000) - 1_000).toBe(ms);
});

/** What is known after absences at these instants. */
const absentAt = (...instants: number[]) => instants.reduce<Absence | null>(absentAgain, null);

describe("what is absent from a page again and again (F23)", () => {
  it("is the page's own after the second time, ten minutes after the first", () => {
    expect(isPagesOwn(null)).toBe(false);
    expect(isPagesOwn(absentAt(1_000))).toBe(false);
    expect(isPagesOwn(absentAt(1_000, 1_000 + APART_MS))).toBe(true);
  });

  it("counts once however often it is missed within ten minutes", () => {
    expect(isPagesOwn(absentAt(0, 15_000, APART_MS / 2, APART_MS - 1))).toBe(false);
    expect(isPagesOwn(absentAt(0, APART_MS - 1, APART_MS))).toBe(true);
  });

  it("counts anew when the clock went back, so that it does not wait for a year", () => {
    const year = 365 * 24 * 3_600_000;
    expect(isPagesOwn(absentAt(year, 0))).toBe(true);
  });
});

describe("a request for a font", () => {
  it("is told by its destination where that is known, whatever its URL", () => {
    expect(isFont("https://fonts.example/a", "font")).toBe(true);
    expect(isFont("https://fonts.example/a.woff2", "script")).toBe(false);
  });

  it.each(["woff2", "woff", "ttf", "otf", "eot", "WOFF2"])(
    "is told by its name ending in .%s otherwise",
    (extension) => {
      expect(isFont(`https://fonts.example/a.${extension}?v=1#x`, "")).toBe(true);
    },
  );

  it("is not one because the query says so", () => {
    expect(isFont("https://fonts.example/a.js?font=a.woff2", "")).toBe(false);
  });
});

it("takes nothing for fresh that a clock which was set back would keep so for longer than a day", () => {
  const until = freshUntil("max-age=3600", 1_000);
  expect([until - 1, until, until + 1].map((now) => isFresh(until, now))).toEqual([true, false, false]);
  expect(isFresh(until, until - LONGEST_FRESH_MS)).toBe(true);
  expect(isFresh(until, until - LONGEST_FRESH_MS - 1)).toBe(false);
});
