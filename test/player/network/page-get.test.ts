import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { pageGetBy } from "../../../src/player/network/page-get.ts";

/** What becomes of a page's request with a header of its own, where its server answers the question for leave so. */
async function statusWhere(allowed: string): Promise<number> {
  const get = pageGetBy(async (_url, init) => {
    if (init?.method !== "OPTIONS") return new Response("there");
    return new Response(null, {
      headers: { "access-control-allow-origin": "*", "access-control-allow-headers": allowed },
    });
  });
  const headers = { origin: "https://maker.example", "x-key": "1" };
  return (await get("https://data.example/", new AbortController().signal, headers)).status;
}

it("a server gives leave by a list of headers, however it is spaced", async () => {
  for (const allowed of ["X-Key", "x-other ,\tX-KEY  , x-more", "*"]) expect(await statusWhere(allowed)).toBe(200);
  for (const allowed of ["x-keys", "x-other x-key", ","]) expect(await statusWhere(allowed)).toBe(403);
});

it("as many blanks as an answer's head may have keep nobody waiting", async () => {
  expect(await statusWhere(`a${" ".repeat(256 * 1024)}b, x-key`)).toBe(200);
  // So that the time that a test may take has its say.
  await setImmediate();
});
