import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { startDisplay } from "../../scripts/setup/display.ts";
import { electronRuntime } from "../../scripts/setup/electron.ts";
import { ordinaryUser } from "../../scripts/setup/user.ts";
import { preferOver, userFolder } from "../support/machine/processes.ts";
import { grab, type Picture } from "./picture.ts";

/** Opens pages in windows without anything around them, one for each lane, and takes their pictures. */
export interface BareWindows {
  /** The picture of a page in a window of this size, once it has come to rest. Lanes are apart from each other. */
  picture(lane: number, page: BarePage): Promise<Picture>;
  close(): Promise<void>;
}

export interface BarePage {
  readonly name: string;
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** Room for the largest page, and for lanes of 1280x720. */
const DISPLAY = { width: 3840, height: 3840 } as const;
const LANE = { width: 1280, height: 720 } as const;
const ACROSS = DISPLAY.width / LANE.width;
export const LANES = 3;

/** A page comes to rest in 1.5 s; so much later nothing of it moves, and the window has drawn it. */
const REST_MS = 1_800;
/** A page that does not load by then is shown as far as it came. */
const LOAD_WITHIN_MS = 10_000;

export async function openBareWindows(): Promise<BareWindows> {
  const display = await startDisplay(DISPLAY);
  const folder = userFolder();
  const { uid, gid } = ordinaryUser();
  const { executable, args } = electronRuntime(false);
  const switches = ["--hide-scrollbars", "--mute-audio", "--autoplay-policy=no-user-gesture-required"];
  const app = `${import.meta.dirname}/bare`;
  // A maker's desktop has a language; the player's machine has what a bare system has.
  const env = { PATH: process.env.PATH, HOME: folder.path, LANG: "en_US.UTF-8", DISPLAY: display.name };
  const child = spawn(executable, [...args, ...switches, app, `--user-data-dir=${folder.path}/bare`], {
    ...{ uid, gid, cwd: folder.path, env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  preferOver(child);
  const ended = once(child, "exit");
  const answers = createInterface(child.stdout);
  const answered = (name: string) =>
    new Promise<void>((resolve) => {
      const hear = (line: string) => {
        if (!line.startsWith("{") || JSON.parse(line).name !== name) return;
        answers.off("line", hear);
        resolve();
      };
      answers.on("line", hear);
    });
  await Promise.race([once(answers, "line"), ended.then(() => Promise.reject(new Error("the bare window ended")))]);
  const tell = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    async picture(lane, { name, url, width, height }) {
      const place = { x: (lane % ACROSS) * LANE.width, y: Math.floor(lane / ACROSS) * LANE.height };
      const loaded = answered(name);
      tell({ name, open: { url, ...place, width, height } });
      await Promise.race([loaded, pause(LOAD_WITHIN_MS)]);
      await pause(REST_MS);
      const picture = await grab({ display: display.name, ...place, width, height });
      tell({ name });
      return picture;
    },
    async close() {
      child.kill("SIGKILL");
      await ended;
      await display.stop();
      folder.remove();
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
