import { describe, expect, it } from "vitest";
import { ask, call, nextSpot, running } from "../running.ts";

async function scraped(controlUrl: string): Promise<string[]> {
  const reply = await ask(controlUrl, "/metrics");
  expect([reply.status, reply.headers["content-type"]]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
  return reply.body.toString("utf8").split("\n");
}

describe("the metrics of the emulator", () => {
  it("count calls, spots, proofs, faults and violations", async () => {
    const emulator = await running();
    const spot = await nextSpot(emulator);
    await nextSpot(emulator);
    await call(emulator, spot.news.pop);
    await ask(emulator.controlUrl, "/control/faults", { method: "POST", body: { do: { status: 503 } } });
    await ask(emulator.baseUrl, "/v3/vendor/org_demo/1/rt_ad/screen_demo");

    const lines = await scraped(emulator.controlUrl);

    expect(lines).toEqual(
      expect.arrayContaining([
        'spotloop_emulator_calls_total{listener="service",route="spot",status="200"} 2',
        'spotloop_emulator_calls_total{listener="service",route="spot",status="503"} 1',
        'spotloop_emulator_calls_total{listener="media",route="pop",status="200"} 1',
        expect.stringMatching(
          /^spotloop_emulator_answer_seconds_total\{listener="media",route="pop",status="200"\} \d/,
        ),
        'spotloop_emulator_faults_total{listener="service",route="spot",status="503"} 1',
        'spotloop_emulator_faults_total{listener="service",route="spot",status="200"} 0',
        'spotloop_emulator_spots{state="open"} 2',
        'spotloop_emulator_spots{state="lapsed"} 0',
        'spotloop_emulator_items{kind="ad"} 2',
        'spotloop_emulator_pops{kind="news",verdict="early"} 1',
        "spotloop_emulator_violations 1",
        "spotloop_emulator_faults_in_force 1",
      ]),
    );
  });

  it("are each emulator's own", async () => {
    const [one, other] = [await running(), await running()];
    await nextSpot(one);

    expect(await scraped(other.controlUrl)).toContain('spotloop_emulator_spots{state="open"} 0');
  });
});
