import type { WebContents } from "electron";
import { z } from "zod";
import { appUrl, mediaUrl } from "../schemes.ts";
import type { Face } from "./face.ts";

/** The player's own page (`renderer/media`), on which videos and images are shown. */
export const MEDIA_PAGE = appUrl("media/media.html");

/** What a media page shows. */
export interface MediaSource {
  readonly digest: string;
  readonly form: "video" | "image";
  readonly muted: boolean;
}

const progressSchema = z.object({ framesPresented: z.number(), still: z.boolean() });

/** A video or image by its digest, on our page, which `page` resolves to have been loaded. */
export function mediaFace(contents: WebContents, page: Promise<void>, { digest, form, muted }: MediaSource): Face {
  const source = JSON.stringify({ form, url: mediaUrl(digest), muted });
  return {
    async load() {
      await page;
      await contents.executeJavaScript(`deck.cue(${source})`);
    },
    drawn: () => contents.executeJavaScript("deck.drawn()"),
    start: async () => z.number().parse(await contents.executeJavaScript("deck.take()")),
    progress: async () => progressSchema.parse(await contents.executeJavaScript("deck.progress()")),
  };
}
