import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startEmulator, type TestEmulatorOptions } from "../../../src/emulator/testing/test-emulator.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ask, json, nextSpot, smallWorld } from "../running.ts";

async function started(options: TestEmulatorOptions = {}) {
  const emulator = await startEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

async function spotFor({ baseUrl, orgToken, screenId }: Awaited<ReturnType<typeof started>>) {
  return json(await ask(baseUrl, `/v3/vendor/${orgToken}/1/rt_ad/${screenId}`)).data;
}

describe("an emulator in a test", () => {
  it("listens on this machine alone, and tells whom to ask for", async () => {
    const emulator = await started();

    for (const url of [emulator.baseUrl, emulator.mediaUrl, emulator.controlUrl]) {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    }
    expect((await spotFor(emulator)).ad.id).toMatch(/^ad-/);
  });

  it("serves the same each time that a test is run", async () => {
    const [one, two] = [await spotFor(await started()), await spotFor(await started())];

    expect(two.requestId).toBe(one.requestId);
  });

  it("serves what it is told to, and keeps a ledger of it", async () => {
    const emulator = await started();
    emulator.next([{ news: null, ad: "ad-bakery" }]);

    const spot = await spotFor(emulator);
    await fetch(spot.ad.pop);

    const [entry] = emulator.ledger();
    expect(entry).toMatchObject({ news: null, ad: { id: "ad-bakery", pops: [{ verdict: "early" }] } });
    expect(emulator.calls({ route: "pop" })).toHaveLength(1);
    expect(emulator.audit()).toMatchObject([{ violation: "early-pop" }]);
  });

  it("has a clock that tests move", async () => {
    const emulator = await started();
    const spot = await spotFor(emulator);

    emulator.clock.advance(3_600_001);

    expect((await fetch(spot.ad.pop)).status).toBe(410);
  });

  it("approves a pending CAR, and a location in review", async () => {
    const emulator = await started({ world: smallWorld({ status: "REVIEW" }) });
    await emulator.approve("loc_a");
    const demo = await started();
    await demo.approve("car_cinema");

    expect(json(await ask(emulator.baseUrl, "/vendor/org_a/locations/loc_a")).status).toBe("APPROVED");
    expect(json(await ask(demo.baseUrl, "/vendor/org_demo/cars/car_cinema")).status).toBe("approved");
  });

  it("lets things go wrong until they are to be well again", async () => {
    const emulator = await started();
    emulator.fault({ match: { route: "spot" }, times: 1, do: { status: 502 } });
    emulator.fault("maintenance");
    const path = `/v3/vendor/${emulator.orgToken}/1/rt_ad/${emulator.screenId}`;
    const statuses = [await ask(emulator.baseUrl, path), await ask(emulator.baseUrl, path)];
    emulator.clearFaults();

    expect([...statuses, await ask(emulator.baseUrl, path)].map(({ status }) => status)).toEqual([502, 503, 200]);
  });

  it("takes no more faults than there may be", async () => {
    const emulator = await started();
    const fill = () => {
      for (let count = 0; count <= 100; count++) emulator.fault("offline");
    };
    expect(fill).toThrow("at most 100 faults");
  });

  it("begins anew between two tests", async () => {
    const emulator = await started();
    const { requestId } = await spotFor(emulator);
    emulator.fault("offline");

    emulator.reset();

    expect(emulator.ledger()).toEqual([]);
    expect((await spotFor(emulator)).requestId).toBe(requestId);
  });

  it("names the screen that it has after a reset, too, which may be another than in its data file", async () => {
    const data = join(temporaryFolder(), "state.db");
    await (await startEmulator({ data })).close();
    const emulator = await started({ data, world: smallWorld() });
    const before = [emulator.orgToken, emulator.screenId];

    emulator.reset();
    emulator.next([{ news: null, ad: "ad-bakery" }]);

    expect([before, [emulator.orgToken, emulator.screenId]]).toEqual([
      ["org_demo", "screen_demo"],
      ["org_a", "screen_a"],
    ]);
    expect((await spotFor(emulator)).ad.id).toBe("ad-bakery");
  });

  it("says what a test has asked of it in vain", async () => {
    const emulator = await started();

    expect(() => emulator.next([{ ad: "ad-cofee" }])).toThrow("spots[0].ad: there is no creative ad-cofee");
    expect(() => emulator.next([], { screenId: "screen_x" })).toThrow("the network has no screen screen_x");
    expect(() => emulator.next([{ newsFrist: true }] as never)).toThrow(/^what comes next: spots\[0\]: .*"newsFrist"/);
    expect(() => emulator.next("ad-coffee" as never)).toThrow("what comes next: spots: Invalid input");
    expect(emulator.ledger()).toEqual([]);
    expect(() => emulator.fault("ofline" as "offline")).toThrow("must be one of flaky-lte");
    await expect(emulator.approve("car_x")).rejects.toThrow("the network has no CAR and no location car_x");
    await expect(emulator.approve("car_coffee")).rejects.toThrow("car_coffee cannot be approved");
    await expect(startEmulator({ world: { organizations: [], news: [] } })).rejects.toThrow("organizations");
  });

  it("asks whose is meant where several organizations use an id", async () => {
    const [first, second] = smallWorld().organizations;
    const world = { ...smallWorld(), organizations: [first, { ...first, org_token: "org_b" }] as never };
    const emulator = await started({ world });

    emulator.next([{ news: null }]);
    expect(second?.org_token).toBe("org_b");
    expect(() => emulator.next([], { screenId: "screen_a" })).toThrow("several organizations have a screen screen_a");
    emulator.next([], { screenId: "screen_a", orgToken: "org_b" });
    expect(emulator.ledger({ screenId: "screen_a", orgToken: "org_b" })).toEqual([]);
  });

  it("is gone at the end of the block that uses it, and can be closed twice", async () => {
    let url = "";
    {
      await using emulator = await startEmulator();
      url = emulator.baseUrl;
      await nextSpot(emulator as never);
      await emulator.close();
    }
    await expect(fetch(url)).rejects.toThrow();
  });
});
