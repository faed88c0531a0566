import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { endedPlayout } from "../player/record/ended.ts";
import { recordingIn } from "../player/record/recording.ts";
import { ManualClock } from "../support/player/manual-clock.ts";
import type { Comparison, Line } from "./line.ts";
import { benchFolder } from "./proofs/store.ts";

const HOUR_MS = 3_600_000;
/** Ten seconds each. */
const ROWS_PER_HOUR = 360;
const ROWS_PER_DAY = 24 * ROWS_PER_HOUR;
/** The first whole day of every record. */
const DAY = ["2026-01-02", "2026-01-03"] as const;
const BEGUN_AT = Date.UTC(2026, 0, 1);

/** What a command took. */
interface Usage {
  readonly seconds: number;
  /** The most memory that it had resident. */
  readonly mostMb: number;
}

/** A record of a million rows with a checkpoint an hour: a day of it exported, all of it verified; beside one of two days. */
export const record: Line = {
  name: "record",
  async run({ quick, signal, progress }) {
    const [rounds, rows] = quick ? [1, 3 * ROWS_PER_DAY] : [3, 1_000_000];
    const records = { spotloop: await recorded(rows, progress, signal), other: await recorded(2 * ROWS_PER_DAY) };
    const found: Record<keyof typeof COMMANDS, { spotloop: Usage[]; other: Usage[] }> = {
      csv: { spotloop: [], other: [] },
      jsonl: { spotloop: [], other: [] },
      verify: { spotloop: [], other: [] },
    };
    try {
      for (let round = 1; round <= rounds; round++) {
        for (const [name, args] of Object.entries(COMMANDS) as [keyof typeof COMMANDS, readonly string[]][]) {
          for (const which of ["spotloop", "other"] as const) {
            progress(`round ${round} of ${rounds}: ${name}`);
            signal.throwIfAborted();
            found[name][which].push(await usageOf([...args, "--data-dir", records[which].path]));
          }
        }
      }
    } finally {
      for (const folder of Object.values(records)) folder.remove();
    }
    const pair = (
      what: string,
      unit: string,
      digits: number,
      name: keyof typeof COMMANDS,
      of: (usage: Usage) => number,
    ) =>
      ({
        ...{ what, unit, digits, as: "pair" },
        ...{ spotloop: found[name].spotloop.map(of), other: found[name].other.map(of) },
      }) satisfies Comparison;
    const [seconds, memory] = [({ seconds }: Usage) => seconds, ({ mostMb }: Usage) => mostMb];
    return {
      title: `Playout record: ${rows} rows, a checkpoint an hour, rounds: ${rounds}`,
      subject: `${rows.toLocaleString("en-US")} rows`,
      beside: `${(2 * ROWS_PER_DAY).toLocaleString("en-US")} rows`,
      rows: [
        pair("a day of it as CSV", "s", 2, "csv", seconds),
        pair("a day of it as CSV: memory", "MB", 0, "csv", memory),
        pair("a day of it as JSON lines that can be verified", "s", 2, "jsonl", seconds),
        pair("a day of it as JSON lines: memory", "MB", 0, "jsonl", memory),
        pair("all of it verified", "s", 1, "verify", seconds),
        pair("all of it verified: memory", "MB", 0, "verify", memory),
      ],
    };
  },
};

const SPAN = ["--from", DAY[0], "--to", DAY[1]];
const COMMANDS = {
  csv: ["export", "--format", "csv", ...SPAN],
  jsonl: ["export", "--format", "jsonl", ...SPAN],
  verify: ["verify"],
} as const;

/** A folder with a record of so many rows as the player writes and signs it, hour by hour. */
async function recorded(rows: number, progress = (_text: string) => {}, signal?: AbortSignal) {
  const folder = benchFolder();
  const clock = new ManualClock(BEGUN_AT);
  const { store, serviceClock, checkpoints, file } = recordingIn(folder.path, {
    clock,
    limits: { days: 400, maxBytes: 4 * 1024 ** 3 },
  });
  checkpoints.start();
  for (let written = 0; written < rows; written += ROWS_PER_HOUR) {
    signal?.throwIfAborted();
    if (written % (10 * ROWS_PER_DAY) === 0) progress(`row ${written} of ${rows}`);
    await clock.advance(HOUR_MS);
    const count = Math.min(ROWS_PER_HOUR, rows - written);
    const ended = Array.from({ length: count }, (_, nth) => {
      return endedPlayout(`${written + nth}`, clock.now() - (count - nth - 1) * (HOUR_MS / ROWS_PER_HOUR));
    });
    store.append(ended, serviceClock.read());
  }
  await checkpoints.stop();
  file.close();
  return folder;
}

/** Runs `spotloop record` to its end. */
async function usageOf(args: readonly string[]): Promise<Usage> {
  const startedAt = performance.now();
  const command = spawn(process.execPath, [join(ROOT, "dist/cli/main.js"), "record", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  let mostMb = 0;
  const look = setInterval(() => {
    mostMb = Math.max(mostMb, mostMemoryMb(command.pid ?? 0));
  }, LOOK_MS);
  const code = await new Promise((resolve) => command.once("exit", resolve));
  clearInterval(look);
  if (code !== 0) throw new Error(`record ${args.join(" ")} ended with ${code}`);
  return { seconds: (performance.now() - startedAt) / 1000, mostMb };
}

const LOOK_MS = 20;

/** proc(5), status: the peak of what is resident; 0 where the process has ended. */
function mostMemoryMb(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}
