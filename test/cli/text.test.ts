import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { csvLine, plain, table, writeLines } from "../../src/cli/text.ts";

describe("a table", () => {
  it("may be of any length", () => {
    const rows = Array.from({ length: 200_000 }, (_, row) => [`${row}`, "x"]);

    const lines = table([["place", "what"], ...rows]);

    expect([lines.length, lines[0], lines.at(-1)]).toEqual([200_001, "place   what", "199999  x"]);
  });
});

it.each([
  ["moves the cursor", "a\u001b[2J\u001b]0;b\u0007c", "ac"],
  ["begins a line", "a\r\nb\u2028c\u0085d", "a b c d"],
  ["turns the line around", "a\u202eb\u2066c\u2069d", "abcd"],
])("text from elsewhere that %s is plain text", (_does, text, shown) => {
  expect(plain(text)).toBe(shown);
});

it("text from elsewhere keeps its own writing", () => {
  const text = "שלום 日本語 👩‍👩‍👧 é";
  expect(plain(text)).toBe(text);
});

it.each(["=1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "＝1"])(
  "a text is no formula to a spreadsheet: %j",
  (text) => {
    const [, cell = ""] = /^"?(.*?)"?\r\n$/s.exec(csvLine([text])) ?? [];
    expect([cell, csvLine([-1])]).toEqual([`'${text}`, "-1\r\n"]);
  },
);

function* numbered(count: number, onTaken: () => void = () => {}): Generator<string> {
  for (let number = 0; number < count; number++) {
    onTaken();
    yield `${number} ${"x".repeat(1_000)}\n`;
  }
}

it("writes all lines in their order to a slow reader, and leaves nothing behind that listens", async () => {
  const out = new PassThrough();
  const read = text(out);
  await writeLines(numbered(5_000), out);
  expect(out.listenerCount("close")).toBeLessThan(5);
  expect(out.listenerCount("drain")).toBeLessThan(5);
  out.end();
  expect(await read).toBe([...numbered(5_000)].join(""));
});

it.each([
  ["EPIPE", "nothing"],
  ["ENOSPC", "ENOSPC"],
])("tells of %s: %s", async (code, told) => {
  const out = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
  const outcome = await writeLines(numbered(500), out).then(
    () => "nothing",
    (error: Error) => error.message,
  );
  expect(outcome).toBe(told);
});

it("takes no more lines once nobody takes them", async () => {
  const out = new PassThrough();
  let taken = 0;
  const writing = writeLines(
    numbered(100_000, () => taken++),
    out,
  );
  out.destroy();
  await writing;
  expect(taken).toBeLessThan(1_000);
});
