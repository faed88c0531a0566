import { describe, expect, it } from "vitest";
import { ask, nextSpot, pathIn, running } from "../running.ts";

/** What the journal says about the newest call on the service or the media listener. */
async function missed(origin: "baseUrl" | "mediaUrl", path: string, method = "GET") {
  const emulator = await running();
  await ask(emulator[origin], path, { method });
  return emulator.calls().at(-1)?.nearMiss;
}

describe("the near miss of a call", () => {
  it.each([
    ["/v2/vendor/org_demo/1/rt_ad/screen_demo", "/v3/vendor/{org_token}/1/rt_ad/{screen_id}"],
    ["/v3/vendor/org_demo/2/rt_ad/screen_demo", "/v3/vendor/{org_token}/1/rt_ad/{screen_id}"],
    ["/vendor/org_demo/location", "/vendor/{org_token}/locations"],
    ["/vendor/org_demo/venue-types", "/vendor/{org_token}/venue_types"],
    ["/vendor/org_demo/cars/car_cinema/rejected", "/vendor/{org_token}/cars/{car_id}/reject"],
  ])("of %s is %s", async (path, nearest) => {
    expect(await missed("baseUrl", path)).toBe(`there is nothing at this path; nearest is ${nearest}`);
  });

  it.each([
    ["/v3/vendor/org_demo/1/rt_ad/Screen-demo", "nearest is screen_demo"],
    ["/v3/vendor/org_dmeo/1/rt_ad/screen_demo", "nearest is org_demo"],
    ["/vendor/org_demo/locations/loc_harbor", "nearest is loc_harbour"],
    ["/vendor/org_demo/cars/car_cofee", "nearest is car_coffee"],
  ])("of %s names what is there", async (path, nearest) => {
    expect(await missed("baseUrl", path)).toContain(nearest);
  });

  it("guesses nothing where nothing is near", async () => {
    expect(await missed("baseUrl", "/favicon.ico")).toBe("there is nothing at this path");
  });

  it("of an altered proof-of-play URL is where it was altered", async () => {
    const emulator = await running();
    const pop = pathIn((await nextSpot(emulator)).news.pop);
    await ask(emulator.mediaUrl, `${pop}&x`);
    const longer = emulator.calls().at(-1)?.nearMiss;
    await ask(emulator.mediaUrl, `${pop.slice(0, 15)}!${pop.slice(16)}`);
    const changed = emulator.calls().at(-1)?.nearMiss;

    expect(longer).toContain(`it departs from ${pop} at character ${pop.length + 1}: nothing more was given out`);
    expect(changed).toContain(`it departs from ${pop} at character 16: "${pop.slice(15, 27)}" was given out`);
  });

  it("of a proof that is sent by another method, or with a slash at its end, is in the journal as a proof's", async () => {
    const emulator = await running();
    const pop = pathIn((await nextSpot(emulator)).news.pop);
    for (const method of ["POST", "HEAD"]) await ask(emulator.mediaUrl, pop, { method });
    await ask(emulator.mediaUrl, `${pop}/`);

    const [posted, headed, longer] = emulator.calls({ route: "pop" });
    expect([posted, headed]).toMatchObject(Array(2).fill({ status: 405, nearMiss: "this path takes GET only" }));
    expect(longer?.nearMiss).toContain("nothing more was given out");
  });

  it("is null for a call that was answered", async () => {
    const emulator = await running();
    await nextSpot(emulator);

    expect(emulator.calls().at(-1)?.nearMiss).toBeNull();
  });
});
