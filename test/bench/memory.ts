import { setTimeout as sleep } from "node:timers/promises";
import type { WholeItem } from "../../src/emulator/spot/planned.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { treeUsage } from "../support/machine/tree-usage.ts";
import { openRig, type Rig } from "../support/player/rig.ts";
import { playBareClip } from "./bare/window.ts";
import { type Clip, serveClip } from "./clip.ts";
import type { Bench, Comparison, Line } from "./line.ts";
import { median } from "./statistics.ts";

/** What a whole process tree used over a while. */
interface Usage {
  readonly medianMb: number;
  readonly mostMb: number;
  readonly cpuPercent: number;
  readonly processes: number;
}

/** Both have played this long before they are measured: two items, so that every deck has been made once. */
const WARM_UP_MS = 22_000;
const SAMPLE_MS = 500;
const SPOTS = 1_000;

/** Memory and processor time of all processes, playing one clip for a while. */
export const memory: Line = {
  name: "memory",
  async run(bench) {
    const [rounds, seconds] = bench.quick ? [1, 20] : [3, 60];
    const usages: { spotloop: Usage[]; bare: Usage[] } = { spotloop: [], bare: [] };
    for (let round = 1; round <= rounds; round++) {
      // Each goes first in turn: what the machine does meanwhile favours neither.
      for (const which of round % 2 === 1 ? (["spotloop", "bare"] as const) : (["bare", "spotloop"] as const)) {
        bench.progress(`round ${round} of ${rounds}: ${which}`);
        await bench.quiet.wait();
        usages[which].push(await usageOf(which, seconds * 1000, bench));
      }
    }
    const compare = (what: string, unit: string, digits: number, of: (usage: Usage) => number): Comparison => ({
      ...{ what, unit, digits, as: "ratio" },
      spotloop: usages.spotloop.map(of),
      other: usages.bare.map(of),
    });
    return {
      title: `Memory and processor: a 10 s clip, 1280x720 at 30 frames/s, for ${seconds} s, rounds: ${rounds}`,
      beside: "bare window",
      rows: [
        { ...compare("memory of all processes (PSS), median", "MB", 0, (usage) => usage.medianMb), goal: 1.15 },
        compare("memory of all processes (PSS), most", "MB", 0, (usage) => usage.mostMb),
        { ...compare("processor, of one core", "%", 1, (usage) => usage.cpuPercent), goal: 1.1 },
        { ...compare("processes", "", 0, (usage) => usage.processes), as: "pair" },
      ],
    };
  },
};

async function usageOf(which: "spotloop" | "bare", forMs: number, bench: Bench): Promise<Usage> {
  const rig = await openRig();
  const clip = await serveClip(rig.home);
  try {
    const player = which === "bare" ? playBareClip(rig, clip.path) : await playSpots(rig, clip);
    await sleep(WARM_UP_MS, undefined, { signal: bench.signal });
    if (which === "spotloop") await eventually("a proof", async () => (await rig.emulator.ledger())[0]?.news?.pops[0]);
    return await observe(player, forMs, bench.signal);
  } finally {
    await clip.close();
    await rig.close();
  }
}

async function playSpots(rig: Rig, { url, durationMs }: Clip): Promise<Running> {
  const item: WholeItem = {
    ...{ id: "clip", title: "clip", mimeType: "video/mp4", width: 1280, height: 720, newsType: "bench" },
    ...{ duration: durationMs, url },
  };
  await rig.emulator.next(Array.from({ length: SPOTS }, () => ({ news: item, ad: item })));
  return rig.play(["--config", rig.configure()]);
}

async function observe({ pid, stderr }: Running, forMs: number, signal: AbortSignal): Promise<Usage> {
  const startedAt = performance.now();
  const before = treeUsage(pid);
  const samples = [before];
  while (performance.now() - startedAt < forMs) {
    await sleep(SAMPLE_MS, undefined, { signal });
    samples.push(treeUsage(pid));
  }
  const after = treeUsage(pid);
  const tookS = (performance.now() - startedAt) / 1000;
  if (after.processes === 0) throw new Error(`it ended meanwhile: ${stderr.slice(-5).join("\n")}`);
  const megabytes = samples.map(({ pssBytes }) => pssBytes / 1e6);
  return {
    medianMb: median(megabytes),
    mostMb: Math.max(...megabytes),
    cpuPercent: ((after.cpuSeconds - before.cpuSeconds) / tookS) * 100,
    processes: median(samples.map(({ processes }) => processes)),
  };
}
