import { expect as jestExpect } from "expect";
import { describe, it, onTestFinished, expect as vitestExpect } from "vitest";
import { type ProofMatchers, proofMatchers } from "../../../src/emulator/testing/proof-matchers.ts";
import { startEmulator } from "../../../src/emulator/testing/test-emulator.ts";
import { ask, json } from "../running.ts";

declare module "vitest" {
  interface Matchers<R> extends ProofMatchers<R> {}
}
declare module "expect" {
  interface Matchers<R> extends ProofMatchers<R> {}
}

vitestExpect.extend(proofMatchers);
jestExpect.extend(proofMatchers);

const MONDAY = { mode: "frozen", now: "2026-03-02T08:00:00Z" } as const;

/** An emulator whose screen has had a spot of one ad, ten seconds of its time ago. */
async function served() {
  const world = {
    clock: MONDAY,
    organizations: [
      {
        org_token: "org",
        locations: [{ location_id: "loc", title: "Foyer", status: "APPROVED" as const }],
        screens: [{ screen_id: "wall", title: "Wall", venue_type_id: "101", location_id: "loc" }],
      },
    ],
  };
  const emulator = await startEmulator({ world });
  onTestFinished(() => emulator.close());
  const serve = async () => {
    emulator.next([{ news: null, ad: "ad-bakery" }]);
    const { data } = json(await ask(emulator.baseUrl, "/v3/vendor/org/1/rt_ad/wall"));
    emulator.clock.advance(10_000);
    return data.ad.pop as string;
  };
  return { emulator, serve, pop: await serve() };
}

/** What an assertion complains about; an empty text where it does not. */
function complaint(assertion: () => void): string {
  try {
    assertion();
    return "";
  } catch (error) {
    return String(error);
  }
}

describe.each([
  ["Vitest", vitestExpect],
  ["Jest", jestExpect as unknown as typeof vitestExpect],
])("the matchers of proofs in %s", (_, expect) => {
  it("hold where an item was proved once", async () => {
    const { emulator, pop } = await served();
    await fetch(pop);

    expect(emulator).toHaveProved("ad-bakery");
    expect(emulator).toHaveCountedOnce("ad-bakery");
    expect(emulator).toHavePassedAudit();
    expect(emulator).not.toHaveProved("ad-coffee");
  });

  it("say what the ledger holds where there is no proof", async () => {
    const { emulator } = await served();

    const said = complaint(() => expect(emulator).toHaveProved("ad-bakery"));

    expect(said).toContain("expected the network to have a proof of ad-bakery");
    expect(said).toContain("a spot for wall, issued 2026-03-02T08:00:00.000Z, open");
    expect(said).toContain("news: none");
    expect(said).toContain("ad ad-bakery: no proof");
  });

  it("tell a proof from one that counted once", async () => {
    const { emulator, pop } = await served();
    await fetch(pop);
    await fetch(pop);

    expect(emulator).toHaveProved("ad-bakery");
    const said = complaint(() => expect(emulator).toHaveCountedOnce("ad-bakery"));
    expect(said).toContain("counted at 2026-03-02T08:00:10.000Z, answered 200; duplicate at 2026-03-02T08:00:10.000Z");
    expect(complaint(() => expect(emulator).toHavePassedAudit())).toContain("duplicate-after-success");
  });

  it("ask for a proof each time that an item was served", async () => {
    const { emulator, serve, pop } = await served();
    await fetch(pop);
    const second = await serve();
    expect(emulator).not.toHaveCountedOnce("ad-bakery");

    await fetch(second);

    expect(emulator).toHaveCountedOnce("ad-bakery");
  });

  it("tell of proofs that a fault has spoilt, and take none that came too late", async () => {
    const { emulator, pop } = await served();
    emulator.fault({ name: "down", match: { route: "pop" }, times: 1, do: { status: 503 } });
    await fetch(pop);
    emulator.clock.advance(3_600_000);
    await fetch(pop);

    const said = complaint(() => expect(emulator).toHaveProved("ad-bakery"));

    expect(said).toContain("late at 2026-03-02T09:00:10.000Z, answered 410; spoilt at");
    expect(said).toContain("by the fault down");
  });

  it("say what was not to be, too", async () => {
    const { emulator, pop } = await served();
    await fetch(pop);

    const said = complaint(() => expect(emulator).not.toHaveProved("ad-bakery"));
    expect(said).toContain("expected the network not to have a proof of ad-bakery");
    expect(complaint(() => expect(emulator).not.toHavePassedAudit())).toContain("to have found something");
  });

  it("say that nothing was asked for, and tell of the newest of many spots", async () => {
    const { emulator, serve } = await served();
    for (let count = 0; count < 30; count++) await serve();

    expect(complaint(() => expect(emulator).toHaveProved("x"))).toContain("11 older spots");
    emulator.reset();
    expect(complaint(() => expect(emulator).toHaveProved("x"))).toContain("no spot was asked for");
  });

  it("are asked of nothing but an emulator", () => {
    expect(() => expect({}).toHaveProved("ad-bakery")).toThrow("as in expect(emulator)");
  });
});
