import { once } from "node:events";
import type { NativeImage, WebContents } from "electron";
import { z } from "zod";
import type { Item } from "../../core/spot.ts";
import type { Deck } from "./deck.ts";
import { type DeckContent, ended, inIsolation, load, NEXT_PAINT, presented } from "./deck-content.ts";

/** No pointer where the display's own server does not hide it. User origin: a page cannot undo it. */
const NO_POINTER = "* { cursor: none !important; }";

/** Fonts never hold a page back (F23): those that arrive later are drawn while the page is visible. */
const FONTS_WITHIN_MS = 1_000;
const FONTS_READY = `Promise.race([document.fonts.ready.then(() => true),
  new Promise((resolve) => setTimeout(resolve, ${FONTS_WITHIN_MS}))])`;

/** The field's convention for a creative that wants to know when it becomes visible. Runs in the page's own world. */
const START_HOOK = "void window.BroadSignPlay?.()";

/** What a page's canvas is painted with (CSS Backgrounds 2.11.2): the background of its root, or else of its body. */
const GROUND = `(() => {
  const [root, body] = [document.documentElement, document.body].map((one) => one && getComputedStyle(one));
  const isBare = (style) => style.backgroundImage === "none" && /^rgba\\(.*, 0\\)$/.test(style.backgroundColor);
  const style = body && isBare(root) ? body : root;
  // Only colours that let something through are written with their opacity.
  if (!/^rgba\\(|\\//.test(style.backgroundColor)) return "opaque";
  return style.backgroundImage === "none" ? "clear" : "picture";
})()`;
const groundSchema = z.enum(["opaque", "clear", "picture"]);

const FIRST_FRAME = `${NEXT_PAINT}.then((at) => ({ at, ageMs: at - performance.timeOrigin }))`;
const firstFrameSchema = z.object({ at: z.number(), ageMs: z.number() });

/** An HTML creative at its own URL and of its own size, without a preload: its session answers every request from the cache. */
export function pageContent(deck: Deck, { url, widthPx, heightPx }: Item): DeckContent {
  const { contents } = deck;
  return {
    async load() {
      await deck.layOut(widthPx, heightPx);
      await giveFocus(contents);
      contents.on("dom-ready", () => void contents.insertCSS(NO_POINTER, { cssOrigin: "user" }).catch(() => {}));
      await load(contents, url);
      await inLoadedPage(contents, FONTS_READY);
    },
    async drawn() {
      await inLoadedPage(contents, NEXT_PAINT);
      if (await isTransparent(contents)) {
        deck.addWhiteBackground();
        await inLoadedPage(contents, NEXT_PAINT);
      }
      await presented(contents);
    },
    async start() {
      // Not awaited: a hook that throws or never returns must not hold up the first frame.
      contents.executeJavaScript(START_HOOK).catch(() => {});
      return firstFrameSchema.parse(await inIsolation(contents, FIRST_FRAME));
    },
    async progress() {
      await inIsolation(contents, "0");
      return { framesPresented: 1, still: true };
    },
  };
}

/**
 * Tells a page that it has the focus, as in a browser's window: without it some pause, or never begin. The window's own
 * focus stays where it is, so several pages may have it at once. There must be a page: by then the debugger is attached
 * (`confine`), and the page that is loaded next has the focus from its first script on.
 */
async function giveFocus({ debugger: protocol }: WebContents): Promise<void> {
  await protocol.sendCommand("Emulation.setFocusEmulationEnabled", { enabled: true });
}

/** Whether a page is transparent. Behind an opaque page a white background would only be visible too early. */
async function isTransparent(contents: WebContents): Promise<boolean> {
  const ground = groundSchema.parse(await inLoadedPage(contents, GROUND));
  return ground === "picture" ? !isOpaque(await contents.capturePage()) : ground === "clear";
}

function isOpaque(image: NativeImage): boolean {
  const bytes = image.toBitmap();
  for (let alpha = 3; alpha < bytes.length; alpha += 4) if (bytes[alpha] !== 0xff) return false;
  return true;
}

/** Runs code in the loaded page, and again where the page has navigated on meanwhile. */
async function inLoadedPage(contents: WebContents, code: string): Promise<unknown> {
  for (;;) {
    const moved = once(contents, "did-navigate").then(() => MOVED);
    const result = contents.isLoadingMainFrame() ? MOVED : await Promise.race([inIsolation(contents, code), moved]);
    if (result !== MOVED) return result;
    await ended(contents);
  }
}

const MOVED = Symbol("moved");
