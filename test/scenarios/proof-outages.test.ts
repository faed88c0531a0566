import { describe, expect, it, onTestFinished } from "vitest";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { openScenario, type ScenarioChanges } from "../support/player/scenario.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What stands between an item and its proof: a fault of the network's, or of the way to it. */
interface Trouble extends ScenarioChanges {
  readonly faults?: readonly FaultFile["do"][];
}

const broken = (code: string): Trouble => ({
  meddle: (url) => {
    if (url.includes("/pop/")) throw Object.assign(new TypeError("fetch failed"), { cause: { code } });
  },
});

/** Passing ones: the same GET may succeed later (G8). */
const PASSING: Readonly<Record<string, Trouble>> = {
  "a network error": broken("ECONNREFUSED"),
  "a TLS error": broken("CERT_HAS_EXPIRED"),
  "a reset": { faults: [{ reset: true }] },
  "a service that hangs": { faults: [{ hang: true }], isHung: (url) => url.includes("/pop/") },
  "408": { faults: [{ status: 408 }] },
  "425": { faults: [{ status: 425 }] },
  "429 without Retry-After": { faults: [{ status: 429 }] },
  "429 with Retry-After in seconds": { faults: [{ retryAfter: 120 }] },
  "429 with Retry-After as a date": { faults: [{ retryAfter: "Thu, 01 Jan 2026 00:01:00 GMT" }] },
  "500": { faults: [{ status: 500 }] },
  "503 with Retry-After": { faults: [{ status: 503, retryAfter: 30 }] },
  "all of them in turn": {
    faults: [{ status: 500 }, { reset: true }, { status: 429 }, { status: 425 }, { retryAfter: 45 }, { status: 408 }],
  },
};

/** Final ones: 410, and any other answer once it came twice, a minute or more apart (G8). */
const FINAL: Readonly<Record<string, Trouble>> = {
  "400": { faults: [{ status: 400 }] },
  "404": { faults: [{ status: 404 }] },
  "410": { faults: [{ status: 410 }] },
  "a redirect that leads round in circles": { faults: [{ redirect: true }] },
};

/** How often something is done about four items that were shown one after the other. */
const ITEMS = 4;
/** Two spots are over by then. */
const SHOWN_MS = 10 * SECOND;
/** Coarser while nothing is on screen; finer than any wait between two tries. */
const STEP_MS = SECOND;

/** Two spots of two items each are shown while the way of their proofs is troubled for so long; then it is not. */
async function outage(trouble: Trouble, forMs: number) {
  let troubled = true;
  const meddle = (url: string) => (troubled ? trouble.meddle?.(url) : undefined);
  const isHung = (url: string) => troubled && trouble.isHung?.(url) === true;
  const scenario = await openScenario(temporaryFolder(), { ...trouble, meddle, isHung });
  onTestFinished(() => scenario.close());
  const { emulator } = scenario;
  const short = { id: "short", title: "short", mimeType: "image/png", width: 1, height: 1, duration: SECOND };
  const item = { ...short, url: "creatives/ad-bakery.png" };
  emulator.next(
    emulator.screenId,
    [item, item].map((news) => ({ news, ad: item })),
  );
  const noMore: FaultFile = { match: { surface: "service", route: "spot" }, skip: 2, do: { empty: true } };
  emulator.setFaults([...popFaults(trouble.faults ?? []), noMore]);
  await scenario.pass(Math.min(SHOWN_MS, forMs));
  await scenario.pass(forMs - SHOWN_MS, STEP_MS);
  troubled = false;
  emulator.setFaults([{ ...noMore, skip: 0 }]);
  await scenario.pass(2 * MINUTE, STEP_MS);
  const verdicts = emulator
    .spots()
    .flatMap(({ news, ad }) => [news, ad])
    .flatMap((of) => of?.pops.map(({ verdict }) => verdict) ?? []);
  const odd = emulator.audit().filter(({ violation }) => NEVER.includes(violation));
  return { ...scenario.player().proofs.counts(), verdicts, odd };
}

/** The first of several strikes half of the time, and so on; the last whenever none before it did. */
function popFaults(faults: readonly FaultFile["do"][]): FaultFile[] {
  const match = { surface: "media", route: "pop" } as const;
  return faults.map((faultAction, index) => ({
    match,
    do: faultAction,
    probability: index === faults.length - 1 ? 1 : 0.5,
  }));
}

/** What no outage excuses; a proof whose first try failed may well come after that of the next item. */
const NEVER: readonly string[] = ["early-pop", "late-pop", "duplicate-after-success", "altered-pop"];

const counted = Array.from({ length: ITEMS }, () => "counted");
const settled = { owed: 0, delivered: 0, refused: 0, expired: 0, oldestDeadline: null, odd: [] };

describe("proofs in an outage", () => {
  describe.each(Object.entries(PASSING))("by %s", (_, trouble) => {
    it.each([
      ["5 s", 5 * SECOND],
      ["59 min", 59 * MINUTE],
    ])("of %s are all delivered, each once (G8, G10)", async (_length, forMs) => {
      expect(await outage(trouble, forMs)).toEqual({ ...settled, delivered: ITEMS, verdicts: counted });
    });

    it("of 61 min expire, and none is sent late (G9)", async () => {
      expect(await outage(trouble, 61 * MINUTE)).toEqual({ ...settled, expired: ITEMS, verdicts: [] });
    });
  });

  it.each(Object.entries(FINAL))("are refused for good by %s, and not sent again (G8)", async (_, trouble) => {
    expect(await outage(trouble, 2 * MINUTE)).toEqual({ ...settled, refused: ITEMS, verdicts: [] });
  });

  it.each(["400", "404", "a redirect that leads round in circles"])("are not refused by 40 s of %s", async (name) => {
    expect(await outage(FINAL[name] ?? {}, 40 * SECOND)).toEqual({ ...settled, delivered: ITEMS, verdicts: counted });
  });

  it("are delivered by a 200 whose body breaks off: the status is the answer (A2, G8)", async () => {
    const trouble = { faults: [{ truncateAt: 1 }] };
    expect(await outage(trouble, 20 * SECOND)).toEqual({ ...settled, delivered: ITEMS, verdicts: counted });
  });
});
