import { describe, expect, it } from "vitest";
import type { Playout, PlayoutOutcome } from "../../src/core/spot.ts";
import { Books } from "./books.ts";

const POP = "http://127.0.0.1:8788/pop/one";
const HOUR_MS = 3_600_000;
const LENGTH_MS = 10_000;
const PLAYOUT = { item: { id: "item", url: "http://127.0.0.1:8788/a", md5: null, pop: POP } } as Playout;
const SHOWN: PlayoutOutcome = { kind: "shown", paintedAt: 100, endedAt: 100 + LENGTH_MS };
const END = 100 + LENGTH_MS;

/** Books with one item that was offered and, by default, shown in full by the first run. */
function booksOf({ until = END, shown = true } = {}): Books {
  const books = new Books();
  books.runs.push({ number: 0, startedAt: 0, crashedAt: null });
  books.offer({ pop: POP, requestId: "r", kind: "ad", place: 0, durationMs: LENGTH_MS, askedAt: 0 });
  books.taken(PLAYOUT);
  books.painted(PLAYOUT, 100);
  if (shown) books.ended(PLAYOUT, SHOWN, 0, until);
  return books;
}

const row = (state: "owed" | "delivered" | "refused" | "expired", pop = POP) => ({ id: 1, pop, state });

/** A try that was answered. */
function tried(books: Books, at: number, status: number | null, run = 0): Books {
  books.tryBegun(POP, run, at);
  books.tryEnded(POP, run, status, status === null, at);
  books.stepEnded(at);
  return books;
}

describe("the books of a simulation", () => {
  it("complain of more calls for spots in a minute without anything begun than the requests that may be made in it", () => {
    const calls = (count: number, books: Books, run = 0) => {
      for (let call = 0; call < count; call++) books.spotAsked(run, 59_999);
      return books.complaints;
    };
    expect(calls(25, booksOf())).toEqual(["25 calls for spots in 0 ms, and nothing begun"]);
    expect(calls(24, booksOf())).toEqual([]);
    const restarted = booksOf();
    calls(24, restarted);
    expect(calls(24, restarted, 1)).toEqual([]);
    const begun = booksOf({ shown: false });
    calls(24, begun);
    begun.offer({ pop: `${POP}2`, requestId: "s", kind: "ad", place: 0, durationMs: LENGTH_MS, askedAt: 0 });
    begun.painted({ item: { ...PLAYOUT.item, pop: `${POP}2` } } as Playout, 60_000);
    expect(calls(24, begun)).toEqual([]);
  });

  it("have nothing against an item that is shown, owed, sent and delivered", () => {
    const books = tried(booksOf(), END, 200);
    books.cleared(PLAYOUT, 0, END + 20);
    books.stepEnded(END + 120);
    books.reconcile([row("delivered")], END + 100, END + 100);
    expect(books.complaints).toEqual([]);
  });

  it.each<[string, string, () => Books]>([
    ["an item that is owed before its end", "owed after", () => booksOf({ until: END - 500 })],
    ["a proof of what was cut short", "not shown in full", () => tried(booksOf({ shown: false }), 5_000, 200)],
    ["a proof after the hour", "after the hour", () => tried(booksOf(), HOUR_MS, 200)],
    [
      "a proof that goes out again after it was accepted",
      "sent again",
      () => tried(tried(booksOf(), END, 200), END + 500, 200),
    ],
    [
      "a proof that goes out again after a firewall's answer came twice, a minute apart",
      "sent again",
      () => tried(tried(tried(booksOf(), END, 403), END + 60_000, 403), END + 61_000, 200),
    ],
    [
      "a proof that is refused by one answer that a firewall may have given",
      "refused without such an answer",
      () => reconciled(tried(booksOf(), END, 403), [row("refused")]),
    ],
    [
      "an item that was shown in full and is not owed",
      "not owed",
      () => {
        const books = booksOf({ shown: false });
        books.cleared(PLAYOUT, 0, END + 20);
        books.stepEnded(END + 120);
        return books;
      },
    ],
    ["a proof that is lost", "owed and lost", () => reconciled(booksOf(), [])],
    [
      "a proof that is there twice",
      "owed twice",
      () => reconciled(booksOf(), [row("owed"), { ...row("owed"), id: 2 }]),
    ],
    [
      "a proof of what nobody offered",
      "nobody offered",
      () => reconciled(booksOf(), [row("owed"), row("owed", `${POP}2`)]),
    ],
    ["a proof that is owed for ever", "still owed", () => reconciled(booksOf(), [row("owed")], HOUR_MS + 70_000)],
    ["a proof that expires early", "before the hour", () => reconciled(booksOf(), [row("expired")])],
    [
      "a proof that is delivered without an answer",
      "without an answer",
      () => reconciled(booksOf(), [row("delivered")]),
    ],
    [
      "an item that is painted twice",
      "painted twice",
      () => {
        const books = booksOf();
        books.painted(PLAYOUT, END);
        return books;
      },
    ],
  ])("complain about %s", (_, complaint, happened) => {
    expect(happened().complaints.join("\n")).toContain(complaint);
  });

  it.each<[string, boolean, string[]]>([
    ["while its turn lasts", false, [`owed though its deck broke: ${POP}`]],
    ["once the next is taken, and still awaited", true, []],
  ])("ask of a deck that breaks %s whether it is owed", (_, isNextTaken, complaints) => {
    const books = booksOf({ shown: false });
    const next = { item: { ...PLAYOUT.item, pop: `${POP}2` } } as Playout;
    if (isNextTaken) books.taken(next);
    books.broke(PLAYOUT);
    if (!isNextTaken) books.taken(next);
    books.ended(PLAYOUT, SHOWN, 0, END + 20);
    expect(books.complaints.map((one) => one.split(" {")[0])).toEqual(complaints);
  });

  it.each([
    ["what a crash kept from being written down at once need not be owed", 99, []],
    ["what was to be owed before a crash is missed", 100, [`shown in full and not owed: ${POP}`]],
  ] as const)("take it that %s", (_, crashedMs, complaints) => {
    const books = booksOf({ shown: false });
    books.cleared(PLAYOUT, 0, END);
    books.stepEnded(END + crashedMs - 1);
    expect(books.complaints).toEqual([]);
    books.crashed(0, END + crashedMs);
    books.stepEnded(END + 100);
    expect(books.complaints.map((one) => one.split(" {")[0])).toEqual(complaints);
  });

  it("tell of a creative that failed for the third time in a day, which the player leaves alone", () => {
    const books = new Books();
    const blocked: string[] = [];
    books.onBlocked = (url) => blocked.push(url);
    for (const id of ["one", "two", "three"]) {
      const pop = POP.replace("one", id);
      books.offer({ pop, requestId: id, kind: "ad", place: 0, durationMs: LENGTH_MS, askedAt: 0 });
      expect(blocked).toEqual([]);
      books.ended({ item: { ...PLAYOUT.item, pop } } as Playout, { kind: "failed", reason: "crashed" }, 0, HOUR_MS);
    }
    expect(blocked).toEqual([PLAYOUT.item.url]);
  });

  it("take it that what a firewall may have answered is asked again", () => {
    const books = tried(tried(booksOf(), END, 403), END + 60_000, 200);
    books.reconcile([row("delivered")], END + 61_000, END + 61_000);
    expect(books.complaints).toEqual([]);
  });

  it("take it that a crash can keep an answer from being written down", () => {
    const books = tried(booksOf(), END, 200);
    books.crashed(0, END + 10);
    books.runs.push({ number: 1, startedAt: END + 20, crashedAt: null });
    tried(books, END + 4_000, 200, 1);
    expect(books.complaints).toEqual([]);
    tried(books, END + 8_000, 200, 1);
    expect(books.complaints.join()).toContain("sent again");
  });
});

function reconciled(books: Books, rows: readonly ReturnType<typeof row>[], now = END + 1_000): Books {
  books.reconcile(rows, now, now);
  return books;
}
