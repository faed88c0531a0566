import { describe, expect, it } from "vitest";
import { CreativeBlocklist } from "../../../src/player/media/creative-blocklist.ts";
import { AbsenceBook, PageLoadBook } from "../../../src/player/media/page-books.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { openMediaCache } from "../../support/player/media-origin.ts";
import { plannedFile } from "../../support/player/planned-file.ts";

const page = (name: string, md5: string | null = null) => ({ url: `https://ads.example/${name}`, md5 });

describe("the book of page loads", () => {
  it("remembers across restarts how long a page took, and when it was recorded", async () => {
    const folder = temporaryFolder();
    const { index, clock } = await openMediaCache(folder);
    const book = new PageLoadBook(index, clock);
    book.record(page("a"), "digest", 310);
    const recordedAt = clock.wall();
    await clock.advance(1_000);
    book.note(page("a"), "digest", 290.5);
    const again = new PageLoadBook((await openMediaCache(folder)).index, clock);
    expect(again.find(page("a"))).toEqual({ digest: "digest", recordedMs: 310, seenMs: [290.5], recordedAt });
    expect(again.find(page("b"))).toBeNull();
  });

  it("takes a page for the same whatever its URL where the service names its bytes (F15)", async () => {
    const { index, clock } = await openMediaCache();
    const book = new PageLoadBook(index, clock);
    book.record(page("a?signature=1", "0".repeat(32)), "digest", 310);
    expect(book.find(page("a?signature=2", "0".repeat(32)))?.recordedMs).toBe(310);
  });

  it("keeps the 500 pages that were recorded last", async () => {
    const { index, clock } = await openMediaCache();
    const book = new PageLoadBook(index, clock);
    for (let name = 0; name < 502; name++) {
      await clock.advance(1);
      book.record(page(String(name)), "digest", 100);
    }
    const found = [0, 1, 2, 501].map((name) => book.find(page(String(name))) !== null);
    expect(found).toEqual([false, false, true, true]);
  });
});

describe("the book of what pages could not have", () => {
  const refusal = (askedAt: number) => ({ status: 404, askedAt, response: null });

  it("keeps the 10,000 refusals that came last", () => {
    const file = plannedFile();
    const book = new AbsenceBook(file);
    file.use((db) =>
      db
        .prepare(`
        with recursive number (n) as (select 0 union all select n + 1 from number where n < 9999)
        insert into refusal (url, status, asked_at) select 'https://ads.example/' || n, 404, n from number`)
        .run(),
    );
    for (let count = 10_000; count < 10_002; count++) book.noteRefusal(page(String(count)).url, refusal(count));
    const found = [0, 1, 2, 10_001].map((name) => book.refusal(page(String(name)).url) !== null);
    expect(found).toEqual([false, false, true, true]);
  });

  it("is pruned without reading through what it says, and so is the list of blocked creatives beside it", () => {
    const file = plannedFile();
    const book = new AbsenceBook(file);
    book.noteRefusal(page("a").url, refusal(1));
    book.noteAbsence(page("a").url, "cdn.example", { count: 1, countedAt: 1 });
    new CreativeBlocklist(file).strike("a", "creative", "crashed", 1);
    expect(file.throughAll()).toEqual([]);
  });
});

describe("what is kept beside the media index, on a disk that gives nothing back", () => {
  it("is not known, and ends nothing", async () => {
    const { index, clock } = await openMediaCache();
    const loads = new PageLoadBook(index, clock);
    const absences = new AbsenceBook(index);
    const blocklist = new CreativeBlocklist(index);
    index.use = () => {
      throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
    };
    const { url } = page("a");
    expect([loads.find(page("a")), absences.absence(url, "cdn.example"), absences.refusal(url)]).toEqual([
      null,
      null,
      null,
    ]);
    expect(blocklist.blockReason(url, 1)).toBeNull();
    loads.record(page("a"), "digest", 310);
    loads.note(page("a"), "digest", 290);
    blocklist.strike(url, "creative", "crashed", 1);
  });
});
