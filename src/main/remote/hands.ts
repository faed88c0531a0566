import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { desktopCapturer, screen } from "electron";
import { type GoodConfig, readConfig } from "../../player/config/config.ts";
import type { Overrides } from "../../player/remote/overrides.ts";
import type { Hands, Performance } from "../../player/remote/remote-desk.ts";
import { sourceOf } from "../boot/arguments.ts";
import { mayReboot, reboot } from "../boot/power.ts";
import { screenshotOf } from "../operator/health.ts";
import { EXIT } from "../recovery/supervisor.ts";
import type { StageWindow } from "../stage/stage-window.ts";

/** What commands act on. */
export interface HandsParts {
  readonly good: GoodConfig;
  /** The file that the player was started with, or null. */
  readonly given: string | null;
  readonly stages: readonly StageWindow[];
  readonly overrides: Overrides;
  /** Ends the player in good order with an exit code. */
  readonly end: (code: number) => void;
  /** Runs a command of the command line in a process of its own; resolves with its exit code. */
  readonly runCli?: (args: readonly string[]) => Promise<number>;
}

/** What each command does to a player in Electron. */
export function handsOn({ good, given, stages, overrides, end, runCli = runOwnCli }: HandsParts): Hands {
  const restart = () => end(EXIT.restart);
  return {
    async screenshot({ screen }) {
      const stage = screen === undefined ? stages[0] : stages.find(({ screenId }) => screenId === screen);
      if (stage === undefined) return unavailable("there is no such screen");
      const picture = await pictureOf(stage);
      if (picture === null) return unavailable("there is nothing to see: the screen has no display");
      const attachment = { type: "image/jpeg", base64: picture.jpeg.toString("base64") } as const;
      return { kind: "done", text: `a picture of ${picture.of}`, attachment };
    },
    restart: async () => ({ kind: "done", text: "the player restarts", afterwards: restart }),
    async reboot() {
      const reason = await mayReboot();
      return reason === null ? { kind: "done", text: "the machine restarts", afterwards: reboot } : unavailable(reason);
    },
    async display({ power }) {
      const isKept = await overrides.switchDisplays(power === "on");
      return done(
        power === "on" ? "the displays are on" : "the displays are off, or black where they cannot be",
        isKept,
      );
    },
    async doctor() {
      const file = join(good.config.dataDir, "remote-bundle.json");
      try {
        await runCli(["doctor", "--json", "--bundle", file, ...(good.path === null ? [] : ["--config", good.path])]);
        const bundle = await readFile(file);
        const attachment = { type: "application/json", base64: bundle.toString("base64") } as const;
        return { kind: "done", text: "what the doctor found", attachment };
      } finally {
        await rm(file, { force: true });
      }
    },
    async reload() {
      const reading = readConfig(sourceOf(given));
      if (reading.kind === "bad") {
        const problems = reading.problems.map(({ path, message }) => `${path} ${message}`.trim());
        return unavailable(`the configuration cannot be used: ${problems.join("; ").slice(0, LONGEST_PROBLEMS)}`);
      }
      if (isDeepStrictEqual(reading.config, good.config)) return done("nothing has changed");
      return { kind: "done", text: "the player restarts with what has changed", afterwards: restart };
    },
    async "test-card"({ seconds }) {
      await overrides.playTestCard(seconds);
      const { shown } = overrides;
      return done(
        shown?.kind === "test-card" ? `a test card for ${seconds} s` : "the message goes before the test card",
      );
    },
    async message({ text, seconds }) {
      if (text === null) return done("the message is taken back", await overrides.takeBackMessage());
      const isKept = await overrides.showMessage(text, seconds);
      return done(seconds === null ? "shown until it is taken back" : `shown for ${seconds} s`, isKept);
    },
  };
}

const LONGEST_PROBLEMS = 1_000;

function done(text: string, isKept = true): Performance {
  return { kind: "done", text: isKept ? text : `${text}; the disk takes nothing: a restart will not know of it` };
}

function unavailable(text: string): Performance {
  return { kind: "unavailable", text };
}

/** Less than any command is given. */
const CLI_WITHIN_MS = 90_000;
const MOST_OUTPUT_BYTES = 4 * 1024 * 1024;

/** In a process of its own: what an examination takes of the processor must not hold up the screen. */
async function runOwnCli(args: readonly string[]): Promise<number> {
  const { appArguments } = await import("../../cli/doctor/machine-checks.ts");
  const limits = { timeout: CLI_WITHIN_MS, maxBuffer: MOST_OUTPUT_BYTES };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...appArguments(), ...args], limits, () => resolve(child.exitCode ?? 1));
  });
}

const QUALITY = 80;
/** Where the system must ask somebody first, nobody answers. */
const TAKEN_WITHIN_MS = 5_000;

/** A picture of what a screen shows. */
export interface Picture {
  readonly jpeg: Buffer;
  /** Whether it is what is really on the display, or, where the system does not tell that, what the player draws. */
  readonly of: "the display" | "the player's window";
}

/** Takes a picture of a screen's display, whatever is in front of the player; null where there is nothing to see. */
async function pictureOf(stage: StageWindow): Promise<Picture | null> {
  const display = stage.display();
  if (display === null || !stage.window.isVisible()) return null;
  const real = await realPicture(display);
  if (real !== null) return { jpeg: real, of: "the display" };
  const drawn = await screenshotOf(stage.window);
  return drawn === null ? null : { jpeg: drawn, of: "the player's window" };
}

async function realPicture({ id, size, scaleFactor }: Electron.Display): Promise<Buffer | null> {
  // Under Wayland a person has to allow it, and there is none.
  if (process.env.WAYLAND_DISPLAY) return null;
  const thumbnailSize = { width: Math.round(size.width * scaleFactor), height: Math.round(size.height * scaleFactor) };
  const late = new Promise<readonly Electron.DesktopCapturerSource[]>((resolve) => {
    setTimeout(resolve, TAKEN_WITHIN_MS, []);
  });
  const sources = await Promise.race([
    desktopCapturer.getSources({ types: ["screen"], thumbnailSize }).catch(() => []),
    late,
  ]);
  const only = screen.getAllDisplays().length === 1 ? sources[0] : undefined;
  const image = (sources.find(({ display_id }) => display_id === String(id)) ?? only)?.thumbnail;
  return image === undefined || image.isEmpty() ? null : image.toJPEG(QUALITY);
}
