import { describe, expect, it } from "vitest";
import { callAnswer } from "../../src/emulator/control/journal.ts";
import { demoWorld } from "../../src/emulator/world/demo.ts";
import { COMPLETE, SCREEN, vendor } from "./behaviour/venue.ts";
import { call, nextSpot, running } from "./running.ts";

/** A day in the life of a vendor: every answer, to the byte, and the journal, without what the ports and the machine add. */
async function aDay(seed: number) {
  const { control, emulator, get, post, spot } = await vendor({ seed });
  const answers: unknown[] = [];
  const keep = (answer: { status: number; headers: object; body: unknown }) => {
    answers.push(answer.status, answer.headers, answer.body);
  };
  for (let turn = 0; turn < 3; turn += 1) {
    keep(await post("/locations", { title: "Grand", ...COMPLETE }));
    keep(await control("POST", "/cars", {}));
    keep(await post("/screens", { ...SCREEN, screen_id: `screen_${turn}` }));
    keep(await post("/screens", { ...SCREEN, venue_type_id: "8" }));
    const { news, ad } = await spot();
    answers.push(news, ad);
    emulator.clock.advance(12_345);
    answers.push((await call(emulator, ad.pop)).status, (await call(emulator, `${news.pop}x`)).status);
  }
  keep(await get("/cars/car_pending"));
  keep(await post("/cars/car_pending/reject", { rejection_reasons: ["FILTER"] }));
  keep(await control("GET", "/locations"));
  keep(await control("GET", "/spots"));
  keep(await control("POST", "/locations/loc_review/approve"));
  const journal = emulator.calls().map((one) => ({ ...callAnswer(one), real_at: null, ms: null }));
  const written = JSON.stringify({ answers, journal }, null, 1);
  return written.replaceAll(emulator.mediaUrl, "MEDIA").replaceAll(emulator.baseUrl, "SERVICE");
}

describe("the same seed and the same calls on a frozen clock", () => {
  it("give identical answers and identical journals", async () => {
    expect(await aDay(7)).toBe(await aDay(7));
  });

  it("give each screen the same spots in whatever order several screens ask", async () => {
    const spotsOf = async (order: readonly string[]) => {
      const emulator = await running({ world: demoWorld() });
      const spots = new Map<string, unknown[]>(order.map((screen) => [screen, []]));
      for (const screen of order) spots.get(screen)?.push(await nextSpot(emulator, "org_demo", screen));
      return JSON.stringify([...spots].sort()).replaceAll(emulator.mediaUrl, "MEDIA");
    };
    const [one, other] = (demoWorld().organizations[0]?.screens ?? []).map(({ screen_id }) => screen_id);
    if (one === undefined || other === undefined) throw new Error("the demo world has two screens");

    expect(await spotsOf([one, one, other])).toBe(await spotsOf([other, one, one]));
  });

  it("give others with another seed", async () => {
    expect(await aDay(7)).not.toBe(await aDay(8));
  });
});
