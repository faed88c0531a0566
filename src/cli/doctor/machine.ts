import { execFile } from "node:child_process";
import { z } from "zod";

/** What only Electron can tell about this machine. */
const machineSchema = z.object({
  /** In physical pixels, the primary one first. */
  displays: z.array(z.object({ name: z.string(), width: z.int().positive(), height: z.int().positive() })),
  /** Chromium's word for each feature, such as `{ "video_decode": "enabled" }`. */
  gpu: z.record(z.string(), z.string()),
  /** Whether what creatives come in can be played: `{ "H.264": true }`. */
  codecs: z.record(z.string(), z.boolean()),
});
export type Machine = z.infer<typeof machineSchema>;
export type Display = Machine["displays"][number];

/** Electron has started and answered by then, or it does not. */
const ANSWER_WITHIN_MS = 20_000;

/**
 * What the player's own Electron says about this machine; null where this is plain Node, and where there is no display to
 * ask about. Asked in a process of its own: this one must not turn into an application with windows.
 */
export async function askMachine(): Promise<Machine | null> {
  if (process.versions.electron === undefined) return null;
  const told = await outputOf(process.execPath, [...appArguments(), "machine"]);
  const line = told?.split("\n").find((text) => text.startsWith("{")) ?? "";
  return machineSchema.safeParse(parsed(line)).data ?? null;
}

/** From a clone Electron was told which folder is the application, and switches before it; packaged it knows. */
function appArguments(): readonly string[] {
  if (!("defaultApp" in process)) return [];
  return process.argv.slice(1, process.argv.findIndex((word, at) => at > 0 && !word.startsWith("-")) + 1);
}

/** The displays that X11 knows, the primary one first; none where it cannot be asked. */
export async function askXrandr(): Promise<readonly Display[]> {
  return displaysIn((await outputOf("xrandr", ["--current"])) ?? "");
}

/** The displays in what `xrandr` prints: `HDMI-1 connected primary 1920x1080+0+0 …`. */
export function displaysIn(text: string): readonly Display[] {
  const found = [...text.matchAll(/^(\S+) connected (primary )?(\d+)x(\d+)\+/gm)].map(
    ([, name = "", primary, width, height]) => ({ name, primary, width: Number(width), height: Number(height) }),
  );
  const ordered = [...found.filter(({ primary }) => primary), ...found.filter(({ primary }) => !primary)];
  return ordered.map(({ name, width, height }) => ({ name, width, height }));
}

function outputOf(program: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: ANSWER_WITHIN_MS, encoding: "utf8" }, (error, stdout) => {
      resolve(error === null ? stdout : null);
    });
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
