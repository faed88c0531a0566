import { describe, expect, it } from "vitest";
import { BLOCKS } from "../../../scripts/figures/blocks.ts";
import type { Figures } from "../../fleet/monitoring/figures.ts";
import type { FleetResult } from "../../fleet/run.ts";
import type { ScreensResult } from "../../fleet/screens.ts";
import { aRun } from "./a-run.ts";

const figures: Figures = {
  ...{ players: 50, seenPlayers: 981, minutes: 20, scrapedShare: 1, callsPerHour: { spot: 240, proof: 376 } },
  ...{ failedCalls: 0, seriesPerPlayer: 110, bytesPerScrape: 11_523, pushedBytesPerMinute: 4_653, pushesPerMinute: 3 },
  ...{ serverMemoryBytes: 281e6, serverSeries: 106_931, serverProcessorShare: 0.029, agentMemoryBytes: 22e6 },
  ...{ bytesPerSample: 7.9, samplesInBlock: 1 },
};
const cause = { name: "dark", what: "no frame comes", alert: "ScreenDark", dueMinutes: 15, breakDown: async () => {} };
const outcome = { cause, firedAfter: 16.06, toldAfter: null, silenced: ["NothingProved"], besides: [], complaints: [] };
const fleet: FleetResult & { readonly speed: number } = {
  ...{ figures, outcomes: [outcome], falseAlarms: ["one of well-02"], wellPlayers: 33, watchedMinutes: 779, speed: 24 },
};
const screens: ScreensResult = {
  ...{ screens: 10_000, seconds: 180, spots: 110_000, proofs: 220_000, failed: { "status 500": 2 }, late: 0 },
  ...{ spotMs: { p50: 0.5, p99: 15.6, most: 101 }, bytesPerSpot: 901, bytesPerProof: 271 },
  ...{ processorShare: 0.17, memoryBytes: 566e6 },
};
const kept = {
  fleet: aRun("fleet", fleet),
  "fleet-copies": aRun("fleet-copies", fleet),
  "fleet-screens": aRun("fleet-screens", screens),
};
const made = (name: string) => BLOCKS[name]?.text(kept) ?? "";

describe("the figures of a fleet", () => {
  it("say of each breakdown which alert fired and when somebody was told", () => {
    expect(made("fleet")).toContain("| `ScreenDark` | no frame comes | 15 | 16.1 |  | `NothingProved` | yes |");
    expect(made("fleet")).toContain("33 players were well for 779 minutes of theirs: 1 alerts (goal 0: **missed**).");
  });

  it("say what players that are well cost", () => {
    expect(made("fleet-copies")).toContain(
      "| Requests of a player in an hour, media included; failed in all | 616; 0 |  |",
    );
    expect(made("fleet-copies")).toContain("| The server with 106,931 series | 281 MB, 2.9 % of a core |  |");
  });

  it("say how an emulator got on under simulated screens", () => {
    expect(made("fleet-screens")).toContain("| Requests a second | 1,833 |  |");
    expect(made("fleet-screens")).toContain("| Failed | 2 | 0: **missed** |");
    expect(made("fleet-screens")).toContain("| The same, p99 | 15.6 ms | 20 ms: met |");
  });
});

describe("the sizes of a fleet", () => {
  it("are of one player what was measured", () => {
    expect(made("fleet-one")).toContain("| Spots and proofs on the line | 250 MB a month,");
    expect(made("fleet-one")).toContain("| A scrape | 12,000 bytes every 30 s, on loopback |");
    expect(made("fleet-one")).toContain(
      "| Pushed by its agent | 4,700 bytes a minute in 3 requests, compressed, without their heads: 200 MB a month |",
    );
  });

  it("are of many what follows from it, with the two digits that count", () => {
    const many = made("fleet-many");
    expect(many).toContain("| Screens | 10 | 1,000 | 100,000 |");
    expect(many).toContain("| Spots a second | 0.7 | 67 | 6,700 |");
    expect(many).toContain(
      "| Spots and proofs on the service's line, both ways | 7.7 kbit/s | 770 kbit/s | 77 Mbit/s |",
    );
    expect(many).toContain("| Series | 1,100 | 110,000 | 11,000,000 |");
    expect(many).toContain("| Disk for 15 days, Prometheus' own default, at most | 380 MB | 38 GB | 3.8 TB |");
  });
});
