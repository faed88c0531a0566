import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../bench/statistics.ts";
import { treeUsage } from "../support/machine/tree-usage.ts";
import { type FleetNetwork, ITEM_MS, ORG_TOKEN, startNetwork } from "./network.ts";

/** What a network of simulated screens is to do. */
export interface ScreensRun {
  readonly screens: number;
  readonly minutes: number;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** How an emulator got on under screens that ask at their own pace. */
export interface ScreensResult {
  readonly screens: number;
  readonly seconds: number;
  readonly spots: number;
  readonly proofs: number;
  /** Requests that were not answered as they should be, by what came instead. */
  readonly failed: Readonly<Record<string, number>>;
  /** Requests that began more than a second after their turn: the screens could not keep their pace. */
  readonly late: number;
  /** Milliseconds from the connection to the end of the answer. */
  readonly spotMs: { readonly p50: number; readonly p99: number; readonly most: number };
  /** Question and answer with their heads, without what TCP and TLS add. */
  readonly bytesPerSpot: number;
  readonly bytesPerProof: number;
  /** Of the emulator: of one core, and all that it takes. */
  readonly processorShare: number;
  readonly memoryBytes: number;
}

/** Two items of a spot, and what a screen does in their time: it asks once and proves twice. */
const SLOT_MS = 2 * ITEM_MS;
const LATE_MS = 1_000;
const ANSWERED_WITHIN_MS = 10_000;
/** Loopback has many addresses: with one alone, connections that have ended would use up its ports. */
const ADDRESSES = 100;
/** An answer is a few kilobytes. */
const LARGEST_ANSWER_BYTES = 1024 * 1024;

/** Lets so many screens ask for spots and prove them, each on a connection of its own as in the field, in true time. */
export async function runScreens(run: ScreensRun): Promise<ScreensResult> {
  const { screens, minutes, folder, signal, progress } = run;
  const placed = Array.from({ length: screens }, (_, index) => ({ screenId: `s${index}`, place: "open" as const }));
  const network = await startNetwork(folder, placed, { speed: 1, startedAt: Date.now() });
  try {
    const load = new Load(network, signal);
    const before = treeUsage(network.pid).cpuSeconds;
    const startedAt = performance.now();
    const endsAt = startedAt + minutes * 60_000;
    const lives = placed.map(({ screenId }, index) => {
      return load.live(screenId, startedAt + (index * SLOT_MS) / screens, endsAt);
    });
    const report = setInterval(() => progress(`${load.spots} spots, ${load.proofs} proofs`), 1_000);
    await Promise.all(lives).finally(() => clearInterval(report));
    const seconds = (performance.now() - startedAt) / 1_000;
    const { cpuSeconds, pssBytes } = treeUsage(network.pid);
    const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(load.spotMs, share)) as [number, number, number];
    const { spots, proofs, late } = load;
    return {
      ...{ screens, seconds, spots, proofs, late, spotMs: { p50, p99, most } },
      failed: Object.fromEntries(load.failed),
      bytesPerSpot: load.spotBytes / spots,
      bytesPerProof: load.proofBytes / proofs,
      processorShare: (cpuSeconds - before) / seconds,
      memoryBytes: pssBytes,
    };
  } finally {
    await network.stop();
  }
}

/** The screens, and what they count together. */
class Load {
  spots = 0;
  proofs = 0;
  late = 0;
  spotBytes = 0;
  proofBytes = 0;
  readonly spotMs: number[] = [];
  readonly failed = new Map<string, number>();
  readonly #network: FleetNetwork;
  readonly #signal: AbortSignal;
  #connections = 0;

  constructor(network: FleetNetwork, signal: AbortSignal) {
    this.#network = network;
    this.#signal = signal;
  }

  /** One screen, from its first turn on: each spot's items are proved when they have had their time. */
  async live(screenId: string, firstAt: number, endsAt: number): Promise<void> {
    const path = `/v3/vendor/${ORG_TOKEN}/1/rt_ad/${screenId}`;
    for (let turn = firstAt; turn + SLOT_MS < endsAt; turn += SLOT_MS) {
      await this.#until(turn);
      const began = performance.now();
      const spot = await this.#get(this.#network.baseUrl + path);
      if (spot === null) continue;
      this.spots += 1;
      this.spotBytes += spot.sizeBytes;
      this.spotMs.push(performance.now() - began);
      const pops = [...spot.text.matchAll(/"pop":"([^"]+)"/g)].map(([, pop = ""]) => pop);
      for (const [index, pop] of pops.entries()) {
        await this.#until(began + (index + 1) * ITEM_MS);
        const proof = await this.#get(pop);
        if (proof === null) continue;
        this.proofs += 1;
        this.proofBytes += proof.sizeBytes;
      }
    }
  }

  async #until(at: number): Promise<void> {
    this.#signal.throwIfAborted();
    const leftMs = at - performance.now();
    if (leftMs > 0) await sleep(leftMs, undefined, { signal: this.#signal });
    else if (leftMs < -LATE_MS) this.late += 1;
  }

  /** The whole answer, and the bytes of it and its question; null and counted where it was no success. */
  async #get(url: string): Promise<{ readonly text: string; readonly sizeBytes: number } | null> {
    const localAddress = `127.0.1.${1 + (this.#connections++ % ADDRESSES)}`;
    const { host, pathname, search } = new URL(url);
    const question = `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: spotloop\r\nconnection: close\r\n\r\n`;
    const text = await answerTo(url, question, localAddress).catch(
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    );
    if (/^HTTP\/1\.1 20\d /.test(text)) return { text, sizeBytes: question.length + text.length };
    const what = text.slice(0, 16).split("\r")[0] ?? "";
    this.failed.set(what, (this.failed.get(what) ?? 0) + 1);
    return null;
  }
}

/** Not `fetch`, which takes several times the processor that answering takes, so that its own limits would be measured. */
function answerTo(url: string, question: string, localAddress: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    socket.setTimeout(ANSWERED_WITHIN_MS, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > LARGEST_ANSWER_BYTES) socket.destroy(new Error("too long"));
    });
    socket.once("error", reject);
    socket.once("end", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.write(question);
  });
}
