import { expect, it } from "vitest";
import type { WorldFile } from "../../../src/emulator/world/schema.ts";
import { ask, running, smallWorld } from "../running.ts";

it("A14 counts a call that one limit refuses against no other one", async () => {
  const world: WorldFile = {
    ...smallWorld(),
    rateLimits: [
      { per: "token", calls: 2, seconds: 60 },
      { per: "screen", calls: 1, seconds: 60 },
    ],
  };
  const { baseUrl } = await running({ world });
  const statusOf = async (path: string) => (await ask(baseUrl, path)).status;
  const spot = "/v3/vendor/org_a/1/rt_ad/screen_a";

  const statuses = [await statusOf(spot), await statusOf(spot), await statusOf("/vendor/org_a/venue_types")];

  expect([...statuses, await statusOf("/vendor/org_a/venue_types")]).toEqual([200, 429, 200, 429]);
});
