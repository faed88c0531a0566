import { describe, expect, it } from "vitest";
import { type Call, LONGEST_PATH, MOST_CALLS, newJournal } from "../../../src/emulator/http/journal.ts";

const CALL: Omit<Call, "id"> = {
  at: 0,
  realAt: 0,
  listener: "service",
  method: "GET",
  path: "/",
  route: null,
  orgToken: null,
  screenId: null,
  requestId: null,
  status: 404,
  ms: 1,
  warnings: [],
  events: [],
  fault: null,
  nearMiss: null,
};

describe("the journal's limits", () => {
  it("keep a stated number of calls, the newest", () => {
    const journal = newJournal();
    for (let call = 0; call < 3 * MOST_CALLS; call += 1) journal.add(CALL);

    const calls = journal.calls();

    expect([calls.length, calls[0]?.id, calls.at(-1)?.id]).toEqual([MOST_CALLS, 2 * MOST_CALLS + 1, 3 * MOST_CALLS]);
    expect(journal.clear()).toBe(MOST_CALLS);
  });

  it("cut a path that is too long to keep", () => {
    const journal = newJournal();
    journal.add({ ...CALL, path: "/".repeat(LONGEST_PATH + 1) });

    expect(journal.calls()[0]?.path).toHaveLength(LONGEST_PATH);
  });
});

describe("the journal", () => {
  it("tells of every call once it has been added", () => {
    const seen: number[] = [];
    const journal = newJournal(({ id }) => seen.push(id));
    journal.add(CALL);
    journal.add(CALL);

    expect(seen).toEqual([1, 2]);
  });
});
