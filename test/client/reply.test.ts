import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { loginWanted } from "../../src/client/reply.ts";

const unsupportedIn = (challenges: string) => {
  const end = loginWanted(new Headers({ "proxy-authenticate": challenges }));
  return end.kind === "login" ? end.unsupported : null;
};

it.each([
  ['Basic realm="a, b"', []],
  ['Negotiate, Digest realm="\\"Basic, \\\\", nonce="n"', ["Negotiate", "Digest"]],
  ['Digest realm="begun, Basic', ["Digest"]],
  ['Digest realm="begun, Basic\\', ["Digest"]],
])("of a proxy's challenges %s the ways are told that are not supported", (challenges, ways) => {
  expect(unsupportedIn(challenges)).toEqual(ways);
});

it("challenges as long as an answer's head may be keep nobody waiting, and are not told whole", async () => {
  expect(unsupportedIn(`Digest realm="${'\\"'.repeat(32 * 1024)}`)).toEqual(["Digest"]);
  expect(unsupportedIn("Odd, ".repeat(32 * 1024))?.length).toBeLessThan(1_024);
  // So that the time that a test may take has its say.
  await setImmediate();
});
