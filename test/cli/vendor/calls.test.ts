import { describe, expect, it } from "vitest";
import { patiently } from "../../../src/cli/vendor/calls.ts";
import type { Answer } from "../../../src/client/answer.ts";

const limited = (retryAfterMs: number | null): Answer<string> => ({ kind: "limited", retryAfterMs });
const done: Answer<string> = { kind: "ok", value: "done" };

/** What came of a call whose answers are these, and the waits on the way. */
async function called(...answers: readonly Answer<string>[]) {
  const left = [...answers];
  const waits: number[] = [];
  const asked = async () => left.shift() ?? done;
  const answer = await patiently(asked, async (waitMs) => void waits.push(waitMs));
  return { answer, waits };
}

describe("a command that meets a limit of the service (A14)", () => {
  it("waits for as long as the service asks, and sends its request again", async () => {
    expect(await called(limited(3_000), done)).toEqual({ answer: done, waits: [3_000] });
  });

  it("leaves it at that where the service names no wait", async () => {
    expect(await called(limited(null), done)).toEqual({ answer: limited(null), waits: [] });
  });

  it("waits no more than 10 s in all", async () => {
    expect(await called(limited(6_000), limited(6_000), done)).toEqual({ answer: limited(6_000), waits: [6_000] });
    expect(await called(limited(10_001), done)).toEqual({ answer: limited(10_001), waits: [] });
    expect(await called(...Array<Answer<string>>(50).fill(limited(1)))).toMatchObject({ answer: limited(1) });
  });

  it("sends again nothing else", async () => {
    const failed: Answer<string> = { kind: "unavailable", reason: "HTTP 503", retryAfterMs: 1_000, done: "unknown" };
    expect(await called(failed, done)).toEqual({ answer: failed, waits: [] });
  });
});
