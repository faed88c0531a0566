import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FaultFile, faultSchema } from "../../../src/emulator/faults/schema.ts";
import { ask, running, smallWorld } from "../running.ts";
import { exchange } from "./exchange.ts";

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

/** Everything that can be done to an answer, in any combination; only what never ends is left out. */
const effects = fc
  .record({
    status: some(fc.integer({ min: 200, max: 599 })),
    body: some(fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 3 }))),
    headers: some(fc.dictionary(fc.constantFrom("x-a", "ETag", "Date", "Content-Length", "Vary"), fc.constant("1"))),
    retryAfter: some(fc.oneof(fc.nat(), fc.constant("soon"))),
    latencyMs: some(fc.oneof(fc.nat(1000), fc.constant({ min: 1, max: 1000 }))),
    reset: some(fc.constant(true as const)),
    empty: some(fc.constant(true as const)),
    truncateAt: some(fc.nat(3000)),
    corrupt: some(fc.oneof(fc.constant(true as const), fc.integer({ min: 1, max: 1000 }))),
    bytesPerSecond: some(fc.integer({ min: 100_000, max: 1_000_000 })),
    malformedJson: some(fc.constant(true as const)),
    contentType: some(fc.constantFrom("text/html", "nonsense", "application/json")),
    wrongLength: some(fc.oneof(fc.constant(true as const), fc.integer({ min: -100, max: -1 }))),
    redirect: some(fc.constantFrom(true as const, "loop", "http://127.0.0.1:1/")),
    patch: some(fc.jsonValue({ maxDepth: 3 })),
    dateSkewMs: some(fc.integer({ min: -1e12, max: 1e12 })),
  })
  .filter((value) => faultSchema.safeParse({ do: value }).success);

describe("faults of any kind", () => {
  it("leave the emulator standing, and every call in the journal with their name", async () => {
    const emulator = await running({ world: smallWorld() });
    emulator.clock.set({ mode: "real", speed: 10_000 });
    const paths = ["/v3/vendor/org_a/1/rt_ad/screen_a", "/creatives/ad-bakery.png", "/pop/none", "/nowhere"] as const;

    await fc.assert(
      fc.asyncProperty(effects, fc.constantFrom(...paths), async (written, path) => {
        emulator.setFaults([{ name: "any", do: written } as FaultFile]);
        const origin = path.startsWith("/v3") ? emulator.baseUrl : emulator.mediaUrl;
        await exchange(origin, path);
        expect((await ask(emulator.controlUrl, "/control/health")).status).toBe(200);
        expect(emulator.calls().at(-2)).toMatchObject({ path, fault: "any" });
      }),
      { numRuns: 150 },
    );
  });
});
