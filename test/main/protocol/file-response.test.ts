import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileResponse } from "../../../src/main/protocol/file-response.ts";

let folder: string;
let path: string;
const body = Buffer.from("0123456789");

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "spotloop-file-"));
  path = join(folder, "media");
  writeFileSync(path, body);
});
afterAll(() => rmSync(folder, { recursive: true }));

const answer = (range: string | null, method = "GET") =>
  fileResponse({ from: path, sizeBytes: body.length, headers: { "content-type": "video/mp4" } }, { method, range });

describe("a file as an answer", () => {
  it("is sent whole without a range", async () => {
    const response = answer(null);
    expect([response.status, response.headers.get("content-length"), response.headers.get("content-type")]).toEqual([
      200,
      "10",
      "video/mp4",
    ]);
    expect(await response.text()).toBe("0123456789");
  });

  it.each([
    ["bytes=0-3", "0123", "bytes 0-3/10"],
    ["bytes=8-", "89", "bytes 8-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=5-99", "56789", "bytes 5-9/10"],
    ["bytes=-99", "0123456789", "bytes 0-9/10"],
  ])("sends %s as 206", async (range, text, contentRange) => {
    const response = answer(range);
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(contentRange);
    expect(await response.text()).toBe(text);
  });

  it.each(["bytes=10-", "bytes=99-100", "bytes=-0"])("answers %s with 416 and the size", (range) => {
    const response = answer(range);
    expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */10"]);
  });

  it.each(["bytes=5-2", "bytes=0-1,4-5", "lines=1-2", "bytes=-", "nonsense"])(
    "takes %s for no range",
    async (range) => {
      const response = answer(range);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe("0123456789");
    },
  );

  it("sends no body to HEAD", async () => {
    const response = answer(null, "HEAD");
    expect(response.headers.get("content-length")).toBe("10");
    expect(await response.text()).toBe("");
  });
});
