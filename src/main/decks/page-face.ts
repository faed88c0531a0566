import type { WebContents } from "electron";
import { z } from "zod";
import { type Face, inIsolation, NEXT_PAINT } from "./face.ts";

/** Pages are made for a white sheet; the pointer is never part of what is shown. User origin: a page cannot undo it. */
const SHEET = "html { background: #fff; } * { cursor: none !important; }";

const FONTS_READY = "document.fonts.ready.then(() => true)";

/** The field's convention for a creative that wants to know when it is in sight. Runs in the page's own world. */
const START_HOOK = "void window.BroadSignPlay?.()";

/** An HTML creative at its own URL, without a preload: its session answers every request from the cache. */
export function pageFace(contents: WebContents, url: string): Face {
  return {
    async load() {
      contents.on("dom-ready", () => void contents.insertCSS(SHEET, { cssOrigin: "user" }).catch(() => {}));
      await contents.loadURL(url);
      await inIsolation(contents, FONTS_READY);
    },
    drawn: () => inIsolation(contents, NEXT_PAINT),
    async start() {
      // Not awaited: a hook that throws or never returns must not hold up the first frame.
      contents.executeJavaScript(START_HOOK).catch(() => {});
      return z.number().parse(await inIsolation(contents, NEXT_PAINT));
    },
    async progress() {
      await inIsolation(contents, "0");
      return { framesPresented: 1, still: true };
    },
  };
}
