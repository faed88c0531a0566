import { describe, expect, it } from "vitest";
import type { Emulator } from "../../../src/emulator/main.ts";
import { ask, call, json, nextSpot, running, smallWorld } from "../running.ts";

const ITEM = { id: "i", title: "I", mimeType: "image/png", width: 960, height: 720, duration: 15_000 };
const SPOT = { news: null, ad: { ...ITEM, url: "creatives/ad-bakery.png" } };

/** Two organizations, each with a screen `screen_a`. */
async function twins(): Promise<Emulator> {
  const [one] = smallWorld().organizations;
  if (one === undefined) throw new Error("the small world is empty");
  return running({ world: { ...smallWorld(), organizations: [one, { ...one, org_token: "org_twin" }] } });
}

/** Each twin gets a spot, and both are proved when it is over. */
async function playBoth(emulator: Emulator): Promise<void> {
  const spots = [await nextSpot(emulator, "org_a", "screen_a"), await nextSpot(emulator, "org_twin", "screen_a")];
  emulator.clock.advance(15_000);
  for (const { ad } of spots) await call(emulator, ad.pop);
}

describe("screens of two organizations with one id", () => {
  it("are each told what is next by ?org_token=", async () => {
    const emulator = await twins();
    const path = "/control/screens/screen_a/next?org_token=org_twin";

    const planned = await ask(emulator.controlUrl, path, { method: "POST", body: { spots: [{ ad: "ad-cycling" }] } });

    expect([planned.status, json(planned)]).toEqual([200, { waiting: 1 }]);
    expect((await nextSpot(emulator, "org_a", "screen_a")).ad.id).toBe("ad-coffee");
    expect((await nextSpot(emulator, "org_twin", "screen_a")).ad.id).toBe("ad-cycling");
  });

  it("have their own spots in the ledger and calls in the journal", async () => {
    const emulator = await twins();
    await playBoth(emulator);

    const spots = json(await ask(emulator.controlUrl, "/control/spots?screen_id=screen_a&org_token=org_twin"));
    const calls = json(await ask(emulator.controlUrl, "/control/journal?screen_id=screen_a&org_token=org_twin"));

    expect(spots.map((spot: { org_token: string }) => spot.org_token)).toEqual(["org_twin"]);
    expect(calls.map((entry: { route: string }) => entry.route)).toEqual(["spot", "pop"]);
    expect(emulator.spots("screen_a")).toHaveLength(2);
  });

  it("take nothing from each other's time: two honest players draw no complaint", async () => {
    const emulator = await twins();
    for (const orgToken of ["org_a", "org_twin"]) emulator.next("screen_a", Array(240).fill(SPOT), orgToken);
    for (let turn = 0; turn < 240; turn += 1) await playBoth(emulator);

    expect(emulator.audit()).toEqual([]);
  });

  it("are told apart by the auditor", async () => {
    const emulator = await twins();
    for (const orgToken of ["org_a", "org_twin"]) emulator.next("screen_a", [SPOT], orgToken);
    await nextSpot(emulator, "org_a", "screen_a");
    const { ad } = await nextSpot(emulator, "org_twin", "screen_a");
    await call(emulator, ad.pop);

    expect(emulator.audit()).toMatchObject([
      { violation: "early-pop", org_token: "org_twin", screen_id: "screen_a", kind: "ad" },
    ]);
  });

  it("are struck by a fault each alone", async () => {
    const emulator = await twins();
    emulator.setFaults([{ match: { org_token: "org_twin", screen_id: "screen_a" }, do: { status: 503 } }]);

    await nextSpot(emulator, "org_a", "screen_a");
    await expect(nextSpot(emulator, "org_twin", "screen_a")).rejects.toThrow("503");
    expect(emulator.calls({ orgToken: "org_twin" })).toMatchObject([{ status: 503, screenId: "screen_a" }]);
  });
});
