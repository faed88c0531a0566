import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../src/core/proofs/proof.ts";
import { openShared } from "../../../src/player/stores/database.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { tellTime } from "../../support/player/service-time.ts";
import { accepted, courierRun, HOUR, MINUTE, unreachable } from "./proofs.ts";

const ANSWERS: readonly Delivery[] = [
  accepted,
  unreachable,
  { kind: "refused", status: 410 },
  { kind: "doubtful", status: 404 },
  { kind: "unreachable", reason: "HTTP 503", retryAfterMs: 7 * MINUTE },
  { kind: "unreachable", reason: "HTTP 429", retryAfterMs: null },
];

/** What can happen, minute by minute. */
type Turn =
  | { readonly kind: "shown" }
  | { readonly kind: "crash" }
  | { readonly kind: "reboot"; readonly offMs: number }
  | { readonly kind: "jump"; readonly byMs: number }
  | { readonly kind: "store held up" }
  | { readonly kind: "nothing"; readonly minutes: number };

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: "shown" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "crash" } as const) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("reboot" as const), offMs: fc.integer({ min: 0, max: 2 * HOUR }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("jump" as const), byMs: fc.integer({ min: -1e12, max: 1e12 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "store held up" } as const) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("nothing" as const), minutes: fc.integer({ min: 1, max: 30 }) }),
  },
);

describe("the outbox, whatever happens and in whatever order", () => {
  it("ends each proof delivered, refused or expired, exactly one of them, and owes no other (G8 to G10)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 25 }),
        fc.array(fc.constantFrom(...ANSWERS), { minLength: 1, maxLength: 12 }),
        play,
      ),
      { numRuns: 40 },
    );
  });
});

async function play(turns: readonly Turn[], answers: readonly Delivery[]): Promise<void> {
  const folder = temporaryFolder();
  const clock = new ManualClock();
  // What the service's own clock has measured: whatever becomes of this machine's.
  let bootedAt = 0;
  const truth = () => bootedAt + clock.now();
  const shownAt = new Map<string, number>();
  const ended = new Map<string, string>();
  let tries = 0;
  let runs = 0;
  const begin = () => {
    const answer = (id: string) => {
      expect(ended.has(id), `${id} was sent after its end`).toBe(false);
      expect(truth() - (shownAt.get(id) ?? Number.NaN)).toBeLessThan(HOUR);
      return answers[tries++ % answers.length] ?? accepted;
    };
    const run = courierRun(folder, clock, answer, {
      runId: `run-${runs++}`,
      onSettled({ playoutId }, { kind }) {
        expect(ended.has(playoutId), `${playoutId} ended twice`).toBe(false);
        ended.set(playoutId, kind);
      },
    });
    tellTime(run.serviceClock, truth());
    run.courier.start();
    return run;
  };
  let run = begin();
  const end = () => {
    clock.crash();
    run.store.close();
  };
  for (const happening of turns) {
    switch (happening.kind) {
      case "shown": {
        const id = `p${shownAt.size}`;
        shownAt.set(id, truth());
        run.owe(id);
        break;
      }
      case "crash":
        // Between two of the courier's turns; in the middle of one there are real kills in test/chaos.
        await clock.settle();
        end();
        run = begin();
        break;
      case "reboot":
        await clock.settle();
        bootedAt = truth() + happening.offMs;
        end();
        clock.reboot(happening.offMs);
        run = begin();
        break;
      case "jump":
        clock.jumpWall(happening.byMs);
        break;
      case "store held up": {
        const other = openShared(join(folder, "proofs.db"));
        other.exec("begin immediate");
        await clock.advance(1);
        other.close();
        break;
      }
      case "nothing":
        await clock.advance(happening.minutes * MINUTE);
        break;
    }
    await clock.advance(1_000);
  }
  await clock.advance(HOUR + MINUTE);
  expect([...ended.keys()].sort()).toEqual([...shownAt.keys()].sort());
  const { oldestDeadline, ...counts } = run.store.counts();
  const kinds = [...ended.values()];
  const of = (kind: string) => kinds.filter((other) => other === kind).length;
  expect(counts).toEqual({ owed: 0, delivered: of("delivered"), refused: of("refused"), expired: of("expired") });
  expect(oldestDeadline).toBeNull();
  await run.courier.stop();
  run.store.close();
}
