import type { WebContents } from "electron";
import { z } from "zod";
import type { HouseItem } from "../../core/house.ts";
import type { HouseFolder } from "../../player/house/house-folder.ts";
import type { HouseStage } from "../../player/house/house-show.ts";
import { NEXT_PAINT } from "../decks/face.ts";
import { houseUrl } from "../schemes.ts";
import { settledWithin } from "../settled-within.ts";

/** A page that has drawn nothing for this long after it was loaded is shown as it is. */
const DRAWN_WITHIN_MS = 2_000;
/** How often a page of the operator's is asked for a sign of life, and how often it may fail to answer. */
const ALIVE_EVERY_MS = 2_000;
const SILENT_TURNS = 3;

const overSchema = z.enum(["ended", "broken", "replaced"]);

/** House content on the slate's page, by what `renderer/slate` offers. */
export function houseStage(contents: WebContents, folder: HouseFolder, muted: boolean): HouseStage {
  const ask = (code: string): Promise<unknown> => contents.executeJavaScript(code);
  const tell = (code: string) => void ask(code).catch(() => {});
  let watched: string | null = null;
  return {
    async lay(item: HouseItem) {
      const url = houseUrl(item.id, folder.entrance(item));
      const source = JSON.stringify({ form: item.form, url, muted });
      const lengthMs = z
        .number()
        .nullable()
        .parse(await ask(`slate.cue(${source})`));
      if (item.form === "page") await drawn(contents, url);
      await ask("slate.take()");
      watched = item.form === "page" ? url : null;
      return lengthMs;
    },
    async over() {
      const over = ask("slate.over()").then((how) => overSchema.parse(how));
      // A page that was closed by a crash does not say so.
      const gone = over.catch(() => "replaced" as const);
      return watched === null ? gone : Promise.race([gone, death(contents, watched, gone)]);
    },
    bare: () => tell("slate.bare()"),
    pause: () => tell("slate.pause()"),
    resume: () => tell("slate.resume()"),
  };
}

/** A page in a frame of another process is loaded before it is drawn. */
function drawn(contents: WebContents, url: string): Promise<void> {
  return settledWithin(frameAt(contents, url)?.executeJavaScript(NEXT_PAINT), DRAWN_WITHIN_MS);
}

/** Resolves when a page in a frame is dead: it hangs, or its process is gone, of which Chromium says nothing. */
function death(contents: WebContents, url: string, over: Promise<unknown>): Promise<"broken"> {
  return new Promise((resolve) => {
    let silent = 0;
    const timer = setInterval(() => {
      silent++;
      if (silent > SILENT_TURNS) return end();
      const answered = frameAt(contents, url)?.executeJavaScript("0");
      answered?.then(
        () => {
          silent = 0;
        },
        () => {},
      );
    }, ALIVE_EVERY_MS);
    const end = () => {
      clearInterval(timer);
      resolve("broken");
    };
    void over.then(() => clearInterval(timer));
  });
}

function frameAt(contents: WebContents, url: string) {
  if (contents.isDestroyed()) return undefined;
  return contents.mainFrame.framesInSubtree.find((frame) => !frame.isDestroyed() && frame.url === url);
}
