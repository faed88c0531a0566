import { z } from "zod";
import type { DeckLease } from "./deck.ts";
import { appUrl, mediaUrl } from "./schemes.ts";

const MEDIA_PAGE = appUrl("media/media.html");

const progressSchema = z.object({ framesPresented: z.number(), still: z.boolean() });

/** A video or image by its digest, on the player's own page (`renderer/media`). */
export function mediaFace(digest: string, form: "video" | "image", muted: boolean): Pick<DeckLease, "face" | "stay"> {
  const source = JSON.stringify({ form, url: mediaUrl(digest), muted });
  return {
    stay: (url) => url === MEDIA_PAGE,
    face: (contents) => ({
      async load() {
        await contents.loadURL(MEDIA_PAGE);
        await contents.executeJavaScript(`deck.cue(${source})`);
      },
      start: async () => z.number().parse(await contents.executeJavaScript("deck.take()")),
      progress: async () => progressSchema.parse(await contents.executeJavaScript("deck.progress()")),
    }),
  };
}
